# SPDX-License-Identifier: GPL-2.0-only
"""Notifications."""
import contextlib
import os
import subprocess
import time

from genl import Socket, encode
from harness import MIB, Memory, Tool, case
from pools import Client, apart, load, pool


@contextlib.contextmanager
def monitor():
    with Socket() as nl:
        nl.subscribe()
        yield nl


@case("attach-detach", "attached and detached, in order, also by force and once only")
def attach_detach():
    with monitor() as nl:
        for force in ((), ("--force",)):
            with pool("nla"):
                assert nl.next_event() == ("attached-ntf", {"pool": "nla"})
                Tool("detach", "nla", *force).ok()
                assert nl.next_event() == ("detached-ntf", {"pool": "nla"})
        assert nl.next_event(1) is None


@case("grown", "a pool that has grown, with its new size; nothing when it could not grow")
def grown():
    with pool("nla", 10 * MIB) as first, Memory(10 * MIB) as more, monitor() as nl:
        assert Tool("grow", "nla", first.path).code == 1
        assert Tool("grow", "nla", more.path).code == 0
        assert nl.next_event() == ("grown-ntf", {"pool": "nla", "bytes": 16 * MIB})
        assert nl.next_event(1) is None


@case("watermark", "each hundred permille that the fill rises over, once")
def watermark():
    with pool("nla", 22 * MIB), monitor() as nl, Client("nla") as client:
        client.layout(2 * MIB)
        client.put([b"a", b"b", b"c"], 2 * MIB)
        assert nl.next_event() == ("watermark-ntf", {"pool": "nla", "permille": 300})
        client.delete([b"c"])
        assert nl.next_event(1) is None
        client.put([b"d"], 2 * MIB)
        assert nl.next_event() == ("watermark-ntf", {"pool": "nla", "permille": 300})


@case("evicted", "one notification for a call, with its count and bytes")
def evicted():
    with pool("nla"), monitor() as nl, Client("nla") as client:
        client.layout(1024)
        client.put([b"%d" % i for i in range(50)], 1024)
        assert client.evict(20) == (20, 20 * 1024)
        assert nl.next_event() == ("evicted-ntf", {"pool": "nla", "count": 20, "bytes": 20 * 1024})
        assert client.evict(100)[0] == 30
        assert nl.next_event()[1]["count"] == 30
        assert client.evict(1)[0] == 0
        assert nl.next_event(1) is None


@case("client-gone", "what a client left when it was closed; nothing when it left nothing")
def client_gone():
    with pool("nla"), monitor() as nl:
        with Client("nla") as client:
            client.layout(64)
            client.put([b"a", b"b", b"c"])
            client.hold([b"a", b"b"])
            client.reserve([b"w"], 64)
            with Socket() as other:
                who = other.dump("client-get", encode("client", pool="nla"))[0]["id"]
        assert nl.next_event() == ("client-gone-ntf", {
            "pool": "nla", "client": who, "staged": 1, "private": 0, "holds": 2})
        with Client("nla"):
            pass
        assert nl.next_event(1) is None


@case("elsewhere", "a monitor of another namespace hears nothing of this one's pools")
def elsewhere():
    with pool("nla"):
        def listen():
            with monitor() as nl:
                with Client("nla") as client:
                    client.layout(64)
                    client.put([b"a"])
                    client.evict(1)
                return nl.next_event(1)

        assert apart(listen, net=True) is None


@case("rmmod", "the module goes while a monitor is subscribed, and comes again")
def rmmod():
    with monitor() as nl:
        for _ in range(50):
            if subprocess.run(["rmmod", "maru_l1"], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.1)	# a pool that was detached by force lingers
        assert not os.path.exists("/sys/module/maru_l1")
        assert nl.next_event(1) is None
        load()
        for _ in range(50):
            if os.path.exists("/dev/maru_l1/control"):
                break
            time.sleep(0.1)
        with monitor() as again, pool("nla"):
            assert again.next_event() == ("attached-ntf", {"pool": "nla"})
