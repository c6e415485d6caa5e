# SPDX-License-Identifier: GPL-2.0-only
"""The manual page of maru-l1ctl taken apart: sections of verbs, options, keys, examples."""
import os
import re

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
PATH = os.path.join(TOP, "Documentation/man/maru-l1ctl.1")
SEEN = {}
NUMBER = re.compile(r"(?<![\w.])\d+(\.\d+)?( ([KMGTPE]iB|B|ms|s|%)(?!\w))?")
UUID = re.compile(r"\b[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\b")
TIME = re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+[+-]\d{4}\b")
ID = re.compile(r"\b0x[0-9a-f]+\b")


def plain(roff):
    """Escapes of roff as what they stand for."""
    for escape, text in (("\\-", "-"), ("\\~", " "), ("\\&", ""), ("\\(aq", "'"), ("\\e", "\\")):
        roff = roff.replace(escape, text)
    return roff


def page():
    with open(PATH, encoding="ascii") as file:
        return file.read()


def sections():
    """Verb to what the page says of it, in its order."""
    body = page().split("\n.SH VERBS\n")[1].split("\n.SH ")[0]
    parts = re.split(r"^\.SS (\w+)\n", body, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def synopsis():
    text = plain(page().split("\n.SH SYNOPSIS\n")[1].split("\n.SH ")[0])
    return re.findall(r"^\.B maru-l1ctl (\w+)$", text, re.M)


def options(verb):
    return re.findall(r"^\.TP\n\.B[IR]? (--[\w-]+)", plain(sections()[verb]), re.M)


def keys(verb):
    """Paths into the JSON of a verb; a part in capitals stands for any name."""
    found = re.search(r"^Keys: (.*?)\.$", plain(sections()[verb]), re.M | re.S)
    return re.split(r",\s+", found.group(1)) if found else []


def examples():
    """(verb, prompt, command, output) of each command that the page shows, in its order."""
    found = []
    for verb, text in sections().items():
        for block in re.findall(r"^\.EX\n(.*?)^\.EE$", text, re.M | re.S):
            for part in re.split(r"^(?=[#$] )", plain(block), flags=re.M):
                command, _, output = part.partition("\n")
                if not command:
                    continue
                while command.endswith("\\"):
                    line, _, output = output.partition("\n")
                    command = command[:-1] + line.strip()
                found.append((verb, command[0], command[2:], output))
    return found


def masked(text):
    """@text with one space between words, and without what differs from run to run."""
    for pattern, word in ((UUID, "UUID"), (TIME, "TIME"), (ID, "ID"), (NUMBER, "N")):
        text = pattern.sub(word, text)
    return " ".join(text.split())


def same_shape(shown, real):
    """Whether @real is what the page shows, where "..." is anything."""
    parts = [re.escape(part.strip()) for part in masked(shown).split("...")]
    return re.fullmatch(r"\s*.*?\s*".join(parts), masked(real), re.S)


def paths(model, at=""):
    """All paths of keys in a JSON value."""
    if isinstance(model, list):
        return set().union(*(paths(item, at) for item in model))
    if not isinstance(model, dict):
        return {at}
    return set().union(*(paths(value, f"{at}.{key}" if at else key)
                         for key, value in model.items()))


def patterns(verb):
    """What the page names, as it is written there, and what it fits."""
    return {key: re.compile(re.sub(r"\b[A-Z]+\b", "[^.]+", key.replace(".", r"\.")) + "$")
            for key in keys(verb)}


def undocumented(verb, model):
    """Keys of @model that the page does not name; those that it does are kept in mind."""
    if verb not in sections():
        return []
    known = patterns(verb)
    unknown = []
    for path in filter(None, paths(model)):
        fitting = {key for key, pattern in known.items() if pattern.match(path)}
        SEEN.setdefault(verb, set()).update(fitting)
        if not fitting:
            unknown.append(path)
    return sorted(unknown)


def unseen():
    """Keys that the page names and nothing had that undocumented() was asked about."""
    return {verb: missing for verb in sections()
            if (missing := set(keys(verb)) - SEEN.get(verb, set()))}
