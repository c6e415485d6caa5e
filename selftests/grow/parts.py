# SPDX-License-Identifier: GPL-2.0-only
"""Memory in parts, and the control node's calls as a program makes them."""
import contextlib
import ctypes
import fcntl
import os
import struct

from harness import MIB, Memory, Tool

ATTACH, GROW = 0xBC01, 0xBC03
BEATS = 0x2000


def attach_raw(name, fds):
    """The errno of an ATTACH, or 0."""
    array = (ctypes.c_int32 * len(fds))(*fds)
    arg = struct.pack("=IIQIIQQ32s16s16siI", 112, 0, ctypes.addressof(array), len(fds), 100, 0, 0,
                      name.encode(), b"m" * 16, b"b" * 16, -1, 0)
    return control(ATTACH, arg)


def grow_raw(name, fd):
    return control(GROW, struct.pack("=II32siI", 48, 0, name.encode(), fd, 0))


def control(call, arg):
    fd = os.open("/dev/maru_l1/control", os.O_RDWR)
    try:
        fcntl.ioctl(fd, call, arg)
        return 0
    except OSError as error:
        return error.errno
    finally:
        os.close(fd)


def attach(name, *memories, code=0):
    done = Tool("attach", name, *(m.path for m in memories), "--quarantine-ms", "100")
    assert done.code == code, done
    return done


def grow(name, memory, *options):
    done = Tool("grow", name, memory.path, *options)
    assert done.code == 0, done
    return done


@contextlib.contextmanager
def pool(name, *sizes):
    """Attached with the first memory and grown by the others; gone at the end."""
    memories = [Memory(size * MIB) for size in sizes]
    Tool("format", memories[0].path).ok()
    try:
        attach(name, memories[0])
        for memory in memories[1:]:
            grow(name, memory)
        yield memories
    finally:
        if os.path.exists(f"/dev/maru_l1/{name}"):
            Tool("detach", name, "--force")
        for memory in memories:
            memory.close()


def info(name):
    return Tool("info", name, "--json").json()


def healthy(name):
    """Every account is right."""
    done = Tool("check", name)
    assert done.code == 0, done
