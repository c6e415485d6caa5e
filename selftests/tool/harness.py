# SPDX-License-Identifier: GPL-2.0-only
"""KTAP for cases in Python, and the tool as they see it."""
import concurrent.futures
import contextlib
import fcntl
import json
import mmap
import os
import subprocess
import traceback

import manual

F_ADD_SEALS = 1033
SEAL_SHRINK, SEAL_GROW, SEAL_WRITE = 2, 4, 8
MIB = 1 << 20
TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
CASES = []


def case(name, text):
    """Adds a function to the suite."""
    def add(function):
        CASES.append((name, text, function))
        return function
    return add


class Tool:
    """Runs maru-l1ctl."""
    path = os.path.join(TOP, "build/bin/maru-l1ctl")

    def __init__(self, *args, through=(), **kwargs):
        """@through: a command that runs the one behind it."""
        kwargs.setdefault("stdout", subprocess.PIPE)
        if "input" not in kwargs:
            kwargs.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run([*through, self.path, *args], stderr=subprocess.PIPE, timeout=30,
                              check=False, **kwargs)
        self.args = args
        self.code = done.returncode
        self.out = (done.stdout or b"").decode("ascii")
        self.err = done.stderr.decode()

    def __str__(self):
        return f"{self.args}: exit {self.code}\nstdout: {self.out}\nstderr: {self.err}"

    def ok(self):
        assert self.code == 0 and self.out and not self.err, self
        return self

    def json(self):
        """What it printed; each key of it is one that the manual names."""
        model = json.loads(self.ok().out)
        unknown = manual.undocumented(self.args[0], model)
        assert not unknown, f"the manual does not name these keys of {self.args[0]}: {unknown}"
        return model

    def fails(self, *words):
        """Exit 1, nothing on stdout, and a message with these words."""
        return self._refuses(1, words)

    def misused(self, *words):
        return self._refuses(2, words)

    def _refuses(self, code, words):
        assert self.code == code and not self.out, self
        assert self.err.startswith("maru-l1ctl: ") and self.err.endswith("\n"), self
        for word in words:
            assert word in self.err, f"no '{word}' in: {self}"
        return self


class Memory:
    """A memfd, sealed against resizing unless told otherwise."""

    def __init__(self, size, seals=SEAL_SHRINK | SEAL_GROW, fill=0):
        self.fd = os.memfd_create("maru-tool-test", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, size)
        self.size = size
        self.path = f"/proc/{os.getpid()}/fd/{self.fd}"
        if fill:
            os.pwrite(self.fd, bytes([fill]) * size, 0)
        fcntl.fcntl(self.fd, F_ADD_SEALS, seals)

    def read(self, offset=0, size=None):
        return os.pread(self.fd, self.size if size is None else size, offset)

    def write(self, offset, data):
        os.pwrite(self.fd, data, offset)

    def map(self):
        return mmap.mmap(self.fd, self.size)

    def close(self):
        os.close(self.fd)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()


@contextlib.contextmanager
def memory(size=16 * MIB, **kwargs):
    m = Memory(size, **kwargs)
    try:
        yield m
    finally:
        m.close()


def together(function, items):
    """Calls it with each item at the same time: format takes a second of waiting."""
    with concurrent.futures.ThreadPoolExecutor(len(items)) as pool:
        list(pool.map(function, items))


def run(suite, chosen):
    """Runs the cases whose name or text fits one of @chosen; all without any."""
    passed = failed = 0
    print("KTAP version 1")
    for name, text, function in CASES:
        if chosen and not any(c == name or c in text for c in chosen):
            continue
        number = passed + failed + 1
        try:
            function()
        except Exception:  # pylint: disable=broad-except
            failed += 1
            for line in traceback.format_exc().splitlines():
                print("#", line)
            print(f"not ok {number} {name} {text}", flush=True)
        else:
            passed += 1
            print(f"ok {number} {name} {text}", flush=True)
    print(f"1..{passed + failed}")
    print(f"{suite}: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0
