# SPDX-License-Identifier: GPL-2.0-only
"""Every op, its values beside those of the ioctls and of the tool."""
import errno
import fcntl
import os
import struct
import time

from genl import Socket, encode, refused
from harness import MIB, Tool, case
from pools import Client, pool

KIB = 1 << 10
LAST = 0x34	# number of the last call of a pool: CHECK


@case("pool-get", "tells what INFO and USAGE tell")
def pool_get():
    with pool("nla", 16 * MIB, "--max-client-bytes", "8M"), Socket() as nl, Client("nla") as client:
        client.layout(MIB)
        client.put([b"a", b"b"], MIB)
        client.reserve([b"c"], MIB)
        info = Tool("info", "nla", "--json").json()
        got = nl.do("pool-get", encode("pool", name="nla"))
        usage, counted = got["usage"], client.usage()
        assert usage == {name: counted[name] for name in usage}, (usage, counted)
        assert len(usage) == 14 and usage["published"] == 2 * MIB and usage["staged"] == MIB
        assert got["name"] == "nla" and got["capacity"] == counted["total"]
        assert got["max-objects"] == counted["max-objects"]
        assert got["max-client-bytes"] == 8 * MIB and got["quarantine-ms"] == 100
        assert got["uuid"].hex() == info["uuid"].replace("-", ""), info
        assert got["clients"] == 1 and got["layouts"] == 1 and got["generation"] == 2
        assert got["backings"] == 1 and got["node"] == 1 and got["map-align"] == 2 * MIB
        assert struct.unpack("Q", got["backing-bytes"]) == (got["capacity"],)
        assert got["segments"] * got["segment-size"] >= got["capacity"]
        for name, value in info.items():
            if name.replace("_", "-") in got and isinstance(value, int):
                assert got[name.replace("_", "-")] == value, (name, value)
        assert nl.dump("pool-get") == [got]


@case("pool-dump", "lists each pool once, in the order of attaching")
def pool_dump():
    with pool("nlb"), pool("nla"), Socket() as nl:
        assert [p["name"] for p in nl.dump("pool-get")] == ["nlb", "nla"]
        assert not nl.interrupted
    with Socket() as nl:
        assert not nl.dump("pool-get")


@case("stats-get", "counts answers, bytes and latencies of calls")
def stats_get():
    with pool("nla"), Socket() as nl, Client("nla") as client:
        client.layout(KIB)
        client.put([b"a", b"b"], 1000)
        client.hold([b"a"])
        refused(errno.EINVAL, broken_call, client)
        got = nl.do("stats-get", encode("stats", pool="nla"))
        assert got["pool"] == "nla" and got["bytes-stored"] == 2000
        assert got["bytes-served"] == 1000 and got["evicted"] == 0
        count = {(c["op"], c["status"]): c["count"] for c in got["counter"]}
        assert count == {(0x23, 0): 2, (0x24, 0): 2, (0x26, 0): 1}, count
        latency = {one["op"]: one for one in got["latency"]}
        assert set(latency) == {0x22, 0x23, 0x24, 0x26, 0x30}, latency
        for op, calls, errors in ((0x22, 1, 0), (0x23, 1, 0), (0x24, 1, 0), (0x30, 1, 1)):
            one = latency[op]
            buckets = struct.unpack("40Q", one["histogram"])
            assert (one["calls"], one["errors"], sum(buckets)) == (calls, errors, calls), one
            least = sum(n << i for i, n in enumerate(buckets) if i)
            assert least <= one["total-ns"] < 2 * least + 2, one


@case("stats-calls", "each call of a pool is timed, also one that fails; unknown numbers are not")
def stats_calls():
    with pool("nla"), Socket() as nl, Client("nla") as client:
        for number in range(0x1f, 0x40):
            try:
                fcntl.ioctl(client.fd, 0xBC00 | number, bytearray(256))
            except OSError as error:
                assert error.errno == (errno.EINVAL if 0x20 <= number <= LAST else errno.ENOTTY)
            else:
                raise AssertionError(f"an argument without a size was taken by {number:#x}")
        latency = nl.do("stats-get", encode("stats", pool="nla"))["latency"]
        assert [one["op"] for one in latency] == list(range(0x20, LAST + 1)), latency
        assert all((one["calls"], one["errors"]) == (1, 1) for one in latency), latency


@case("stats-reasons", "U1 tells why objects went and stores failed, and what is held")
def stats_reasons():
    with pool("nla"), Socket() as nl, Client("nla") as client:
        client.layout(KIB)
        client.put([b"a", b"b", b"c", b"d"], 1000)
        client.delete([b"a"])
        client.evict(1)
        client.hold([b"c"], 3)
        got = nl.do("stats-get", encode("stats", pool="nla"))
        assert [one["cause"] for one in got["removal"]] == list(range(8)), got["removal"]
        assert [one["objects"] for one in got["removal"]] == [1, 0, 0, 0, 1, 0, 0, 0], got
        assert all(one["bytes"] == KIB * one["objects"] for one in got["removal"]), got
        assert [one["reason"] for one in got["refusal"]] == list(range(5)), got["refusal"]
        assert not any(one["items"] for one in got["refusal"]), got
        assert (got["held"], got["holds"], got["events-lost"]) == (1, 3, 0), got
        assert (got["quarantined-bytes"], got["unquarantined"]) == (0, 0), got
        with Client("nla") as other:
            other.layout(KIB)
            other.reserve([b"w"], 1000)
        got = nl.do("stats-get", encode("stats", pool="nla"))
        assert (got["quarantined"], got["quarantined-bytes"]) == (1, KIB), got
        for _ in range(100):
            got = nl.do("stats-get", encode("stats", pool="nla"))
            if got["unquarantined"]:
                break
            time.sleep(0.1)
        assert (got["unquarantined"], got["unquarantined-bytes"]) == (1, KIB), got


def broken_call(client):
    """USAGE with a flag that is none, as a Refused would be."""
    from genl import Refused  # pylint: disable=import-outside-toplevel
    try:
        client.call("usage", bytearray(struct.pack("=II", 192, 1) + bytes(184)))
    except OSError as error:
        raise Refused(error.errno, "", None, None) from error


@case("layout-get", "tells each layout's pages")
def layout_get():
    with pool("nla"), Socket() as nl, Client("nla") as client:
        assert not nl.dump("layout-get", encode("layout", pool="nla"))
        strides = [client.layout(MIB), client.layout(100, 32)]
        client.put([b"a", b"b"], 100)
        got = nl.dump("layout-get", encode("layout", pool="nla"))
        assert [(e["pool"], e["id"], e["bytes"], e["alignment"], e["stride"]) for e in got] == [
            ("nla", 0, MIB, 0, strides[0]), ("nla", 1, 100, 32, strides[1])], got
        assert [e["pages"] - e["free"] for e in got] == [0, 2], got


@case("segment-get", "covers the pool without a gap")
def segment_get():
    with pool("nla", 34 * MIB), Socket() as nl, Client("nla") as client:
        client.layout(3 * MIB)
        client.put([b"a"], 3 * MIB)
        got = nl.dump("segment-get", encode("segment", pool="nla"))
        info = nl.do("pool-get", encode("pool", name="nla"))
        end = 0
        for index, one in enumerate(got):
            assert one["index"] == index and one["offset"] == end and one["pool"] == "nla"
            end += one["bytes"]
        assert end == info["capacity"] and len(got) == info["segments"]
        assert sum(one["used"] for one in got) >= 3 * MIB
        assert all(one["owner"] == 1 for one in got if one["used"]), got


@case("object-get", "tells what was stored")
def object_get():
    cookie = bytes(range(16))
    with pool("nla"), Socket() as nl, Client("nla") as client:
        stride = client.layout(MIB)
        ids = client.put([b"\0key\xff", b"k" * 1024], 777, cookie)
        held = client.hold([b"\0key\xff"])[0]
        got = {e["key"]: e for e in nl.dump("object-get", encode("object", pool="nla"))}
        assert set(got) == {b"\0key\xff", b"k" * 1024}
        one = got[b"\0key\xff"]
        assert one["id"] == ids[0] == held[6] and one["offset"] == held[4]
        assert one["length"] == 777 and one["stride"] == stride and one["cookie"] == cookie
        assert one["holders"] == 1 and one["layout"] == client.layout_id
        assert got[b"k" * 1024]["holders"] == 0
        assert not nl.interrupted


@case("object-filters", "prefix, held and min-idle-ms are looked at in the kernel")
def object_filters():
    with pool("nla"), Socket() as nl, Client("nla") as client:
        client.layout(64)
        client.put([b"a/%d" % i for i in range(300)] + [b"b/%d" % i for i in range(300)])
        client.hold([b"a/7", b"b/8"])

        def keys(**values):
            return {e["key"] for e in nl.dump("object-get", encode("object", pool="nla", **values))}

        assert len(keys()) == 600
        assert keys(prefix=b"a/29") == {b"a/29"} | {b"a/29%d" % i for i in range(10)}
        assert keys(held=True) == {b"a/7", b"b/8"}
        assert keys(held=True, prefix=b"b") == {b"b/8"}
        assert not keys(prefix=b"c") and not keys(prefix=b"a" * 1024)
        assert len(keys(prefix=b"")) == 600
        time.sleep(1.5)
        client.put([b"new"])
        assert b"new" not in keys(min_idle_ms=1000) and b"a/1" in keys(min_idle_ms=1000)
        assert not keys(min_idle_ms=2**64 - 1)


@case("client-get", "tells each open file and what it has")
def client_get():
    with pool("nla"), Socket() as nl, Client("nla") as first, Client("nla", False) as second:
        first.layout(KIB)
        first.put([b"a", b"b", b"c"], KIB)
        first.reserve([b"w"], KIB)
        second.hold([b"a", b"b"], 3)
        got = nl.dump("client-get", encode("client", pool="nla"))
        assert len(got) == 2 and got[0]["id"] < got[1]["id"]
        with open("/proc/self/comm", encoding="ascii") as file:
            comm = file.read().strip()
        for one, client in zip(got, (first, second)):
            assert one["pid"] == os.getpid() and one["comm"] == comm
            usage = client.usage()
            for name in ("staged", "staged-bytes", "private", "held", "holds", "unacked"):
                assert one[name] == usage["my-" + name], (name, one, usage)
        assert got[0].get("writable") and "writable" not in got[1]
        assert got[0]["staged"] == 1 and got[1]["held"] == 2 and got[1]["holds"] == 6


@case("hold-get", "tells what a client holds, with what is left of its lease")
def hold_get():
    with pool("nla"), Socket() as nl, Client("nla") as client:
        client.layout(KIB)
        ids = client.put([b"a", b"b"], 500)
        client.hold([b"a"], 5)
        who = nl.dump("client-get", encode("client", pool="nla"))[0]["id"]
        request = encode("hold", pool="nla", client=who)
        got, = nl.dump("hold-get", request)
        assert got == {"pool": "nla", "client": who, "object": ids[0], "key": b"a",
                       "length": 500, "count": 5, "lost": 0}, got
        with Client("nla") as leased:
            leased.call("setup", bytearray(struct.pack("IIII", 16, 0, 5000, 1000)))
            leased.hold([b"b"])
            who = nl.dump("client-get", encode("client", pool="nla"))[1]["id"]
            got, = nl.dump("hold-get", encode("hold", pool="nla", client=who))
            assert got["key"] == b"b" and 0 < got["left-ms"] <= 5000, got
        refused(errno.ENOENT, nl.dump, "hold-get", encode("hold", pool="nla", client=who))
