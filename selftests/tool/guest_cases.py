# SPDX-License-Identifier: GPL-2.0-only
"""maru-l1ctl with the module: /dev/dax0.0 and memfds become pools and end."""
import glob
import json
import os
import re
import subprocess
import sys
import time

import ondisk
from guest import DAX, Client, Pool, dax_size, new_memfd, write_dax
from harness import MIB, Tool, case


@case("unformatted", "memory that is not formatted is refused, and how to format it told")
def unformatted():
    write_dax(0, b"\0" * 2 * ondisk.COPY)
    Tool("attach", "a", DAX).fails("not formatted", f"maru-l1ctl format {DAX}")
    Tool("format", os.path.basename(DAX)).fails(f"the device is {DAX}")


@case("dax", "format takes size, alignment and node from the device; a device is not coherent")
def dax():
    told = Tool("format", DAX, "--force", "--label", "lab", "--json").json()
    seen = json.loads(subprocess.run(["daxctl", "list", "-d", "dax0.0"], check=True,
                                     stdout=subprocess.PIPE).stdout)
    seen = seen[0] if isinstance(seen, list) else seen
    assert seen["size"] == dax_size()
    assert told["size"] == seen["size"] // (2 * MIB) * (2 * MIB) - 2 * MIB, told
    assert told["map_alignment"] == 2 * MIB == seen["align"]
    assert told["numa_node"] == seen.get("target_node", -1)
    assert told["coherent"] is False
    Tool("format", DAX).fails("formatted already", told["uuid"])


@case("attached", "attach makes a pool: it watches for two seconds and says what it did")
def attached():
    started = time.monotonic()
    tool = Tool("attach", "a", DAX)
    assert tool.code == 0 and time.monotonic() - started >= 1.9, tool
    assert tool.out.startswith(f"Attached {DAX} as /dev/maru_l1/a: pool "), tool
    assert 'label "lab"' in tool.out and "two seconds" in tool.err, tool
    assert os.path.exists("/dev/maru_l1/a")
    busy = Tool("attach", "b", DAX)
    assert busy.code == 1 and not busy.out and "is in use" in busy.err, busy
    assert not os.path.exists("/dev/maru_l1/b")


@case("taken", "a name that is taken is refused")
def taken():
    m = new_memfd()
    tool = Tool("attach", "a", m.path)
    assert tool.code == 1 and not tool.out and "the name a already" in tool.err, tool
    m.close()


@case("running", "memory that is attached cannot be formatted, also with --force")
def running():
    Tool("format", DAX, "--force").fails("in use", "node 1 runs")
    Tool("check", "a").ok()


@case("listed", "list shows it, to people and to programs")
def listed():
    row, = Tool("list", "--json").json()
    assert set(row) == {"name", "label", "uuid", "size", "used", "available", "objects",
                        "clients", "state"}
    assert (row["name"], row["label"], row["state"]) == ("a", "lab", "attached")
    assert (row["used"], row["objects"], row["clients"]) == (0, 0, 0)
    assert 0 < row["available"] <= row["size"] <= dax_size() - 2 * MIB
    title, line = Tool("list").ok().out.splitlines()
    assert title.split() == ["NAME", "LABEL", "UUID", "SIZE", "USED", "AVAILABLE", "OBJECTS",
                             "CLIENTS", "STATE"]
    assert line.split()[:3] == ["a", "lab", row["uuid"]] and line.endswith("attached"), line


@case("counted", "info and stats tell what clients have stored, read and missed")
def counted():
    client = Client("a")
    try:
        for n in range(3):
            assert client.put(b"key %d" % n, b"x" * MIB) == 0
        assert client.get(b"key 1") == b"x" * MIB
        assert client.get(b"none") == -2
        info = Tool("info", "a", "--json").json()
        stats = Tool("stats", "a", "--json").json()
        assert (info["objects"], info["clients"], stats["clients"]) == (3, 1, 1), (info, stats)
        assert info["published"] == info["used"] == 3 * MIB, info
        assert stats["operations"]["reserve_write"] == {"OK": 3}, stats
        assert stats["operations"]["commit"] == {"OK": 3}, stats
        assert stats["operations"]["reserve_read"] == {"OK": 1, "NOT_FOUND": 1}, stats
        assert (stats["bytes_stored"], stats["bytes_served"]) == (3 * MIB, MIB), stats
        table = Tool("stats", "a").ok().out
        assert re.search(r"^operation +.*\bOK\b.*\bNOT_FOUND\b", table, re.M), table
        assert re.search(r"^reserve_write +3\b", table, re.M), table
        assert re.search(r"^bytes stored +3 MiB$", table, re.M), table
        assert re.search(r"^ +published +3 MiB$", Tool("info", "a").ok().out, re.M)
    finally:
        client.close()


@case("checked", "check recomputes the accounts and says how much it walked")
def checked():
    assert Tool("check", "a").ok().out == "OK, 3 extents walked\n"
    assert Tool("check", "a", "--json").json() == {
        "name": "a", "ok": True, "walked": 3, "differences": 0, "items": []}


@case("user", "who is not root may look, and is told what he may not")
def user():
    Tool("list", user="nobody").ok()
    Tool("info", "a", user="nobody").ok()
    Tool("stats", "a", user="nobody").ok()
    Tool("check", "a", user="nobody").fails("root")
    Tool("detach", "a", user="nobody").fails("root")
    Tool("attach", "b", DAX, user="nobody").fails("root")
    Tool("format", DAX, "--force", user="nobody").fails("root")


@case("detached", "detach ends the pool; it is unknown afterwards")
def detached():
    assert Tool("detach", "a").ok().out == "Detached a.\n"
    assert Tool("list", "--json").json() == []
    assert Tool("list").ok().out.count("\n") == 1
    for verb in ("info", "stats", "check", "detach"):
        Tool(verb, "a").fails("no pool of the name a", "maru-l1ctl list")
        Tool(verb, "nowhere").fails("no pool of the name nowhere")
    Tool("detach", "a", "--force").fails("no pool of the name a")


@case("options", "the options of attach and format reach the pool; its incarnation grows")
def options():
    Tool("format", DAX, "--force", "--segment-size", "8M", "--coherent", "yes").ok()
    for incarnation in (1, 2):
        with Pool("b.1_x-Y", DAX, "--max-objects", "1000", "--quarantine-ms", "100",
                  "--max-client-bytes", "32M"):
            info = Tool("info", "b.1_x-Y", "--json").json()
            assert info["max_objects"] == 1000 and info["quarantine_ms"] == 100, info
            assert info["max_client_bytes"] == 32 * MIB, info
            assert info["segment_size"] == 8 * MIB and info["coherent"] is True, info
            assert info["incarnation"] == incarnation, info


@case("held", "a pool in use is kept; --force takes it, and its memory rests until it is let go")
def held():
    with Pool("a", DAX, "--quarantine-ms", "100"):
        client = Client("a")
        assert client.put(b"key", b"y" * MIB) == 0
        Tool("detach", "a").fails("in use", "--force")
        assert Tool("info", "a", "--json").json()["objects"] == 1
        assert Tool("detach", "a", "--force", "--json").json() == {"name": "a", "forced": True}
        assert client.get(b"key") == -19
        busy = Tool("attach", "a", DAX)
        assert busy.code == 1 and "is in use" in busy.err, busy
        client.close()
        time.sleep(1)
    with Pool("a", DAX):
        assert Tool("info", "a", "--json").json()["objects"] == 0


@case("damaged", "a damaged superblock or line is told apart, with what to do")
def damaged():
    Tool("format", DAX, "--force").ok()
    write_dax(ondisk.BEATS, b"\x01")
    tool = Tool("attach", "a", DAX)
    assert tool.code == 1 and "line is damaged" in tool.err and "format --force" in tool.err, tool
    for copy in (0, 1):
        write_dax(copy * ondisk.COPY + 100, b"\xaa")
    Tool("attach", "a", DAX).fails("superblock is damaged", f"format --force {DAX}")
    assert Tool("list", "--json").json() == []


@case("memfd", "the module keeps a memfd whose maker has gone")
def memfd():
    code = ("import os, fcntl, sys\n"
            "fd = os.memfd_create('gone', os.MFD_ALLOW_SEALING)\n"
            "os.ftruncate(fd, 64 << 20)\n"
            "fcntl.fcntl(fd, 1033, 6)\n"
            "print(fd, flush=True)\n"
            "sys.stdin.read()\n")
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as maker:
        path = f"/proc/{maker.pid}/fd/{int(maker.stdout.readline())}"
        Tool("format", path).ok()
        pool = Pool("m", path, "--quarantine-ms", "100")
        maker.stdin.close()
    with pool:
        client = Client("m")
        assert client.put(b"key", b"z" * MIB) == 0 and client.get(b"key") == b"z" * MIB
        client.close()
        assert Tool("info", "m", "--json").json()["coherent"] is True
    assert not glob.glob("/dev/maru_l1/m")


@case("several", "several pools are listed by name")
def several():
    first, second = new_memfd(), new_memfd()
    with Pool("z", first.path), Pool("y", second.path):
        assert [row["name"] for row in Tool("list", "--json").json()] == ["y", "z"]
        assert Tool("list").ok().out.count("\n") == 3
    first.close()
    second.close()


def daxctl(verb):
    subprocess.run(["daxctl", verb, "dax0.0"], check=True, stderr=subprocess.DEVNULL)


@case("disabled", "a device without a driver is told apart, with what to do")
def disabled():
    daxctl("disable-device")
    try:
        Tool("format", DAX).fails("disabled", "daxctl enable-device dax0.0")
        Tool("attach", "a", DAX).fails("disabled", "daxctl enable-device dax0.0")
    finally:
        daxctl("enable-device")
    Tool("format", DAX, "--force").ok()
