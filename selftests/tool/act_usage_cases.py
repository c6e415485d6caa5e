# SPDX-License-Identifier: GPL-2.0-only
"""What is said of wrong usage of the verbs that act on objects."""
import os
import tempfile

from harness import Tool, case

MISUSE = """
devices a|one argument too many: a
devices --force|no such option: --force
put|arguments are missing
put a|arguments are missing
put a k|arguments are missing
put a k f g|one argument too many: g
put a k f --page-size|needs a value
put a k f --page-size 0|--page-size is a size from 1
put a k f --page-size 1k|--page-size is a size from 1
put a/b k f|cannot be a pool's name
put a k f --force|no such option
get|arguments are missing
get a|arguments are missing
get a k f g|one argument too many: g
get a k --json|needs a FILE
get a k f --replace|no such option
query|arguments are missing
query a|arguments are missing
query a k --holders|no such option
evict|arguments are missing
evict --count 1|arguments are missing
evict a|a goal is missing
evict a --dry-run|a goal is missing
evict a b --count 1|one argument too many: b
evict a --count 1 --bytes 1M|more than one goal
evict a --count 1 --count 1|more than one goal
evict a --key k --prefix k|more than one goal
evict a --prefix k --prefix l|more than one goal
evict a --key k --to 5|more than one goal
evict a --bytes|needs a value
evict a --bytes 0|--bytes is a size from 1
evict a --bytes -1|--bytes is a size from 1
evict a --bytes 1X|--bytes is a size from 1
evict a --page-size 1M|a goal is missing
evict a --count 1 --page-size 1M|goes with --bytes
evict a --bytes 1M --page-size 1M --dry-run|not with --dry-run
evict a --bytes 1M --page-size 0|--page-size is a size
evict a --count 0|--count is a number from 1
evict a --count 1M|--count is a number from 1
evict a --count 18446744073709551616|--count is a number from 1
evict a --percent 0|--percent is from 0.1 to 100
evict a --percent 0.0|--percent is from 0.1 to 100
evict a --percent 100.1|--percent is from 0.1 to 100
evict a --percent 101|--percent is from 0.1 to 100
evict a --percent 5%|--percent is from 0.1 to 100
evict a --percent 5.25|--percent is from 0.1 to 100
evict a --percent .5|--percent is from 0.1 to 100
evict a --percent 5.|--percent is from 0.1 to 100
evict a --to -1|--to is from 0 to 100
evict a --to 1e1|--to is from 0 to 100
evict a --to 0000000000000000000001|--to is from 0 to 100
evict a --to x|--to is from 0 to 100
purge|arguments are missing
purge a b|one argument too many
purge a --yes|no such option
retire|arguments are missing
retire a|arguments are missing
retire a 0 1|one argument too many
retire a x|an offset is
retire a 0x|an offset is
retire a 0xg|an offset is
retire a 0x11112222333344445|an offset is
retire a -1|no such option
retire a 1MiB|an offset is
completion|arguments are missing
completion fish|bash or zsh, not fish
completion bash zsh|one argument too many
completion bash --json|no JSON
"""


@case("act-misuse", "wrong usage of what acts on objects exits 2 and says what is right")
def misuse():
    for line in MISUSE.strip().split("\n"):
        args, words = line.split("|")
        Tool(*args.split()).misused(words, f"see 'maru-l1ctl help {args.split()[0]}'")


@case("keys", "what is no key is wrong usage wherever a key is taken")
def keys():
    bad = (("", "at least one byte"), ("hex:", "at least one byte"), ("hex:0", "pairs of hex"),
           ("hex:0g", "pairs of hex"), ("\\", "backslash"), ("\\x1", "backslash"),
           ("\\n", "backslash"), ("a" * 1025, "at most 1024"), ("hex:" + "00" * 1025, "at most"),
           ("a\\x0", "backslash"))
    for key, words in bad:
        for args in (("put", "a", key, "/dev/null"), ("get", "a", key), ("query", "a", "k", key),
                     ("evict", "a", "--key", key), ("evict", "a", "--prefix", key)):
            Tool(*args).misused(words)


@case("act-no-module", "without the module what acts on objects says how to load it")
def no_module():
    hide = ("unshare", "--mount", "sh", "-c",
            'mount -t tmpfs none /dev/maru_l1 && exec "$@"', "sh")
    through = hide if os.path.exists("/dev/maru_l1") else ()
    for args in (("put", "a", "k", "/etc/passwd"), ("get", "a", "k"), ("query", "a", "k"),
                 ("evict", "a", "--count", "1"), ("evict", "a", "--prefix", "k", "--dry-run"),
                 ("purge", "a"), ("retire", "a", "0")):
        Tool(*args, through=through).fails("modprobe maru_l1")
    Tool("devices", through=through).ok()


@case("nearest", "a mistyped verb is told the nearest one; a word like none is not")
def nearest():
    for word, meant in (("detahc", "detach"), ("attahc", "attach"), ("lst", "list"),
                        ("evikt", "evict"), ("puge", "purge"), ("device", "devices"),
                        ("querry", "query"), ("hlep", "help")):
        Tool(word).misused(f"no such verb: {word}; did you mean '{meant}'")
        Tool("help", word).misused(f"did you mean '{meant}'")
    for word in ("frobnicate", "x", "", "-x", "e" * 5000, "detachdetach"):
        assert "did you mean" not in Tool(word).misused("no such verb").err


@case("closed", "a closed standard stream is a failure where it is needed, and never a pool's file")
def closed():
    with tempfile.TemporaryDirectory() as folder:
        def without(stream, *args):
            return Tool(*args, through=("sh", "-c", f'exec "$@" {stream}&-', "sh"),
                        cwd=folder)
        without(">", "version").fails("cannot write the output")
        without(">", "devices", "--json").fails("cannot write the output")
        assert without("2>", "frobnicate").code == 2
        assert without("<", "version").ok()
        assert not os.listdir(folder)


@case("act-full", "lists that cannot be written are a failure")
def full():
    with open("/dev/full", "wb") as file:
        for args in (("devices",), ("devices", "--json"), ("completion", "bash"), ("help", "evict"),
                     ("complete", "--", "")):
            Tool(*args, stdout=file).fails("cannot write the output")
