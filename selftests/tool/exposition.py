# SPDX-License-Identifier: GPL-2.0-only
"""The text format of Prometheus, taken apart strictly: what it does not allow fails."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? ([0-9.e+-]+|\+Inf|NaN)")
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}
PARTS = ("_bucket", "_sum", "_count")


class Metric:
    """@series: {labels as a frozenset of pairs: value}; of a histogram by part, too."""

    def __init__(self, text):
        self.help, self.type, self.series = text, None, {}

    def labels(self):
        """Names of the labels that its series have."""
        return {name for _, labels in self.series for name, _ in labels} - {"le"}


def parse_labels(text):
    found, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, f"no label at {text[at:]!r}"
        name, value = match.groups()
        assert name not in found, f"label {name} comes twice"
        found[name] = re.sub(r"\\.", lambda escape: ESCAPES[escape.group()], value)
        at = match.end()
        assert at == len(text) or text[at] == ",", f"no comma at {text[at:]!r}"
        at += 1
        assert at != len(text), "a comma behind the last label"
    return frozenset(found.items())


def split_name(name, metrics):
    """The metric of a sample, and which part of a histogram it is."""
    for part in PARTS:
        base = name[:-len(part)]
        if name.endswith(part) and base in metrics and metrics[base].type == "histogram":
            return base, part
    return name, ""


def add_sample(line, metrics, current):
    match = SAMPLE.fullmatch(line)
    assert match, f"not a sample: {line!r}"
    name, labels, value = match.groups()
    assert labels != "", f"empty braces: {line!r}"
    name, part = split_name(name, metrics)
    assert name == current, f"{line!r} is not below its own TYPE, but {current}'s"
    metric = metrics[name]
    assert metric.type, f"{name} has no TYPE before its samples"
    assert bool(part) == (metric.type == "histogram"), line
    key = part, parse_labels(labels or "")
    assert key not in metric.series, f"a series comes twice: {line!r}"
    metric.series[key] = float(value)


def check_histogram(name, series):
    """Cumulative buckets in order, the last one +Inf and equal to the count."""
    groups = {}
    for (part, labels), value in series.items():
        rest = frozenset(pair for pair in labels if pair[0] != "le")
        group = groups.setdefault(rest, {"_bucket": []})
        if part == "_bucket":
            group[part].append((float(dict(labels)["le"]), value))
        else:
            assert "le" not in dict(labels) and part not in group, (name, labels)
            group[part] = value
    for labels, group in groups.items():
        bounds = [bound for bound, _ in group["_bucket"]]
        counts = [count for _, count in group["_bucket"]]
        assert bounds == sorted(set(bounds)) and bounds[-1] == float("inf"), (name, labels, bounds)
        assert counts == sorted(counts), (name, labels, counts)
        assert counts[-1] == group["_count"] and group["_sum"] >= 0, (name, labels, group)


def parse(data):
    """{name: Metric} of the bytes of a scrape."""
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    assert text.endswith("\n"), "the last line does not end"
    metrics, current = {}, None
    for line in text[:-1].split("\n"):
        match = re.fullmatch(rf"# (HELP|TYPE) ({NAME}) (.+)", line)
        if not match:
            add_sample(line, metrics, current)
            continue
        what, name, rest = match.groups()
        if what == "HELP":
            assert name not in metrics, f"{name} comes twice"
            metrics[name] = Metric(rest)
            current = name
        else:
            assert name == current and not metrics[name].type, line
            assert rest in ("counter", "gauge", "histogram"), line
            assert (rest == "counter") == name.endswith("_total"), line
            metrics[name].type = rest
    for name, metric in metrics.items():
        assert metric.type, f"{name} has no TYPE"
        if metric.type == "histogram":
            check_histogram(name, metric.series)
    return metrics


def values(metrics, name, **labels):
    """The value of the only series with these labels, perhaps among others."""
    wanted = set(labels.items())
    found = [value for (_, have), value in metrics[name].series.items() if wanted <= have]
    assert len(found) == 1, (name, labels, found)
    return found[0]
