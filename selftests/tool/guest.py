# SPDX-License-Identifier: GPL-2.0-only
"""Pools and clients in the guest."""
import ctypes
import json
import mmap
import os
import subprocess
import time

import manual
from harness import MIB, TOP, Memory, Tool

DAX = "/dev/dax0.0"


def prepare():
    """The module, if nobody has loaded it, and what udev would have made."""
    if not os.path.exists("/dev/fd"):
        os.symlink("/proc/self/fd", "/dev/fd")
    if not os.path.exists("/dev/maru_l1/control"):
        Tool("list").fails("modprobe maru_l1")
        module = os.path.join(TOP, f"build/kmod-{os.uname().release}/maru_l1.ko")
        subprocess.run(["insmod", module], check=True)
        for _ in range(100):
            if os.path.exists("/dev/maru_l1/control"):
                break
            time.sleep(0.1)


def write_dax(offset, data):
    with open(DAX, "r+b", buffering=0) as file:
        with mmap.mmap(file.fileno(), 2 * MIB) as area:
            area[offset:offset + len(data)] = data


def dax_size():
    with open("/sys/bus/dax/devices/dax0.0/size", encoding="ascii") as file:
        return int(file.read())


class Pool:
    """Attached by the tool; detached at the end, by force only after a failure."""

    def __init__(self, name, device, *options):
        self.name = name
        self.attached = Tool("attach", name, device, "--json", *options)
        told = ("maru-l1ctl: watching", "for two seconds")
        assert self.attached.code == 0, self.attached
        assert all(words in self.attached.err for words in told), self.attached
        assert not manual.undocumented("attach", json.loads(self.attached.out))

    def __enter__(self):
        return self

    def __exit__(self, failure, *why):
        if failure:
            Tool("detach", self.name, "--force")
        elif os.path.exists(f"/dev/maru_l1/{self.name}"):
            Tool("detach", self.name).ok()


def new_memfd(size=64 * MIB):
    m = Memory(size)
    Tool("format", m.path).ok()
    return m


class Read(ctypes.Structure):
    """struct marul1_read"""
    _fields_ = [("key", ctypes.c_char_p), ("key_len", ctypes.c_size_t),
                ("holds", ctypes.c_uint32), ("status", ctypes.c_uint32),
                ("result", ctypes.c_uint32), ("offset", ctypes.c_uint64),
                ("length", ctypes.c_uint64), ("id", ctypes.c_uint64),
                ("cookie", ctypes.c_uint8 * 16)]


class Reserve(ctypes.Structure):
    """struct marul1_reserve"""
    _fields_ = [("key", ctypes.c_char_p), ("key_len", ctypes.c_size_t),
                ("length", ctypes.c_uint64), ("tag", ctypes.c_uint64),
                ("flags", ctypes.c_uint32), ("status", ctypes.c_uint32),
                ("result", ctypes.c_uint32), ("offset", ctypes.c_uint64),
                ("page_size", ctypes.c_uint64), ("id", ctypes.c_uint64)]


class Client:
    """A file of a pool, through the library as C programs use it."""
    lib = None

    def __init__(self, name):
        if not Client.lib:
            Client.lib = ctypes.CDLL(os.path.join(TOP, "build/lib/libmarul1.so"))
        self.ctx, self.pool, self.client = (ctypes.c_void_p() for _ in range(3))
        self.must(self.lib.marul1_new(ctypes.byref(self.ctx)))
        self.must(self.lib.marul1_open(self.ctx, f"device:{name}".encode(),
                                       ctypes.byref(self.pool)))
        self.must(self.lib.marul1_client_open(self.pool, 0, ctypes.byref(self.client)))
        self.layout = ctypes.c_uint32()

    @staticmethod
    def must(ret):
        assert ret == 0, f"libmarul1: {ret}"

    def put(self, key, data, page=MIB):
        self.must(self.lib.marul1_layout(self.client, ctypes.c_uint64(page), 0,
                                         ctypes.byref(self.layout)))
        return self.lib.marul1_put(self.client, self.layout, key, ctypes.c_size_t(len(key)),
                                   data, ctypes.c_uint64(len(data)), None)

    def get(self, key):
        buf, length = ctypes.create_string_buffer(MIB), ctypes.c_uint64(MIB)
        ret = self.lib.marul1_get(self.client, key, ctypes.c_size_t(len(key)), buf,
                                  ctypes.byref(length), None)
        return buf.raw[:length.value] if ret == 0 else ret

    def usage(self, field):
        """One of the first accounts of struct maru_l1_usage."""
        names = ("total", "available", "used", "staged", "private", "published", "zombie",
                 "quarantined")
        buf = (ctypes.c_uint64 * 32)()
        self.must(self.lib.marul1_usage(self.client, buf))
        return buf[1 + names.index(field)]

    def hold(self, key):
        """Takes a hold, which ends with the client."""
        read = Read(key, len(key), 1)
        self.must(self.lib.marul1_reserve_read(self.client, 0, ctypes.byref(read),
                                               ctypes.c_size_t(1)))
        assert read.status == 0, read.status

    def stage(self, key, size):
        """Begins a write, which ends with the client."""
        layout, write = ctypes.c_uint32(), Reserve(key, len(key), size)
        self.must(self.lib.marul1_layout(self.client, ctypes.c_uint64(size), 0,
                                         ctypes.byref(layout)))
        self.must(self.lib.marul1_reserve_write(self.client, layout, ctypes.byref(write),
                                                ctypes.c_size_t(1)))
        assert write.status == 0, write.status

    def close(self):
        self.lib.marul1_client_close(self.client)
        self.lib.marul1_pool_unref(self.pool)
        self.lib.marul1_unref(self.ctx)
