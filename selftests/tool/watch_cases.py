# SPDX-License-Identifier: GPL-2.0-only
"""stats --watch, top, events: what goes on until it is told to stop."""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from guest import Pool, new_memfd
from harness import MIB, TOP, Tool, case
from shared import NAME, empty_pool, put

sys.path.append(os.path.join(TOP, "selftests/netlink"))
# pylint: disable=wrong-import-position
from pools import Client as Raw  # noqa: E402


@contextlib.contextmanager
def running(*args, **kwargs):
    kwargs.setdefault("stdout", subprocess.PIPE)
    process = subprocess.Popen([Tool.path, *args], stderr=subprocess.PIPE,
                               stdin=kwargs.pop("stdin", subprocess.DEVNULL), **kwargs)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ended(process, code, *words):
    out, err = process.communicate(timeout=30)
    assert process.returncode == code, (process.returncode, out, err)
    for word in words:
        assert word in err.decode(), err
    return out


@contextlib.contextmanager
def pool(name):
    memfd = new_memfd(16 * MIB)
    try:
        with Pool(name, memfd.path, "--quarantine-ms", "100"):
            yield
    finally:
        memfd.close()


@case("stats-latency", "stats tells calls, errors and how long calls took")
def stats_latency():
    with empty_pool():
        put("a", 100)
        stats = Tool("stats", NAME, "--json").json()
        one = stats["latencies"]["commit"]
        assert one["calls"] == sum(one["histogram"]) and one["errors"] <= one["calls"]
        assert 0 < one["mean_ns"] and one["p50_ns"] <= one["p99_ns"]
        assert stats["operations"]["commit"]["OK"] >= 1
        assert re.search(r"^commit +\d+ +\d+ +\S+ \S+ +\S+ \S+ +\S+ \S+$",
                         Tool("stats", NAME).ok().out, re.M)


@case("watch", "a line of rates each interval, one JSON a line; SIGTERM ends it well")
def watch():
    with empty_pool():
        with running("stats", NAME, "--watch", "1") as process:
            lines = [process.stdout.readline() for _ in range(2)]
            with Raw(NAME) as client:
                client.layout(4096)
                client.put([b"%d" % i for i in range(50)], 10)
            lines += [process.stdout.readline() for _ in range(2)]
            process.send_signal(signal.SIGTERM)
            ended(process, 0)
        assert b"HITS/s" in lines[0] and lines[1].split()[-1] == b"0"
        assert any(int(line.split()[-4]) > 0 for line in lines[2:]), lines
        with running("stats", NAME, "--watch", "1", "--json") as process:
            models = [json.loads(process.stdout.readline()) for _ in range(2)]
            process.send_signal(signal.SIGINT)
            ended(process, 0)
        assert models[0]["usage"]["objects"] == 50 == models[1]["usage"]["objects"]


@case("vanish", "a pool that goes under --watch and top: a clear message, exit 1")
def vanish():
    for args in (("stats", "gone", "--watch", "1"), ("top", "gone")):
        with pool("gone"), running(*args) as process:
            process.stdout.readline()
            Tool("detach", "gone").ok()
            ended(process, 1, "no pool of the name gone")


@case("outputs", "a full disk, or a reader that goes away, ends them with a message")
def outputs():
    with empty_pool():
        for args in (("stats", NAME, "--watch", "1"), ("top", NAME), ("objects", NAME),
                     ("objects", NAME, "--json")):
            with open("/dev/full", "wb") as full, running(*args, stdout=full) as process:
                ended(process, 1, "cannot write the output")
        with running("stats", NAME, "--watch", "1") as process:
            process.stdout.readline()
            process.stdout.close()
            process.wait(timeout=30)
            assert process.returncode == 1, process.returncode


@case("top-plain", "without a terminal top is text, as many pictures as asked for")
def top_plain():
    with empty_pool():
        put("a", 100)
        for env in ({}, {"TERM": "dumb"}, {"TERM": "nonsense"}, {"TERM": "xterm"}):
            out = ended_text("top", NAME, "--count", "2", env={**os.environ, **env})
            assert out.count(f"maru-l1ctl top {NAME}") == 2
            assert "1 objects" in out and "segments:" in out and "\x1b" not in out


def ended_text(*args, **kwargs):
    with running(*args, **kwargs) as process:
        return ended(process, 0).decode()


class Terminal:
    """top on a terminal of some size."""

    def __init__(self, rows, columns, *args, term="xterm"):
        self.master, slave = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(slave)
        env = {**os.environ, "TERM": term}
        self.process = subprocess.Popen([Tool.path, *args], stdin=slave, stdout=slave,
                                        stderr=subprocess.PIPE, env=env)
        self.slave = slave
        self.out = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.master, text)

    def read_until(self, words, seconds=20):
        end = time.monotonic() + seconds
        while words not in self.out:
            assert time.monotonic() < end, self.out[-500:]
            if select.select([self.master], [], [], 0.1)[0]:
                self.out += os.read(self.master, 65536)

    def end(self, code, *words):
        """What it left: the terminal as it was."""
        deadline = time.monotonic() + 20
        while self.process.poll() is None:
            assert time.monotonic() < deadline, "top does not end"
            if select.select([self.master], [], [], 0.1)[0]:
                self.out += os.read(self.master, 65536)
        err = self.process.stderr.read().decode()
        assert self.process.returncode == code, (self.process.returncode, err)
        for word in words:
            assert word in err, err
        assert termios.tcgetattr(self.slave) == self.before
        os.close(self.master)
        os.close(self.slave)


@case("top-screen", "on a terminal: pictures, keys, a change of size; the terminal is restored")
def top_screen():
    with empty_pool():
        terminal = Terminal(40, 100, "top", NAME)
        terminal.read_until(b"fill")
        terminal.read_until(b"segments")
        terminal.type(b" ")
        terminal.read_until(b"paused")
        terminal.type(b" +-+-x\x1b[A")
        terminal.resize(10, 30)
        terminal.process.send_signal(signal.SIGWINCH)
        time.sleep(0.5)
        terminal.type(b"q")
        terminal.end(0)
        for rows, columns in ((1, 1), (2, 5), (200, 600), (0, 0)):
            terminal = Terminal(rows, columns, "top", NAME, "--count", "2")
            terminal.end(0)
        terminal = Terminal(24, 80, "top", NAME)
        terminal.read_until(b"fill")
        terminal.process.send_signal(signal.SIGTERM)
        terminal.end(0)


@case("top-gone", "a pool that goes under top on a terminal leaves a usable terminal")
def top_gone():
    with pool("gone"):
        terminal = Terminal(24, 80, "top", "gone")
        terminal.read_until(b"fill")
        Tool("detach", "gone").ok()
        terminal.end(1, "no pool of the name gone")


@case("events", "each thing that happens to a pool is a line, of this pool only if asked")
def events():
    with running("events", "--json", "--count", "4") as process:
        time.sleep(0.5)
        with pool("ev"):
            with Raw("ev") as client:
                client.layout(MIB)
                client.put([b"%d" % i for i in range(6)], MIB)
                client.evict(2)
                client.reserve([b"left"], 10)
            time.sleep(0.3)
        told = [json.loads(line) for line in ended(process, 0).splitlines()]
    kinds = [event["event"] for event in told]
    assert kinds[0] == "attached" and "evicted" in kinds, kinds
    assert {event["pool"] for event in told} == {"ev"}
    with running("events", "other") as process:
        time.sleep(0.5)
        with pool("ev2"):
            pass
        process.send_signal(signal.SIGTERM)
        assert ended(process, 0) == b""
    with running("events", "--count", "1") as process:
        time.sleep(0.5)
        with pool("ev3"):
            pass
        assert re.match(rb"^\d{4}-\d\d-\d\dT\S+  attached +ev3$", ended(process, 0).strip())
