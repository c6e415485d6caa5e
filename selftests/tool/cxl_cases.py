# SPDX-License-Identifier: GPL-2.0-only
"""maru-l1ctl where /dev/dax0.0 is a CXL region: from a bare device to a read.

The rig has made the region with "cxl create-region" and daxctl.  Its memory is
emulated access by access, so objects are small.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from guest import DAX, Client, Pool, dax_size
from harness import MIB, TOP, Tool, case

SIZES = (1, 4096, 300_001, MIB + 64)
WAITS = 10  # seconds, for what takes tenths of one
WRITER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from guest import Client
client = Client("cxl")
assert client.put(b"killed", b"k" * 4096, page=4096) == 0
client.stage(b"unfinished", 1 << 20)
client.hold(b"k1")
print("ready", flush=True)
time.sleep(1000)
"""


def reconfigure(*options):
    subprocess.run(["daxctl", "reconfigure-device", *options, "dax0.0"], check=True,
                   stdout=subprocess.DEVNULL)


def device():
    row, = [row for row in Tool("devices", "--json").json() if row["device"] == DAX]
    return row


@case("region", "the device is a committed CXL region, and as large")
def region():
    listed = json.loads(subprocess.run(["cxl", "list", "-R"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    assert [r["decode_state"] for r in listed] == ["commit"], listed
    assert listed[0]["size"] == dax_size(), (listed, dax_size())


@case("system-ram", "a device that is system memory is told apart, with what to do")
def system_ram():
    # The kernel's policy would use the memory at once, and never give it back.
    with open("/sys/devices/system/memory/auto_online_blocks", "w", encoding="ascii") as file:
        file.write("offline")
    reconfigure("--mode=system-ram", "--no-online")
    advice = "daxctl reconfigure-device --mode=devdax dax0.0"
    row = device()
    assert row["mode"] == "system-ram" and advice in row["note"], row
    for args in (("format", DAX), ("attach", "a", DAX)):
        Tool(*args).fails("system-ram", advice)
    reconfigure("--mode=devdax", "--force")
    assert device()["mode"] == "devdax"


@case("pool", "devices, format and attach make a pool of it, whose NUMA node is known")
def pool():
    bare = device()
    assert bare["size"] == dax_size() and bare["numa_node"] >= 0, bare
    told = Tool("format", DAX, "--force", "--label", "cxl", "--json").json()
    assert told["size"] == dax_size() - 2 * MIB and not told["coherent"], told
    assert told["numa_node"] == bare["numa_node"], told
    row = device()
    assert (row["state"], row["uuid"], row["label"]) == ("formatted", told["uuid"], "cxl"), row
    Pool("cxl", DAX)
    info = Tool("info", "cxl", "--json").json()
    assert info["numa_node"] == told["numa_node"] and info["uuid"] == told["uuid"], info
    assert device()["pool"] == "cxl"
    assert Tool("check", "cxl").ok().out == "OK, 0 extents walked\n"


def data(size):
    return bytes(i * 37 % 251 for i in range(size % 9973)) + os.urandom(size - size % 9973)


@case("read-back", "what one process puts another gets, byte for byte, and so does the library")
def read_back():
    with tempfile.TemporaryDirectory() as at:
        for size in SIZES:
            path, copy = f"{at}/{size}", f"{at}/{size}.copy"
            with open(path, "wb") as file:
                file.write(data(size))
            Tool("put", "cxl", f"k{size}", path).ok()
            Tool("get", "cxl", f"k{size}", copy).ok()
            subprocess.run(["cmp", path, copy], check=True)
            if size <= MIB:
                client = Client("cxl")
                with open(path, "rb") as file:
                    assert client.get(f"k{size}".encode()) == file.read()
                client.close()
    assert Tool("info", "cxl", "--json").json()["objects"] == len(SIZES)


def until(condition):
    """The account of the pool once it fulfils @condition."""
    end = time.monotonic() + WAITS
    while not condition(info := Tool("info", "cxl", "--json").json()):
        assert time.monotonic() < end, info
    return info


@case("killed", "a killed writer's object stays, its write and its hold go after the quarantine")
def killed():
    client = Client("cxl")
    objects = Tool("info", "cxl", "--json").json()["objects"]
    with subprocess.Popen([sys.executable, "-c", WRITER, os.path.join(TOP, "selftests/tool")],
                          stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"ready\n"
        assert client.usage("staged") >= MIB
        writer.send_signal(signal.SIGKILL)
    assert client.usage("staged") == 0 and client.usage("quarantined") >= MIB
    info = until(lambda info: not info["quarantined"] and not info["orphan_pins"])
    assert info["objects"] == objects + 1, info
    assert client.get(b"killed") == b"k" * 4096 and client.get(b"unfinished") == -2
    client.close()
    Tool("check", "cxl").ok()


@case("detached", "detach gives the device back, formatted; its next pool begins empty")
def detached():
    Tool("detach", "cxl").ok()
    assert device()["state"] == "formatted"
    with Pool("cxl", DAX):
        info = Tool("info", "cxl", "--json").json()
        assert (info["objects"], info["incarnation"]) == (0, 2), info
