# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of pools in the guest: beside what the ioctls say, and while things change."""
import concurrent.futures
import contextlib
import ctypes
import os
import subprocess
import threading
import time

import exposition
import shared
from exporter import exporter
from guest import Client, Pool, new_memfd, prepare
from harness import MIB, Tool, case
from shared import NAME, empty_pool, info, put

STATS = ("bytes_stored bytes_served lost_races evicted purged expired_holds expired_writes "
         "quarantined clients").split()


def once(*args, **kwargs):
    return exposition.parse(Tool("metrics", *args, **kwargs).ok().out)


def ioctl_stats(client):
    """The numbers of struct maru_l1_stats behind its list."""
    arg = (ctypes.c_uint64 * (3 + len(STATS)))()
    client.must(client.lib.marul1_stats(client.client, arg))
    return dict(zip(STATS, arg[3:]))


def value(metrics, name, **labels):
    return exposition.values(metrics, "maru_l1_" + name, pool=NAME, **labels)


@contextlib.contextmanager
def client_of(name):
    client = Client(name)
    try:
        yield client
    finally:
        client.close()


@case("metrics-ioctl", "U1 the numbers are those that USAGE, STATS and INFO tell")
def as_ioctls():
    with empty_pool(), client_of(NAME) as client:
        put("a", 4096)
        put("b", 5000)
        client.hold(b"a")
        client.stage(b"w", 100000)
        got, stats, told = once(NAME), ioctl_stats(client), info()
        for state in ("staged", "private", "published", "zombie", "quarantined"):
            assert value(got, "pool_used_bytes", state=state) == client.usage(state), state
        assert value(got, "pool_used_bytes", state="published") >= 9096
        assert value(got, "pool_used_bytes", state="staged") >= 100000
        assert value(got, "pool_size_bytes") == client.usage("total")
        assert value(got, "pool_available_bytes") == client.usage("available")
        for name, key in (("stored_bytes", "bytes_stored"), ("served_bytes", "bytes_served"),
                          ("lost_races", "lost_races"), ("expired_holds", "expired_holds"),
                          ("expired_writes", "expired_writes"),
                          ("quarantined_extents", "quarantined")):
            assert value(got, name + "_total") == stats[key], name
        evicted = sum(value(got, "removed_objects_total", cause="evict_" + goal)
                      for goal in ("bytes", "layout", "target", "count"))
        assert evicted == stats["evicted"]
        assert value(got, "removed_objects_total", cause="purged") == stats["purged"]
        assert value(got, "clients") == stats["clients"] == 1
        assert value(got, "held_objects") == 1 and value(got, "holds") == 1
        for name, key in (("objects", "objects"), ("extents", "extents"),
                          ("max_extents", "max_objects"), ("pool_layouts", "layouts"),
                          ("pool_rounding_bytes", "rounding"), ("orphan_pins", "orphan_pins")):
            assert value(got, name) == told[key], name
        assert value(got, "pool_fenced") == 0
        assert value(got, "pool_backing_bytes", backing="0") == told["size"]
        assert value(got, "pool_info", uuid=told["uuid"], node=str(told["node"])) == 1
        segments = got["maru_l1_pool_segments"].series
        assert sum(segments.values()) == told["segments"], segments
        assert sum(got["maru_l1_pool_segments_bytes"].series.values()) == told["size"]


@case("metrics-deltas", "U1 each thing that is done is counted once, under its cause or reason")
def deltas():
    with empty_pool(), client_of(NAME) as client:
        before = once(NAME)
        for key in "abcdef":
            put(key, 4096)
        Tool("evict", NAME, "--count", "1").ok()
        Tool("evict", NAME, "--bytes", "1").ok()
        Tool("evict", NAME, "--key", "c").ok()
        client.hold(b"e")
        Tool("purge", NAME).ok()
        assert client.put(b"big", b"x", page=info()["size"]) == -28
        after = once(NAME)

        def grown(name, **labels):
            return value(after, name, **labels) - value(before, name, **labels)

        causes = {"evict_count": 1, "evict_bytes": 1, "deleted": 1, "purged": 2,
                  "evict_layout": 0, "evict_target": 0, "retired": 0, "private": 0}
        for cause, number in causes.items():
            assert grown("removed_objects_total", cause=cause) == number, cause
            assert grown("removed_bytes_total", cause=cause) == 4096 * number, cause
        assert grown("stored_bytes_total") == 6 * 4096
        assert grown("served_bytes_total") == 4096
        assert grown("refused_items_total", reason="space") == 1
        assert grown("refused_items_total", reason="objects") == 0
        assert grown("held_objects") == 1


@case("metrics-retired", "M1 an object whose memory went bad is counted, and its bytes stay used")
def retired():
    memfd = new_memfd()
    with Pool("m", memfd.path, "--quarantine-ms", "100"):
        memfd.close()
        Tool("put", "m", "a", "-", input=b"x" * 4096).ok()
        offset = Tool("show", "m", "a", "--json").json()["offset"]
        Tool("retire", "m", str(offset)).ok()
        got = once("m")
        assert exposition.values(got, "maru_l1_removed_objects_total", cause="retired") == 1
        assert exposition.values(got, "maru_l1_pool_used_bytes", state="retired") == 4096


@case("metrics-latency", "a histogram counts each call of its kind, and those that failed")
def latency():
    def calls(got, op):
        return {part: number for (part, labels), number
                in got["maru_l1_call_duration_seconds"].series.items()
                if ("op", op) in labels and part != "_bucket"}

    with empty_pool(), client_of(NAME) as client:
        client.usage("used")
        before = once(NAME)
        for _ in range(7):
            client.usage("used")
        after = once(NAME)
        was, now = calls(before, "usage"), calls(after, "usage")
        assert now["_count"] - was["_count"] == 7 and now["_sum"] > was["_sum"], (was, now)
        assert value(after, "call_errors_total", op="usage") == 0


@case("metrics-nobody", "a user without any right sees the same, but no key and no process")
def nobody():
    with empty_pool(), client_of(NAME) as client:
        put("secret-key", 4096)
        client.hold(b"secret-key")
        text = Tool("metrics", user="nobody").ok().out
        got = exposition.parse(text)
        assert value(got, "held_objects") == 1 and "secret" not in text
        labels = {pair for metric in got.values() for _, pairs in metric.series for pair in pairs}
        assert str(os.getpid()) not in {text for name, text in labels if name != "le"}, labels


@case("metrics-label", "any bytes of a label make text that can be read")
def label():
    memfd = new_memfd()
    Tool("format", memfd.path, "--force", "--label", 'a"\\\n{}é').ok()
    with Pool("m", memfd.path, "--quarantine-ms", "100"):
        memfd.close()
        (_, labels), = once("m")["maru_l1_pool_info"].series
        assert dict(labels)["label"] == 'a"\\x5c\\x0a{}\\xc3\\xa9', labels


@case("metrics-pools", "all pools without a name, one by its name, and a name that is none")
def pools():
    memfd = new_memfd()
    with empty_pool(), Pool("m", memfd.path, "--quarantine-ms", "100"):
        memfd.close()

        def names(*args):
            return {dict(labels)["pool"] for _, labels in once(*args)["maru_l1_clients"].series}

        assert names() == {NAME, "m"} and names("m") == {"m"}
        Tool("metrics", "none").fails("no pool of the name none")
    with exporter("m") as it:
        got = it.scrape()
        assert exposition.values(got, "maru_l1_up") == 1 and len(got) == 2, list(got)


@case("metrics-busy", "scrapes at the same time as stores are each whole, and counters only grow")
def busy():
    with empty_pool(), exporter(NAME) as it:
        done = threading.Event()

        def store():
            with client_of(NAME) as client:
                for n in range(1 << 20):
                    if done.is_set():
                        return n
                    client.put(b"key%d" % (n % 64), b"x" * 1000)
                    client.get(b"key%d" % (n % 64))
            return 0

        def scrape(_):
            last = {}
            for _ in range(5):
                got = it.scrape()
                for name, metric in got.items():
                    for key, number in metric.series.items():
                        if metric.type != "gauge":
                            assert number >= last.get((name, key), 0), (name, key)
                            last[name, key] = number
                assert value(got, "pool_used_bytes", state="retired") == 0

        with concurrent.futures.ThreadPoolExecutor(5) as others:
            storing = others.submit(store)
            try:
                list(others.map(scrape, range(4)))
            finally:
                done.set()
            assert storing.result() > 0


@case("metrics-detach", "pools that come and go while they are scraped are there wholly or not")
def detached():
    with empty_pool(), exporter() as it:
        whole = {name for name, metric in it.scrape().items() if metric.type == "gauge"}
        done = threading.Event()

        def come_and_go():
            try:
                for _ in range(4):
                    memfd = new_memfd()
                    with Pool("m", memfd.path, "--quarantine-ms", "100"):
                        memfd.close()
                        with client_of("m") as client:
                            client.put(b"a", b"x")
            finally:
                done.set()

        with concurrent.futures.ThreadPoolExecutor(1) as other:
            going, seen = other.submit(come_and_go), set()
            while not done.is_set():
                got = it.scrape()
                assert exposition.values(got, "maru_l1_up") == 1
                there = {dict(labels)["pool"] for _, labels in got["maru_l1_clients"].series}
                seen |= there
                for name in whole - {"maru_l1_up", "maru_l1_build_info"}:
                    have = {dict(labels)["pool"] for _, labels in got[name].series}
                    assert have == there, (name, have, there)
                assert NAME in there
            going.result()
        assert seen == {NAME, "m"}, seen


@case("metrics-rmmod", "a scrape without the module says that it is down; one afterwards, up")
def unloaded():
    shared.end()
    with exporter() as it:
        assert exposition.values(it.scrape(), "maru_l1_up") == 1
        for _ in range(50):
            if not subprocess.run(["rmmod", "maru_l1"], check=False,
                                  stderr=subprocess.DEVNULL).returncode:
                break
            time.sleep(0.1)		# a pool that was detached by force lingers
        got = it.scrape()
        assert exposition.values(got, "maru_l1_up") == 0 and len(got) == 2, list(got)
        Tool("metrics").fails("modprobe maru_l1")
        prepare()
        with empty_pool():
            put("a", 4096)
            assert value(it.scrape(), "objects") == 1
