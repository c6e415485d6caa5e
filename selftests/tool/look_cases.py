# SPDX-License-Identifier: GPL-2.0-only
"""objects, show, clients, holds, layouts, segments: what a pool has and who uses it."""
import json
import os
import re
import subprocess
import sys
import time

from guest import Pool, new_memfd
from harness import MIB, TOP, Tool, case
from shared import NAME, empty_pool, info, put

sys.path.append(os.path.join(TOP, "selftests/netlink"))
# pylint: disable=wrong-import-position
from pools import Client as Raw  # noqa: E402

MANY = 100000


def listed(*options, pool=NAME):
    return Tool("objects", pool, "--json", *options).json()


def keys(*options, pool=NAME):
    return [row["key"] for row in listed(*options, pool=pool)]


@case("objects", "objects lists each with its size, holders and id; a table for people")
def objects():
    with empty_pool(), Raw(NAME) as client:
        client.layout(4096)
        client.put([b"a", b"b"], 100, b"0123456789abcdef")
        client.hold([b"b"])
        rows = {row["key"]: row for row in listed()}
        assert set(rows) == {"a", "b"}
        assert rows["b"]["holders"] == 1 and rows["a"]["holders"] == 0
        assert rows["a"]["size"] == 100 and rows["a"]["stride"] >= 100
        assert rows["a"]["cookie"] == b"0123456789abcdef".hex()
        table = Tool("objects", NAME).ok().out.splitlines()
        assert table[0].split() == ["SIZE", "HOLDERS", "UNUSED", "FOR", "LAYOUT", "ID", "KEY"]
        assert len(table) == 3 and any(re.search(r"^ +100 B +1 .* b$", line) for line in table)


@case("objects-none", "an empty pool is an empty list, not a failure")
def objects_none():
    with empty_pool():
        assert not listed()
        assert Tool("objects", NAME).ok().out.count("\n") == 1


@case("objects-filters", "prefix, held, age and limit choose; the kernel filters")
def objects_filters():
    with empty_pool(), Raw(NAME) as client:
        client.layout(64)
        client.put([b"m/%d" % i for i in range(50)] + [b"n/%d" % i for i in range(50)], 8)
        client.hold([b"m/7", b"n/7"])
        assert len(keys("--prefix", "m/")) == 50
        assert sorted(keys("--held")) == ["m/7", "n/7"]
        assert keys("--held", "--prefix", "n") == ["n/7"]
        assert not keys("--older-than", "1h")
        time.sleep(0.3)
        client.batch("hold", [b"m/1"], "IIIIQQQ16s", (1, 0, 0, 0, 0, 0, 0, bytes(16)))
        assert len(keys("--older-than", "200ms")) == 99
        assert len(keys("--limit", "7")) == 7


@case("objects-sort", "by use, size and age; a limit takes from the front")
def objects_sort():
    with empty_pool(), Raw(NAME) as client:
        client.layout(4096)
        for i, size in enumerate((300, 100, 200)):
            client.put([b"%d" % i], size)
            time.sleep(0.05)
        client.release([b"0"]) if client.hold([b"0"]) else None
        assert keys("--sort", "size") == ["0", "2", "1"]
        assert keys("--sort", "age") == ["0", "1", "2"]
        assert keys("--sort", "lru") == ["1", "2", "0"]
        assert keys("--sort", "lru", "--limit", "1") == ["1"]
        client.put([b"x%d" % i for i in range(500)], 10)
        assert keys("--sort", "size", "--limit", "3") == ["0", "2", "1"]


@case("objects-bytes", "a key of any bytes is listed so that show and query take it")
def objects_bytes():
    odd = [bytes(range(1, 256)), b"\0", b"\\x41", b"hex:41", b" ", b"\n\t\x7f\xff", b"-j",
           "ключ".encode(), b"k" * 1024]
    with empty_pool(), Raw(NAME) as client:
        client.layout(64)
        client.put(odd, 8)
        shown = keys()
        assert len(set(shown)) == len(odd)
        for key in shown:
            assert key.isascii() and key.isprintable()
            args = ("--", NAME, key)
            assert Tool("show", "--json", *args).json()["key"] == key
            assert Tool("query", *args).code == 0
        assert Tool("show", NAME, "hex:00", "--json").json()["key"] == "\\x00"


@case("objects-many", "100,000 objects: complete, once each, one JSON; sorted as well")
def objects_many():
    memfd = new_memfd(64 * MIB)
    with Pool("many", memfd.path, "--max-objects", str(MANY + 10)), Raw("many") as client:
        client.layout(64)
        client.put([b"object/%d" % i for i in range(MANY)], 8)
        for options in ((), ("--sort", "age")):
            out = subprocess.run([Tool.path, "objects", "many", "--json", *options], check=True,
                                 stdout=subprocess.PIPE).stdout
            found = [row["key"] for row in json.loads(out)]
            assert len(found) == MANY and len(set(found)) == MANY
        assert len(keys("--prefix", "object/9999", pool="many")) == 11
        table = subprocess.run([Tool.path, "objects", "many"], check=True,
                               stdout=subprocess.PIPE).stdout
        assert table.count(b"\n") == MANY + 1
    memfd.close()


@case("objects-gone", "a pool that goes while it is listed: a clear message, JSON that ends")
def objects_gone():
    memfd = new_memfd(16 * MIB)
    with Pool("gone", memfd.path):
        with Raw("gone") as client:
            client.layout(64)
            client.put([b"%d" % i * 100 for i in range(5000)], 8)
        # Without a buffer, which communicate() would pass over.
        with subprocess.Popen([Tool.path, "objects", "gone", "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, bufsize=0) as listing:
            head = listing.stdout.read(100)
            Tool("detach", "gone").ok()
            out, err = listing.communicate()
        assert listing.returncode == 1 and b"has been detached" in err, err
        assert json.loads(head + out)
    memfd.close()


@case("show", "show tells all of one object, and each holder with its process and lease")
def show():
    with empty_pool(), Raw(NAME) as client, Raw(NAME, writable=False) as other:
        client.layout(4096)
        client.put([b"key", b"key2"], 100)
        client.hold([b"key"], 3)
        other.hold([b"key"], 1)
        shown = Tool("show", NAME, "key", "--json").json()
        assert shown["holders"] == 2 and shown["size"] == 100
        assert sorted(one["count"] for one in shown["clients"]) == [1, 3]
        assert {one["pid"] for one in shown["clients"]} == {os.getpid()}
        assert not Tool("show", NAME, "key2", "--json").json()["clients"]
        Tool("show", NAME, "ke").fails("no object of the key ke")
        text = Tool("show", NAME, "key").ok().out
        assert re.search(r"^size +100 B$", text, re.M) and "COMMAND" in text


@case("clients", "clients tells the processes and what each has; holds what each holds")
def clients():
    with empty_pool(), Raw(NAME) as client, Raw(NAME, writable=False) as reader:
        client.layout(4096)
        client.put([b"a", b"b"], 10)
        client.reserve([b"c"], 10)
        reader.hold([b"a", b"b"], 2)
        rows = Tool("clients", NAME, "--json").json()
        mine = sorted((row for row in rows if row["pid"] == os.getpid()),
                      key=lambda row: row["id"])
        assert [row["writable"] for row in mine] == [True, False]
        assert (mine[0]["staged"], mine[0]["held"]) == (1, 0)
        assert (mine[1]["held"], mine[1]["holds"]) == (2, 4)
        who = str(mine[1]["id"])
        held = Tool("holds", NAME, "--client", who, "--json").json()
        assert sorted((hold["key"], hold["count"]) for hold in held) == [("a", 2), ("b", 2)]
        assert {hold["pid"] for hold in held} == {os.getpid()}
        assert len(Tool("holds", NAME, "--json").json()) == 2
        Tool("holds", NAME, "--client", "99999999").fails("no such client")


@case("space", "layouts and segments tell how the space is used, without a gap")
def space():
    with empty_pool(), Raw(NAME) as client:
        stride = client.layout(100000)
        client.put([b"a"], 10)
        layouts = Tool("layouts", NAME, "--json").json()
        assert any(one["stride"] == stride and one["pages"] - one["free"] == 1
                   for one in layouts)
        segments = Tool("segments", NAME, "--json").json()
        assert [one["index"] for one in segments] == list(range(len(segments)))
        assert sum(one["bytes"] for one in segments) == info()["size"]
        assert any(one["owner"] == 1 for one in segments)
        assert "free" in Tool("segments", NAME).ok().out


@case("unprivileged", "keys and processes are root's; the tool says so")
def unprivileged():
    with empty_pool():
        put("a", 100)
        for verb in (("objects", NAME), ("show", NAME, "a"), ("clients", NAME), ("holds", NAME)):
            Tool(*verb, through=("setpriv", "--reuid", "65534", "--clear-groups")).fails("root")
        for verb in (("layouts", NAME), ("segments", NAME), ("stats", NAME)):
            Tool(*verb, through=("setpriv", "--reuid", "65534", "--clear-groups")).ok()


@case("absent", "an unknown pool is told by each verb")
def absent():
    for verb in (("objects", "none"), ("show", "none", "k"), ("clients", "none"),
                 ("holds", "none"), ("layouts", "none"), ("segments", "none"),
                 ("stats", "none"), ("stats", "none", "--watch", "1"), ("top", "none")):
        Tool(*verb).fails("no pool of the name none")
