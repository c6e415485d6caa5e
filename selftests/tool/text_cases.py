# SPDX-License-Identifier: GPL-2.0-only
"""Metrics as text: from a model that is made up, against the documented names and the
board; no module."""
import copy
import functools
import json
import os
import re
import subprocess

import exposition
from harness import TOP, Tool, case

DOCUMENT = os.path.join(TOP, "Documentation/admin-guide/metrics.rst")
BOARD = os.path.join(TOP, "Documentation/admin-guide/grafana/maru_l1.json")
STATES = ("staged", "private", "published", "zombie", "quarantined", "limbo", "retired")
BIG = (1 << 64) - 1

POOL = {
    "name": "kv-0.x", "label": 'a "b" \\x5c \\xff', "uuid": "5f0c2a5e-8c7c-4b8e-9d5e-2f0b9c1d7a34",
    "flags": 0, "capacity": 1000, "max_objects": 70000, "node": 1, "incarnation": 7,
    "numa_node": -1, "backing_bytes": [600, 400], "segments": 3, "layouts": 4, "clients": 5,
    "usage": {"available": 500, "rounding": 6, "objects": 8, "extents": 9, "orphan_pins": 10,
              **{state: 11 + i for i, state in enumerate(STATES)}},
    "owners": [{"owner": "1", "segments": 2, "bytes": 800},
               {"owner": "free", "segments": 1, "bytes": 200}],
    "stats": {
        "operations": {"reserve_read": {"OK": 20, "NOT_FOUND": 21}, "delete": {"LOCKED": BIG}},
        "refused": {"space": 22, "client_bytes": 0},
        "removed": {"deleted": {"objects": 23, "bytes": 24}, "retired": {"objects": 0, "bytes": 0}},
        "latencies": {"delete": {"calls": 6, "errors": 1, "total_ns": 17000000123,
                                 "histogram": [1] + [0] * 8 + [1, 2, 0] + [0] * 22 + [1] + [0] * 4
                                 + [1]}},
        "lost_races": 25, "bytes_stored": 26, "bytes_served": 27, "expired_holds": 28,
        "expired_writes": 29, "quarantined": 30, "quarantined_bytes": 31, "unquarantined": 32,
        "unquarantined_bytes": 33, "events_lost": 34, "held": 35, "holds": 36,
    },
}


@functools.cache
def writer():
    """Built with the objects of the tool under test, which has sanitizers."""
    out = os.path.dirname(os.path.dirname(Tool.path))
    path = os.path.join(out, "tests/metrics-text")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    objects = [os.path.join(out, "tools/maru-l1ctl", name) for name in (
        "metrics.o", "print.o", "util.o")]
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "json-c"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
                    "-I" + os.path.join(TOP, "tools/maru-l1ctl"), "-o", path,
                    os.path.join(TOP, "selftests/tool/metrics-text.c"), *objects,
                    os.path.join(out, "lib/libmarul1.a"), *flags, "-lpthread"], check=True)
    return path


def written(host):
    done = subprocess.run([writer()], input=json.dumps(host).encode(), check=True,
                          stdout=subprocess.PIPE)
    return exposition.parse(done.stdout)


def of_pools(*pools):
    return written({"up": True, "pools": list(pools)})


@case("metrics-values", "U1 each number of a model is where the document says, none is rounded")
def metric_values():
    got, name = of_pools(POOL), {"pool": POOL["name"]}

    def value(metric, **labels):
        return exposition.values(got, "maru_l1_" + metric, **name, **labels)

    assert exposition.values(got, "maru_l1_up") == 1
    for metric, number in (
            ("pool_size_bytes", 1000), ("pool_available_bytes", 500), ("pool_rounding_bytes", 6),
            ("pool_layouts", 4), ("objects", 8), ("extents", 9),
            ("max_extents", 70000), ("clients", 5), ("held_objects", 35), ("holds", 36),
            ("orphan_pins", 10), ("pool_fenced", 0), ("pool_info", 1), ("lost_races_total", 25),
            ("stored_bytes_total", 26), ("served_bytes_total", 27), ("expired_holds_total", 28),
            ("expired_writes_total", 29), ("quarantined_extents_total", 30),
            ("quarantined_bytes_total", 31), ("unquarantined_extents_total", 32),
            ("unquarantined_bytes_total", 33), ("lost_events_total", 34)):
        assert value(metric) == number, metric
    for i, state in enumerate(STATES):
        assert value("pool_used_bytes", state=state) == 11 + i
    assert value("pool_backing_bytes", backing="0") == 600
    assert value("pool_backing_bytes", backing="1") == 400
    assert value("pool_segments", owner="free") == 1
    assert value("pool_segments_bytes", owner="1") == 800
    assert value("items_total", op="reserve_read", status="NOT_FOUND") == 21
    assert value("refused_items_total", reason="space") == 22
    assert value("removed_objects_total", cause="deleted") == 23
    assert value("removed_bytes_total", cause="deleted") == 24
    assert value("call_errors_total", op="delete") == 1


@case("metrics-exact", "numbers of 64 bits and ns are written with all their digits")
def exact():
    done = subprocess.run([writer()], input=json.dumps({"up": True, "pools": [POOL]}).encode(),
                          check=True, stdout=subprocess.PIPE).stdout.decode()
    assert f'op="delete",status="LOCKED"}} {BIG}\n' in done
    assert 'maru_l1_call_duration_seconds_sum{pool="kv-0.x",op="delete"} 17.000000123\n' in done


@case("metrics-histogram", "buckets are sums of what is shorter, +Inf has all, also the longest")
def buckets():
    series = of_pools(POOL)["maru_l1_call_duration_seconds"].series
    count = {dict(labels)["le"]: value for (part, labels), value in series.items()
             if part == "_bucket"}
    # Elements 0, 9, 10 (twice), 34 and 39: below 2 ns, 1024 ns, 2048 ns, 2^35 ns, and longer.
    assert len(count) == 26 and list(count)[0] == "1.024e-06", count
    assert count["1.024e-06"] == 2 and count["2.048e-06"] == 4, count
    assert count["17.17986918"] == 4 and count["+Inf"] == 6, count


@case("metrics-label", "quotes and backslashes of a label come out as they went in")
def labels_escaped():
    got = of_pools(POOL)["maru_l1_pool_info"]
    (_, labels), = got.series
    assert dict(labels) == {"pool": POOL["name"], "uuid": POOL["uuid"], "label": POOL["label"],
                            "node": "1", "incarnation": "7", "numa_node": "-1"}, labels


@case("metrics-pools", "several pools are series of the same metrics; a fenced one says so")
def several():
    other = copy.deepcopy(POOL)
    other["name"], other["flags"] = "other", 4
    got = of_pools(POOL, other)
    assert exposition.values(got, "maru_l1_pool_fenced", pool="other") == 1
    assert exposition.values(got, "maru_l1_pool_fenced", pool="kv-0.x") == 0
    assert {dict(labels)["pool"] for _, labels in got["maru_l1_items_total"].series} == {
        "kv-0.x", "other"}


@case("metrics-down", "a host without the module, or without a pool, tells that alone")
def down():
    for up in (False, True):
        got = written({"up": up, "pools": []})
        assert set(got) == {"maru_l1_up", "maru_l1_build_info"}
        assert exposition.values(got, "maru_l1_up") == up


def documented():
    """{name: (type, labels)} of the table."""
    with open(DOCUMENT, encoding="utf-8") as file:
        rows = re.findall(r"^   \* - ``(maru_l1_\w+)``\n     - (\w+)\n     -(.*)\n     - \w",
                          file.read(), re.M)
    names = {name: (kind, set(re.findall(r"\w+", labels))) for name, kind, labels in rows}
    assert len(names) == len(rows), "a name is documented twice"
    return names


@case("metrics-documented", "the document names exactly what is written, with type and labels")
def documents():
    got = {name: (metric.type, metric.labels()) for name, metric in of_pools(POOL).items()}
    assert got == documented(), {name: (got.get(name), documented().get(name))
                                 for name in set(got) ^ set(documented())}


def known_series():
    """Names that an expression may have."""
    for name, (kind, _) in documented().items():
        yield name
        if kind == "histogram":
            yield from (name + part for part in exposition.PARTS)


@case("metrics-watch", "what the document says to watch are names that it has, with their labels")
def watched():
    with open(DOCUMENT, encoding="utf-8") as file:
        check_expressions(re.findall(r"^   \* - ``(.*maru_l1_\w+\W.*)``$", file.read(), re.M), 9)


def check_expressions(expressions, least):
    known, table = set(known_series()), documented()
    assert len(expressions) >= least, expressions
    for expression in expressions:
        used = re.findall(r"\b(maru_l1_\w+)(?:\{(.*?)\})?", expression)
        assert used and {name for name, _ in used} <= known, expression
        for name, labels in used:
            base = name if name in table else re.sub("_(bucket|sum|count)$", "", name)
            have = table[base][1] | {"instance", "le"}
            assert set(re.findall(r"(\w+)=", labels)) <= have, expression
            for names in re.findall(r"by \((.*?)\)", expression):
                assert set(names.split(", ")) <= have, expression


def board_panels():
    with open(BOARD, encoding="utf-8") as file:
        board = json.load(file)
    return board, board["panels"], [p for p in board["panels"] if p["type"] != "row"]


@case("board-names", "each expression of the board has documented names and their labels")
def board_names():
    board, _, shown = board_panels()
    expressions = [target["expr"] for panel in shown for target in panel["targets"]]
    check_expressions(expressions, 20)
    used = set(re.findall(r"\bmaru_l1_\w+", " ".join(expressions)))
    for name in ("maru_l1_pool_available_bytes", "maru_l1_items_total", "maru_l1_held_objects",
                 "maru_l1_call_duration_seconds_bucket", "maru_l1_removed_objects_total"):
        assert name in used, f"the board does not show {name}"
    queries = [v["definition"] for v in board["templating"]["list"] if v["type"] == "query"]
    check_expressions([re.sub(r"label_values\((.*),.*", r"\1", query) for query in queries], 2)


@case("board-variables", "data source, host and pool are chosen; each query goes to that source")
def board_variables():
    board, _, shown = board_panels()
    names = [variable["name"] for variable in board["templating"]["list"]]
    assert names == ["datasource", "instance", "pool"], names
    for panel in shown:
        assert panel["datasource"]["uid"] == "${datasource}", panel["title"]
        for target in panel["targets"]:
            assert target["datasource"]["uid"] == "${datasource}", panel["title"]
            uses = set(re.findall(r"\$(\w+)", target["expr"])) - {"__rate_interval"}
            assert uses <= set(names) and "instance" in uses, target["expr"]
            assert "pool" in uses or "maru_l1_up" in target["expr"], target["expr"]


@case("board-panels", "panels have ids of their own, titles, units, legends, and do not overlap")
def board_layout():
    _, every, shown = board_panels()
    ids = [panel["id"] for panel in every]
    assert len(set(ids)) == len(ids)
    titles = [panel["title"] for panel in every]
    assert all(titles) and len(set(titles)) == len(titles), titles
    taken = {}
    for panel in every:
        at = panel["gridPos"]
        assert at["x"] >= 0 and at["w"] > 0 and at["h"] > 0 and at["x"] + at["w"] <= 24, panel
        for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"])
                     for y in range(at["y"], at["y"] + at["h"])):
            assert cell not in taken, f"{panel['title']} is over {taken[cell]}"
            taken[cell] = panel["title"]
    for panel in shown:
        assert panel["fieldConfig"]["defaults"]["unit"] and panel["description"], panel["title"]
        assert panel["targets"] and all(t["legendFormat"] for t in panel["targets"])
        refs = [target["refId"] for target in panel["targets"]]
        assert len(set(refs)) == len(refs), panel["title"]


@case("exposition", "the parser of these tests refuses what the format does not allow")
def refuses():
    head = "# HELP a b\n# TYPE a gauge\n"
    histogram = "# HELP a b\n# TYPE a histogram\n"
    exposition.parse(head + 'a{x="1",y="\\\\\\"\\n"} 1\n')
    exposition.parse(histogram + 'a_bucket{le="1"} 1\na_bucket{le="+Inf"} 2\na_sum 1\na_count 2\n')
    for wrong in (head + "a 1", head + "a 1\na 1\n", "a 1\n", "# HELP a b\na 1\n" + head,
                  head + 'a{x="1",} 1\n', head + 'a{x="1"y="1"} 1\n', head + 'a{x="\\q"} 1\n',
                  head + 'a{x="1",x="2"} 1\n', head + "b 1\n", head + "a one\n", head + head,
                  head + "a{} 1\n", "# TYPE a counter\na 1\n", head.replace("a", "c_total") + "\n",
                  histogram + 'a_bucket{le="+Inf"} 2\na_sum 1\na_count 3\n',
                  histogram + 'a_bucket{le="1"} 2\na_sum 1\na_count 2\n',
                  histogram + 'a_bucket{le="1"} 3\na_bucket{le="+Inf"} 2\na_sum 1\na_count 2\n'):
        try:
            exposition.parse(wrong)
        except (AssertionError, KeyError):
            continue
        raise AssertionError(f"accepted: {wrong!r}")
