# SPDX-License-Identifier: GPL-2.0-only
"""One pool of 64 MiB for many cases, emptied for each; and what it has."""
import atexit
import contextlib
import os
import shutil
import tempfile
import time

from guest import Pool, new_memfd
from harness import MIB, Tool

NAME = "shared"
QUARANTINE_MS = 100


def _begin():
    if os.path.exists(f"/dev/maru_l1/{NAME}"):
        return
    memfd = new_memfd(64 * MIB)
    Pool(NAME, memfd.path, "--quarantine-ms", str(QUARANTINE_MS))
    memfd.close()
    atexit.register(end)


def end():
    """Detaches it; the next case that needs it has a new one."""
    if os.path.exists(f"/dev/maru_l1/{NAME}"):
        settle()
        Tool("detach", NAME).ok()


@contextlib.contextmanager
def empty_pool():
    """Its name; nothing is in it before and, or the case fails, afterwards."""
    _begin()
    try:
        yield NAME
    finally:
        settle()
        Tool("purge", NAME).ok()
    assert info()["used"] == 0 and info()["objects"] == 0, info()


def info():
    return Tool("info", NAME, "--json").json()


def settle():
    """Waits until nothing of closed files is left."""
    end = time.monotonic() + 10
    while info()["orphan_pins"] or info()["quarantined"]:
        assert time.monotonic() < end, info()
        time.sleep(0.05)


@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp()
    try:
        yield path
    finally:
        shutil.rmtree(path)


def new_file(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def put(key, size, *options):
    """Stores an object of its own bytes under a name that needs no escape."""
    data = (key.encode() + b" ") * (size // (len(key) + 1) + 1)
    return Tool("put", NAME, key, "-", *options, input=data[:size]).ok()
