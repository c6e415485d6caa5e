# SPDX-License-Identifier: GPL-2.0-only
"""Wrong arguments of the verbs that look and watch: exit 2, before anything is asked."""
from harness import Tool, case

WRONG = (
    (("objects",), "arguments are missing"),
    (("objects", "a", "b"), "one argument too many: b"),
    (("objects", "../a"), ""),
    (("objects", "a", "--sort", "name"), "lru, size or age"),
    (("objects", "a", "--limit", "0"), "--limit"),
    (("objects", "a", "--limit", "-1"), "--limit"),
    (("objects", "a", "--older-than", "5"), "--older-than"),
    (("objects", "a", "--older-than", "5d"), "--older-than"),
    (("objects", "a", "--older-than", "99999999999999999999h"), "--older-than"),
    (("objects", "a", "--prefix", ""), ""),
    (("objects", "a", "--prefix", "hex:1"), ""),
    (("show", "a"), "arguments are missing"),
    (("show", "a", "x" * 1025), ""),
    (("clients",), "arguments are missing"),
    (("holds", "a", "--client", "0"), "--client"),
    (("holds", "a", "--client", "x"), "--client"),
    (("layouts",), "arguments are missing"),
    (("segments", "a", "b"), "one argument too many: b"),
    (("stats", "a", "--watch", "0"), "--watch"),
    (("stats", "a", "--watch", "86401"), "--watch"),
    (("stats", "a", "--watch", "1.5"), "--watch"),
    (("top",), "arguments are missing"),
    (("top", "a", "--interval", "0"), "--interval"),
    (("top", "a", "--count", "0"), "--count"),
    (("top", "a", "--json"), "stats --watch 1 --json"),
    (("events", "a", "b"), "one argument too many: b"),
    (("events", "--count", "0"), "--count"),
)


@case("look-usage", "what looks and watches refuses wrong arguments with exit 2, saying which")
def look_usage():
    for args, words in WRONG:
        Tool(*args).misused(words)


@case("look-unloaded", "without the module each of them says how to load it")
def look_unloaded():
    for args in (("objects", "a"), ("show", "a", "k"), ("clients", "a"), ("holds", "a"),
                 ("layouts", "a"), ("segments", "a"), ("stats", "a"),
                 ("stats", "a", "--watch", "1"), ("top", "a"), ("events",)):
        Tool(*args).fails("modprobe maru_l1")
