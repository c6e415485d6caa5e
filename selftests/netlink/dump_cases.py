# SPDX-License-Identifier: GPL-2.0-only
"""Long dumps, dumps of what changes meanwhile, dumps whose pool goes."""
import errno
import mmap
import os
import signal
import struct
import time

from genl import Socket, encode, refused
from harness import MIB, Tool, case
from pools import Client, pool

ALL = encode("object", pool="nla")
MANY = 100000


def keys_of(nl):
    return nl.dump_keys("object-get", ALL)


@case("many", "100,000 objects come complete and once, whatever the reader's buffer")
def many():
    with pool("nla", 32 * MIB, "--max-objects", "120000"), Client("nla") as client:
        client.layout(64)
        stored = {b"object/%d" % i for i in range(MANY)}
        client.put(sorted(stored))
        for bufsize in (65536, 16384):
            with Socket(bufsize=bufsize) as nl:
                keys = keys_of(nl)
                assert len(keys) == MANY and set(keys) == stored and not nl.interrupted
        client.hold(sorted(stored)[:20000])
        with Socket() as nl:
            who = nl.dump("client-get", encode("client", pool="nla"))[0]["id"]
            held = nl.dump_keys("hold-get", encode("hold", pool="nla", client=who))
            assert len(held) == 20000 and set(held) == set(sorted(stored)[:20000])


@case("long-keys", "a skb of long keys leaves no bucket out")
def long_keys():
    with pool("nla"), Client("nla") as client, Socket(bufsize=16384) as nl:
        client.layout(64)
        stored = {b"%04d" % i * 256 for i in range(2000)}
        client.put(sorted(stored))
        keys = keys_of(nl)
        assert len(keys) == 2000 and set(keys) == stored


@case("interrupted", "a dump that saw a change says so, and shows all that stayed")
def interrupted():
    with pool("nla"), Client("nla") as client, Socket() as nl:
        client.layout(64)
        stay = {b"stay/%d" % i for i in range(3000)}
        go = [b"go/%d" % i for i in range(3000)]
        client.put(sorted(stay) + go)
        seen, step = [], 0
        for one in nl.dump_step("object-get", ALL):
            if len(seen) % 500 == 0:
                client.delete(go[step * 100:step * 100 + 100])
                client.put([b"come/%d/%d" % (step, i) for i in range(300)])
                step += 1
            seen.append(one["key"])
        assert nl.interrupted
        assert stay <= set(seen)
        keys_of(nl)
        assert not nl.interrupted


def churn_writer(rounds):
    """Puts and deletes for ever; counts the rounds in shared memory."""
    pid = os.fork()
    if pid:
        return pid
    with Client("nla") as client:
        client.layout(64)
        some = [b"churn/%d" % i for i in range(300)]
        while True:
            client.put(some)
            client.delete(some)
            rounds[:8] = struct.pack("Q", rounds_of(rounds) + 1)


def rounds_of(rounds):
    return struct.unpack("Q", rounds[:8])[0]


def wait_for_rounds(rounds, number):
    done = rounds_of(rounds) + number
    end = time.monotonic() + 60
    while rounds_of(rounds) < done:
        assert time.monotonic() < end, "the writer has stopped"
        time.sleep(0.01)


@case("churn", "dumps beside a writer that does not stop: told, and all that stayed")
def churn():
    with pool("nla"), Client("nla") as client, Socket(bufsize=16384) as nl:
        client.layout(64)
        stay = {b"stay/%d" % i for i in range(1000)}
        client.put(sorted(stay))
        rounds = mmap.mmap(-1, 8)
        pid = churn_writer(rounds)
        try:
            for _ in range(10):
                dump = nl.dump_step("object-get", ALL)
                seen = {next(dump)["key"]}
                # What 1000 keys take is more than the kernel has sent by now.
                wait_for_rounds(rounds, 2)
                seen |= {one["key"] for one in dump}
                assert nl.interrupted and stay <= seen
                nl.dump("client-get", encode("client", pool="nla"))
                nl.do("stats-get", encode("stats", pool="nla"))
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@case("detach", "a pool that goes in the middle ends the dump with ENODEV, and is not held back")
def detach():
    for force in (True, False):
        with pool("nla") as memory, Socket(bufsize=16384) as nl:
            with Client("nla") as client:
                client.layout(64)
                client.put([b"key/%d" % i for i in range(5000)])
                if force:
                    dump_and_detach(nl, "--force")
            if not force:
                dump_and_detach(nl)
            assert [p["name"] for p in nl.dump("pool-get")] == []
            refused(errno.ENOENT, nl.dump, "object-get", ALL)
            assert memory


def dump_and_detach(nl, *options):
    dump = nl.dump_step("object-get", ALL)
    next(dump)
    Tool("detach", "nla", *options).ok()
    assert not os.path.exists("/dev/maru_l1/nla")
    assert refused(errno.ENODEV, list, dump)


@case("closed", "a client that closes in the middle ends the dump of its holds")
def closed():
    with pool("nla"), Socket(bufsize=16384) as nl:
        with Client("nla") as client:
            client.layout(64)
            keys = [b"key/%d" % i for i in range(5000)]
            client.put(keys)
            client.hold(keys)
            who = nl.dump("client-get", encode("client", pool="nla"))[0]["id"]
            dump = nl.dump_step("hold-get", encode("hold", pool="nla", client=who))
            next(dump)
        refused(errno.ENODEV, list, dump)
        assert not nl.dump("client-get", encode("client", pool="nla"))


@case("abandoned", "a dump that nobody reads to its end gives all back")
def abandoned():
    with pool("nla"):
        with Client("nla") as client:
            client.layout(64)
            client.put([b"key/%d" % i for i in range(5000)])
        for _ in range(20):
            with Socket(bufsize=16384) as nl:
                next(nl.dump_step("object-get", ALL))
        Tool("detach", "nla").ok()
