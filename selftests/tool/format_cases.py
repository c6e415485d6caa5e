# SPDX-License-Identifier: GPL-2.0-only
"""format, on memfds."""
import os
import pty
import subprocess
import tempfile
import threading
import time

import ondisk
from harness import (MIB, SEAL_GROW, SEAL_SHRINK, SEAL_WRITE, Memory, Tool, case, memory, together)


def superblocks(m):
    return [ondisk.superblock(m.read(i * ondisk.COPY, ondisk.COPY)) for i in (0, 1)]


@case("written", "format writes two copies of format v1, clears the lines, touches no data")
def written():
    with memory(fill=0xff) as m:
        told = Tool("format", m.path, "--label", "rack 7", "--segment-size", "4M", "--json").json()
        first, second = superblocks(m)
        assert (first.pop("generation"), second.pop("generation")) == (1, 2)
        assert first == second
        assert first["flags"] == 1 and first["unit"] == 2 * MIB
        assert first["label"] == b"rack 7".ljust(32, b"\0")
        assert first["segment"] == 4 * MIB and first["pool"] == 14 * MIB
        assert (first["index"], first["count"]) == (0, 1)
        assert first["backings"] == (14 * MIB,) + (0,) * 15
        assert not any(m.read(2 * ondisk.COPY, ondisk.AREA - 2 * ondisk.COPY)), "lines"
        rest = m.read(ondisk.AREA, m.size - ondisk.AREA)
        assert rest == b"\xff" * len(rest), "bytes behind the area"
        assert told == {
            "device": m.path, "uuid": told["uuid"], "label": "rack 7", "size": 14 * MIB,
            "map_alignment": 2 * MIB, "segment_size": 4 * MIB, "segments": 4,
            "coherent": True, "numa_node": -1}
        assert told["uuid"].replace("-", "") == first["uuid"].hex()


@case("told", "without --json a sentence says what was done")
def told_to_people():
    with memory(64 * MIB) as m:
        told = Tool("format", m.path, "--label", "x", "--coherent", "no").ok().out
        assert told.startswith(f"Formatted {m.path}: pool ") and told.count("\n") == 1
        for words in ('label "x"', "62 MiB in 31 segments of 2 MiB", "not coherent"):
            assert words in told, told
        assert superblocks(m)[0]["flags"] == 0
    with memory(18 * MIB) as m:
        told = Tool("format", m.path, "--segment-size", "6M").ok().out
        assert "16 MiB in 3 segments of 6 MiB (the last has 4 MiB), coherent" in told, told


@case("streams", "a message never lands in a pool's memory for want of standard streams")
def closed_streams():
    with memory() as m:
        Tool("format", m.path).ok()
        before = m.read(0, ondisk.AREA)
        # A second format without --force is refused, with a message.
        shell = subprocess.run(
            ["sh", "-c", 'exec "$0" format "$1" <&- >&- 2>&-', Tool.path, m.path],
            check=False)
        assert shell.returncode == 1, shell
        assert m.read(0, ondisk.AREA) == before


@case("uuid", "every format has a fresh random uuid")
def uuid():
    seen = set()
    with memory() as m:
        for _ in range(3):
            Tool("format", m.path, "--force").ok()
            number = superblocks(m)[1]["uuid"]
            assert number[6] >> 4 == 4 and number[8] >> 6 == 2, number
            seen.add(number)
    assert len(seen) == 3


@case("segments", "the default segment is 1/64 of a small pool and 1 GiB of a large one")
def segments():
    def check(sizes):
        size, segment = sizes
        # Sparse: a memfd takes the memory that is written, half a MiB.
        with memory(size) as m:
            told = Tool("format", m.path, "--json").json()
            assert told["segment_size"] == segment, told
            assert told["size"] == size - 2 * MIB
            assert told["segments"] == -(-told["size"] // segment)

    together(check, ((4 * MIB, 2 * MIB), (1024 * MIB, 14 * MIB), (66 << 30, 1 << 30),
                     ((64 << 30) + 2 * MIB, 1 << 30), (64 << 30, (1 << 30) - 2 * MIB)))


@case("odd", "what is less than a unit at the end is left out")
def odd():
    with memory(7 * MIB + 4096) as m:
        assert Tool("format", m.path, "--json").json()["size"] == 4 * MIB


@case("small", "memory without a unit for data, or a segment, is refused")
def small():
    for size in (0, 4096, 2 * MIB, 4 * MIB - 4096):
        with memory(size) as m:
            Tool("format", m.path).fails("too small", "4 MiB")
    with memory(16 * MIB, fill=0xff) as m:
        Tool("format", m.path, "--segment-size", "16M").fails("more than the pool of 14 MiB")
        assert m.read() == b"\xff" * m.size


@case("kinds", "what is no sealed memfd is refused and not written to")
def kinds():
    for seals in (0, SEAL_SHRINK, SEAL_GROW):
        with memory(seals=seals, fill=0xff) as m:
            Tool("format", m.path).fails("can be resized", "F_SEAL_SHRINK and F_SEAL_GROW")
            assert m.read() == b"\xff" * m.size
    with memory(seals=SEAL_SHRINK | SEAL_GROW | SEAL_WRITE) as m:
        Tool("format", m.path).fails("sealed against writing")
    with tempfile.TemporaryDirectory() as folder:
        for at in (folder, "/dev/shm"):
            with tempfile.NamedTemporaryFile(dir=at) as file:
                file.truncate(16 * MIB)
                Tool("format", file.name).fails(file.name)
                assert not any(file.read())
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        Tool("format", fifo).fails("neither a device-dax node nor a memfd")
        Tool("format", folder).fails("directory")
    Tool("format", "/dev/null").fails("not a device-dax node", "daxctl list")
    Tool("format", "/dev/dax99.9").fails("no such device", "daxctl list")
    Tool("format", "").fails("no such device")


@case("again", "a superblock that is there is kept, whole or damaged, without --force")
def again():
    with memory() as m:
        Tool("format", m.path, "--label", "a\x1b[31m\\").ok()
        before = m.read()
        number = superblocks(m)[1]["uuid"].hex()[:8]
        Tool("format", m.path).fails("formatted already", number, r'"a\x1b[31m\x5c"', "--force")
        assert m.read() == before
        m.write(ondisk.COPY + 50, b"\xaa")
        Tool("format", m.path).fails("formatted already")
        m.write(50, b"\xaa")
        Tool("format", m.path).fails("damaged", "--force")
        m.write(0, b"\0" * 8)
        Tool("format", m.path).fails("damaged", "--force")
        m.write(ondisk.COPY, b"\0" * 8)
        Tool("format", m.path).ok()


@case("other", "a superblock of a later format is kept without --force")
def other():
    with memory() as m:
        Tool("format", m.path).ok()
        copy = bytearray(m.read(0, ondisk.COPY))
        copy[8] = 2
        copy[16] = 3
        copy[-4:] = ondisk.crc32c(copy[:-4]).to_bytes(4, "little")
        m.write(0, bytes(copy))
        Tool("format", m.path).fails("format that is not known", "--force")
        Tool("format", m.path, "--force").ok()
        superblocks(m)


@case("force", "--force overwrites all of it")
def force():
    with memory() as m:
        Tool("format", m.path, "--label", "old").ok()
        old = superblocks(m)
        m.write(ondisk.BEATS, ondisk.beat_line(1, 7))
        Tool("format", m.path, "--label", "new", "--force").ok()
        new = superblocks(m)
        assert new[0]["label"][:3] == b"new" and new[0]["uuid"] != old[0]["uuid"]
        assert not any(m.read(ondisk.BEATS, ondisk.LINE))


class Runner:
    """A node that runs: its line changes every @period seconds after @delay."""

    def __init__(self, m, node, period=0.2, delay=0.0):
        self.map = m.map()
        self.at = ondisk.BEATS + (node - 1) * ondisk.LINE
        self.node, self.period, self.delay = node, period, delay
        self.end = threading.Event()
        self.thread = threading.Thread(target=self.beat)

    def beat(self):
        beat = 1
        self.end.wait(self.delay)
        while not self.end.wait(self.period):
            self.map[self.at:self.at + ondisk.LINE] = ondisk.beat_line(self.node, beat)
            beat += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *why):
        self.end.set()
        self.thread.join()
        self.map.close()


def without_lines(m):
    return m.read(0, ondisk.BEATS) + m.read(0x3000)


@case("runs", "memory on which a node runs is refused, also with --force")
def runs():
    def check(node):
        with memory() as m:
            Tool("format", m.path).ok()
            before = without_lines(m)
            with Runner(m, node):
                Tool("format", m.path, "--force").fails("in use", f"node {node} runs", "detach")
            assert without_lines(m) == before

    together(check, (1, 7, 64))


@case("runs-raw", "so is memory that is not formatted, but whose lines change")
def runs_raw():
    with memory() as m, Runner(m, 3):
        Tool("format", m.path).fails("in use", "node 3 runs")
        assert not any(without_lines(m))


@case("late", "a node that beats once within the second is seen")
def late():
    with memory() as m, Runner(m, 5, period=60, delay=0) as runner:
        timer = threading.Timer(0.7, lambda: runner.map.__setitem__(
            slice(runner.at, runner.at + ondisk.LINE), ondisk.beat_line(5, 9)))
        timer.start()
        Tool("format", m.path).fails("node 5 runs")
        timer.join()


@case("second", "the lines are watched for a whole second, and one at rest is no obstacle")
def second():
    with memory() as m:
        m.write(ondisk.BEATS, ondisk.beat_line(1, 7))
        started = time.monotonic()
        Tool("format", m.path).ok()
        assert time.monotonic() - started >= 1.0


@case("killed", "killed while it watches, it has changed nothing")
def killed():
    with memory(fill=0xff) as m:
        with subprocess.Popen([Tool.path, "format", m.path]) as child:
            time.sleep(0.5)
            child.kill()
        assert child.returncode == -9
        assert m.read() == b"\xff" * m.size


@case("terminal", "only a terminal sees progress")
def terminal():
    master, slave = pty.openpty()
    with memory() as m:
        with subprocess.Popen([Tool.path, "format", m.path], stdout=subprocess.PIPE,
                              stderr=slave) as child:
            out = child.stdout.read()
    os.close(slave)
    shown = os.read(master, 4096)
    os.close(master)
    assert child.returncode == 0 and out.startswith(b"Formatted "), out
    for n in range(1, 6):
        assert b"watching %s for nodes that run: %d of 5" % (m.path.encode(), n) in shown
    assert shown.endswith(b"\r\x1b[K"), shown


@case("user", "who may not open the memory is told to be root")
def user():
    m = Memory(16 * MIB)
    os.fchmod(m.fd, 0o600)
    # Through /proc/self: that of another process is hidden from a stranger.
    Tool("format", f"/proc/self/fd/{m.fd}", user="nobody", pass_fds=(m.fd,)).fails("root")
    m.close()
