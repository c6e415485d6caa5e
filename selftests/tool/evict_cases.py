# SPDX-License-Identifier: GPL-2.0-only
"""query, evict, purge and retire: what goes, what stays, and what is said of it."""
import contextlib
import json
import os
import re

import manual
from guest import Client, Pool, new_memfd
from harness import MIB, Tool, case
from shared import NAME, empty_pool, folder, info, new_file, put


@contextlib.contextmanager
def client_of(name=NAME):
    client = Client(name)
    try:
        yield client
    finally:
        client.close()


def keys_of(told):
    return [row["key"] for row in told["objects"]]


def there(*keys):
    """Which of the keys have an object."""
    rows = json.loads(Tool("query", NAME, "--json", *keys).out)
    return [row["key"] for row in rows if row["state"] == "published"]


@case("query", "Q1 query tells what is there, who holds it and what may go; absent keys exit 1")
def query():
    with empty_pool(), client_of() as client:
        put("a", 4096)
        put("b", 4096)
        client.hold(b"b")
        rows = Tool("query", NAME, "a", "b", "--json").json()
        assert rows == [
            {"key": "a", "state": "published", "size": 4096, "holders": 0, "evictable": True,
             "id": rows[0]["id"]},
            {"key": "b", "state": "published", "size": 4096, "holders": 1, "evictable": False,
             "id": rows[1]["id"]}], rows
        assert set(rows[0]) == set(manual.keys("query"))
        client.stage(b"c", 4096)
        tool = Tool("query", NAME, "a", "c", "none")
        assert tool.code == 1 and "2 of 3 keys absent" in tool.err, tool
        assert re.search(r"^absent +- +- +- +- +c$", tool.out, re.M), tool
        assert re.search(r"^published +4 KiB +0 +yes +0x\w{16} +a$", tool.out, re.M), tool


@case("query-use", "E2 a query is no use, a get is: what was only asked for goes first")
def query_use():
    with empty_pool():
        for key in "abc":
            put(key, 4096)
        Tool("get", NAME, "a").ok()
        Tool("query", NAME, "b").ok()
        assert keys_of(Tool("evict", NAME, "--count", "2", "--json").json()) == ["b", "c"]
        assert there("a", "b", "c") == ["a"]


@case("evict-count", "E1 evict --count takes the least recently used and lists them")
def evict_count():
    with empty_pool():
        for n in range(6):
            put(f"k{n}", 3000)
        told = Tool("evict", NAME, "--count", "2", "--json").json()
        assert keys_of(told) == ["k0", "k1"] and told["met"] and not told["dry_run"], told
        assert told["evicted"] == 2 and told["evicted_bytes"] == 2 * 3008, told
        assert {"key": "k0", "status": "evicted", "size": 3000} in told["objects"]
        assert told["used"] == info()["used"] and told["available"] == info()["available"]
        assert manual.paths(told) <= set(manual.keys("evict")), told
        tool = Tool("evict", NAME, "--count", "1", "--verbose").ok()
        assert re.fullmatch(r"STATUS +SIZE +KEY\nevicted +2.9 KiB +k2\n"
                            r"Evicted 1 object from shared, 2.9 KiB; available now: [^;]+\.\n",
                            tool.out), tool
        assert re.fullmatch(r"Evicted 1 object from [^\n]+\n",
                            Tool("evict", NAME, "--count", "1").ok().out)
        assert there(*(f"k{n}" for n in range(6))) == ["k4", "k5"]


@case("evict-dry", "E1 a dry run tells the very objects that go next, and changes nothing")
def evict_dry():
    with empty_pool():
        for n in range(8):
            put(f"k{n}", MIB)
        before = info()
        for goal in (("--count", "3"), ("--bytes", "3M"), ("--percent", "4.7"), ("--to", "8.1")):
            dry = Tool("evict", NAME, *goal, "--dry-run", "--json").json()
            assert dry["dry_run"] and dry["met"] and keys_of(dry) == ["k0", "k1", "k2"], dry
            assert Tool("evict", NAME, *goal, "--dry-run").ok().out.count("\nevicted") == 3
        for goal in (("--key", "k1"), ("--prefix", "k")):
            assert Tool("evict", NAME, *goal, "--dry-run", "--json").json()["met"]
        assert info() == before
        wet = Tool("evict", NAME, "--count", "3", "--json").json()
        assert keys_of(wet) == keys_of(dry)


@case("evict-many", "E1 of more than 4096 objects all are evicted and listed; a dry run counts all")
def evict_many():
    with empty_pool(), client_of() as client:
        for n in range(5000):
            assert client.put(b"many/%04d" % n, b"x", 4096) == 0
        dry = Tool("evict", NAME, "--to", "0", "--dry-run", "--json").json()
        assert dry["evicted"] == 5000 and len(dry["objects"]) == 4096 and dry["met"], dry
        assert Tool("evict", NAME, "--count", "4500", "--dry-run").ok().out.splitlines()[-2] == \
            "... and 404 more"
        told = Tool("evict", NAME, "--count", "4500", "--json").json()
        assert keys_of(told) == [f"many/{n:04}" for n in range(4500)] and told["met"]
        told = Tool("evict", NAME, "--prefix", "many/", "--json").json()
        assert told["evicted"] == 500 and told["met"] and len(keys_of(told)) == 500, told


@case("evict-goals", "E1 what a goal by size, part or fill asks for is really available then")
def evict_goals():
    with empty_pool(), folder() as at:
        path = new_file(f"{at}/f", b"x" * (16 * MIB))
        for n in range(info()["size"] // MIB):
            put(f"k{n}", MIB)
        Tool("put", NAME, "big", path).fails("no room")
        told = Tool("evict", NAME, "--bytes", "16M", "--json").json()
        assert told["evicted_bytes"] == told["available"] == 16 * MIB, told
        Tool("put", NAME, "big", path).ok()
        size = info()["size"]
        told = Tool("evict", NAME, "--percent", "12.5", "--json").json()
        assert told["available"] >= size // 1000 * 125, told
        told = Tool("evict", NAME, "--to", "50", "--json").json()
        assert size * 0.5 - MIB < told["used"] <= size * 0.5, told
        Tool("evict", NAME, "--to", "100").ok()
        assert info()["used"] == told["used"]


@case("evict-held", "E1 held objects are passed over; an unmet goal exits 1, saying why")
def evict_held():
    with empty_pool(), client_of() as client:
        for n in range(10):
            put(f"k{n}", MIB)
            if n == 2:  # a hold is a use, too: those that come later are younger
                client.hold(b"k0")
                client.hold(b"k2")
        told = Tool("evict", NAME, "--bytes", "2M", "--json").json()
        assert keys_of(told) == ["k1", "k3"] and told["held"] == 2 and told["met"], told
        client.stage(b"w", 2 * MIB)
        tool = Tool("evict", NAME, "--to", "0")
        assert tool.code == 1 and tool.out.startswith("Evicted 6 objects"), tool
        for words in ("the goal is not met", "4 MiB of", "2 objects held", "2 MiB being written",
                      f"maru-l1ctl objects {NAME} --held", f"maru-l1ctl clients {NAME}"):
            assert words in tool.err, tool
        assert there("k0", "k2") == ["k0", "k2"]
        for goal, words in (("--count=1", "0 of 1 objects"), ("--bytes=1G", "0 B of 1 GiB"),
                            ("--percent=100", "0 B of")):
            tool = Tool("evict", NAME, goal, "--json")
            assert tool.code == 1 and words in tool.err and '"met": false' in tool.out, tool
    with empty_pool():
        tool = Tool("evict", NAME, "--bytes", "1M")
        assert tool.code == 1 and "there is no more to evict" in tool.err, tool


@case("evict-room", "E1 --page-size makes room for pages of a size among others, beside held ones")
def evict_room():
    with empty_pool(), folder() as at, client_of() as client:
        path = new_file(f"{at}/f", b"x" * (10 * MIB))
        count = info()["size"] // MIB
        for n in range(count):
            put(f"k{n}", MIB)
        for n in range(0, count // 2, 8):
            client.hold(b"k%d" % n)
        told = Tool("evict", NAME, "--bytes", "20M", "--page-size", "10M", "--json").json()
        assert told["met"] and told["evicted"] < count - 4, told
        for key in ("x", "y"):
            Tool("put", NAME, key, path).ok()
        for n in range(0, count // 2, 8):
            assert there(f"k{n}"), n
        tool = Tool("evict", NAME, "--bytes", "60M", "--page-size", "10M")
        assert tool.code == 1 and "no room for 60 MiB in pages of 10 MiB" in tool.err, tool
        assert "held, or beside" in tool.err, tool
        Tool("evict", NAME, "--bytes", "1M", "--page-size", "1T").fails("longer than the pool")


@case("evict-key", "D1 D2 D4 evict --key tells of each key whether it went, is held or absent")
def evict_key():
    with empty_pool(), client_of() as client:
        for key in ("a", "b", "c"):
            put(key, 5000)
        client.hold(b"b")
        args = ("evict", NAME, "--key", "a", "--key", "b", "--key", "none", "--key", "a")
        for dry in (("--dry-run",), ()):
            tool = Tool(*args, *dry, "--json")
            told = json.loads(tool.out)
            assert tool.code == 1 and not told["met"], tool
            assert "1 key without an object" in tool.err and "1 object held" in tool.err, tool
            assert (told["evicted"], told["held"], told["absent"]) == (1, 1, 1), told
            assert told["objects"] == [
                {"key": "a", "status": "evicted", "size": 5000},
                {"key": "b", "status": "held", "size": 5000},
                {"key": "none", "status": "absent"}], told
        assert there("a", "b", "c") == ["b", "c"]
        Tool("evict", NAME, "--key", "c").ok()


@case("evict-prefix", "evict --prefix takes what begins so, byte for byte, and what nobody holds")
def evict_prefix():
    with empty_pool(), client_of() as client:
        for key in (b"m/1", b"m/2", b"m\\1", b"M/1", b"m", b"hex:00", b"\xff\0"):
            assert client.put(key, b"x") == 0
        told = Tool("evict", NAME, "--prefix", "m/", "--json").json()
        assert sorted(keys_of(told)) == ["m/1", "m/2"] and told["met"], told
        assert told["evicted_bytes"] == 2 and told["objects"][0]["size"] == 1, told
        assert keys_of(Tool("evict", NAME, "--prefix", "hex:ff", "--json").json()) == \
            ["\\xff\\x00"]
        assert keys_of(Tool("evict", NAME, "--prefix", "\\x68ex:", "--json").json()) == \
            ["\\x68ex:00"]
        client.hold(b"m")
        tool = Tool("evict", NAME, "--prefix", "m")
        assert tool.code == 1 and "1 object held and kept" in tool.err, tool
        assert there("m", "m\\\\1", "M/1") == ["m", "M/1"]
        assert Tool("evict", NAME, "--prefix", "none").ok().out.startswith("Evicted 0 objects")


@case("purge", "L2 purge deletes all that nobody holds, and says how many were held")
def purge():
    with empty_pool(), client_of() as client:
        for key in "abc":
            put(key, 5000)
        client.hold(b"b")
        assert Tool("purge", NAME, "--json").json() == {"name": NAME, "deleted": 2, "held": 1}
        told = Tool("purge", NAME).ok().out
        assert told == f"Purged {NAME}: 0 objects deleted, 1 held and kept.\n", told
        assert set(manual.keys("purge")) == {"name", "deleted", "held"}
        assert there("b") == ["b"]


@case("not-root", "who is not root changes nothing, and is told why; a dry run and query may")
def not_root():
    with empty_pool(), folder() as at:
        put("k", 5000)
        path = new_file(f"{at}/f", b"x")
        os.chmod(f"/dev/maru_l1/{NAME}", 0o644)
        for args in (("purge", NAME), ("evict", NAME, "--count", "1"), ("retire", NAME, "0"),
                     ("put", NAME, "l", "/proc/version"), ("evict", NAME, "--key", "k")):
            Tool(*args, user="nobody").fails("root")
        Tool("evict", NAME, "--prefix", "k", "--dry-run", user="nobody").fails("root")
        assert Tool("evict", NAME, "--count", "1", "--dry-run", user="nobody").ok()
        assert Tool("query", NAME, "k", user="nobody").ok()
        assert Tool("get", NAME, "k", user="nobody").ok()
        Tool("get", NAME, "k", f"{path}.copy", user="nobody").fails("Permission denied")
        assert there("k") == ["k"] and info()["retired"] == 0


@case("retire", "M1 retire gives up an object and its page, a free block, and nothing twice")
def retire():
    memfd = new_memfd()
    with Pool("bad", memfd.path, "--quarantine-ms", "100"), folder() as at:
        path = new_file(f"{at}/f", b"x" * MIB)
        stored = Tool("put", "bad", "k", path, "--json").json()
        told = Tool("retire", "bad", hex(stored["offset"] + 4095), "--json").json()
        assert told == {"name": "bad", "offset": stored["offset"] + 4095, "retired": MIB,
                        "id": stored["id"], "key": "k"}, told
        assert set(manual.keys("retire")) == set(told)
        Tool("get", "bad", "k").fails("no object of the key k")
        assert "given up already" in Tool("retire", "bad", str(stored["offset"])).ok().out
        free = Tool("retire", "bad", "32M").ok().out
        assert free == "Retired 2 MiB at offset 33554432 of bad for good; no object was there.\n"
        size = Tool("info", "bad", "--json").json()["size"]
        Tool("retire", "bad", str(size)).fails(f"{size} bytes", "no offset")
        Tool("retire", "bad", "0xffffffffffffffff").fails("no offset")
        assert Tool("info", "bad", "--json").json()["retired"] == 3 * MIB
        # The key and other memory are as good as ever.
        again = Tool("put", "bad", "k", path, "--json").json()
        assert again["offset"] != stored["offset"]
        Tool("check", "bad").ok()
    memfd.close()


@case("no-pool", "a pool that is not there is told by every verb that acts")
def no_pool():
    for args in (("put", "nowhere", "k", "/proc/version"), ("get", "nowhere", "k"),
                 ("query", "nowhere", "k"), ("evict", "nowhere", "--count", "1"),
                 ("evict", "nowhere", "--prefix", "k", "--dry-run"), ("purge", "nowhere"),
                 ("retire", "nowhere", "0")):
        Tool(*args).fails("no pool of the name nowhere", "maru-l1ctl list")
