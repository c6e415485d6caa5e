# SPDX-License-Identifier: GPL-2.0-only
"""What is said of wrong usage, and whether help tells all."""
import os
import re

import manual
from harness import TOP, Tool, case

VERBS = tuple(manual.sections())
POOL_VERBS = (("info",), ("stats",), ("check",), ("detach",), ("attach", "/dev/null"))

MISUSE = """
|a verb is needed
frobnicate|no such verb
--frobnicate|no such verb
form|no such verb
format|arguments are missing
format a b|one argument too many: b
format a --frob|no such option: --frob
format a -x|no such option: -x
format a -xh|no such option
format a --json=yes|no such option
format a --label|needs a value
format a --segment-size|needs a value
format a --coherent|needs a value
format a --coherent maybe|yes or no, not maybe
format a --coherent|needs a value
format a --max-objects 1|no such option
attach|arguments are missing
attach a|arguments are missing
attach a b --force|no such option
detach|arguments are missing
detach a b|one argument too many
list a|one argument too many: a
info|arguments are missing
info a b|one argument too many
stats|arguments are missing
stats a b|one argument too many
check|arguments are missing
check a b|one argument too many
check a --force|no such option
version a|one argument too many
help a b|one argument too many
help frobnicate|no such verb
help --json|no JSON
"""


@case("misuse", "wrong usage exits 2, says so on stderr and prints nothing")
def misuse():
    for line in MISUSE.strip().split("\n"):
        args, words = line.split("|")
        Tool(*args.split()).misused(words, "see 'maru-l1ctl help")


@case("sizes", "a size that is none, overflows or is no multiple is wrong usage")
def sizes():
    for size in ("", "-2M", "+2M", " 2M", "2M ", "2m", "2MB", "2MiB", "M", "0", "0M", "1M",
                 "3M", "2097153", "2.5M", "0x200000", "1e6", "16777216T",
                 "16777217T", "17179869185G",
                 "18446744073709551616", "99999999999999999999G"):
        Tool("format", "/nonexistent", "--segment-size", size).misused("multiple of 2M")
    for size in ("2M", "2097152", "2048K", "1G", "1T"):
        Tool("format", "/nonexistent", "--segment-size", size).fails("no such device")


@case("numbers", "numbers of attach out of their range are wrong usage")
def numbers():
    for value in ("", "0", "-1", "600001", "1s", "18446744073709551617", "4294967297"):
        Tool("attach", "a", "/nonexistent", "--quarantine-ms", value).misused("1 to 600000")
    for value in ("", "0", "-1", "1K", "16777217", "18446744073709551616"):
        Tool("attach", "a", "/nonexistent", "--max-objects", value).misused("number from 1")
    for value in ("", "0", "-1", "1B", "18446744073709551616"):
        Tool("attach", "a", "/nonexistent", "--max-client-bytes", value).misused("size from 1")
    for option, value in (("--quarantine-ms", "1"), ("--quarantine-ms", "600000"),
                          ("--max-objects", "16777216"),
                          ("--max-client-bytes", "8G")):
        Tool("attach", "a", "/nonexistent", option, value).fails("no such device")


@case("names", "a word that cannot be a pool's name is wrong usage")
def names():
    for name in ("", ".", ".a", "a/b", "../control", "control", "a b", "a\n", "\xe9", "a" * 32,
                 "a" * 4000, "a%sb"):
        for verb, *rest in POOL_VERBS:
            Tool(verb, name, *rest).misused("cannot be a pool's name")
    for name in ("a", "a" * 31, "A-b_c.9", "-".join("ab"), "controls"):
        Tool("attach", name, "/nonexistent").fails("no such device")


@case("label", "a label of more than 32 bytes is wrong usage")
def label():
    Tool("format", "/nonexistent", "--label", "x" * 33).misused("longer than 32")
    Tool("format", "/nonexistent", "--label", "é" * 17).misused("longer than 32")


@case("no-module", "without the module every verb that needs it says how to load it")
def no_module():
    # Where it is loaded, its folder is hidden from the tool.
    hide = ("unshare", "--mount", "sh", "-c",
            'mount -t tmpfs none /dev/maru_l1 && exec "$@"', "sh")
    through = hide if os.path.exists("/dev/maru_l1") else ()
    for args in (("list",), ("list", "--json"), ("info", "a"), ("stats", "a"), ("check", "a"),
                 ("detach", "a"), ("detach", "a", "--force")):
        Tool(*args, through=through).fails("modprobe maru_l1")


@case("help", "help tells about each verb, and the verb does itself")
def help_of_verbs():
    overview = Tool("help").ok().out
    assert overview == Tool("--help").ok().out == Tool("-h").ok().out
    assert set(re.findall(r"^  (\w+) ", overview, re.M)) == set(VERBS), overview
    for verb in VERBS:
        text = Tool("help", verb).ok().out
        assert text.startswith(f"usage: maru-l1ctl {verb}"), text
        assert Tool(verb, "--help").ok().out == text
        assert Tool(verb, "-h").ok().out == text
        for line in text.splitlines():
            assert len(line) <= 80, line


@case("options", "every option that help names is known to its verb")
def options():
    for verb in VERBS:
        for option in re.findall(r"^  (--[\w-]+)", Tool("help", verb).ok().out, re.M):
            tried = Tool(verb, option, "value", "--frobnicate")
            assert "no such option: " + option not in tried.err, tried


@case("version", "the version is that of the tree")
def version():
    with open(os.path.join(TOP, "VERSION"), encoding="ascii") as file:
        number = file.read().strip()
    assert Tool("version").ok().out == f"maru-l1ctl {number}\n"
    assert Tool("--version").ok().out == f"maru-l1ctl {number}\n"
    assert Tool("version", "--json").json() == {"version": number}


@case("full", "output that cannot be written is a failure")
def full():
    with open("/dev/full", "wb") as file:
        for args in (("help",), ("version",), ("version", "--json"), ("list", "--help")):
            Tool(*args, stdout=file).fails("cannot write the output")
