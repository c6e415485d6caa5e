# SPDX-License-Identifier: GPL-2.0-only
"""Pools, clients by raw ioctls, and other processes for the cases."""
import contextlib
import ctypes
import fcntl
import os
import pickle
import struct
import subprocess
import sys

from harness import MIB, Memory, Tool

NR = {"info": 0x20, "setup": 0x21, "layout": 0x22, "reserve": 0x23, "commit": 0x24,
      "hold": 0x26, "release": 0x28, "delete": 0x2a, "evict": 0x2f, "usage": 0x30}
CLONE_NEWNET = 0x40000000
NOBODY = 65534
AT_ONCE = 4096


class Client:
    """An open file of a pool."""

    def __init__(self, pool, writable=True):
        self.fd = os.open(f"/dev/maru_l1/{pool}",
                          (os.O_RDWR if writable else os.O_RDONLY) | os.O_CLOEXEC)
        self.layout_id = None

    def __enter__(self):
        return self

    def __exit__(self, *why):
        os.close(self.fd)

    def call(self, name, arg):
        fcntl.ioctl(self.fd, 0xBC00 | NR[name], arg)
        return arg

    def layout(self, size, align=0):
        arg = self.call("layout", bytearray(struct.pack("IIQIIQ", 32, 0, size, align, 0, 0)))
        _, _, _, _, self.layout_id, stride = struct.unpack("IIQIIQ", arg)
        return stride

    def batch(self, name, keys, form, fields, layout=0):
        """Each item: key range, then @fields.  Returns the items' rests."""
        out = []
        item = struct.Struct("=II" + form)
        for first in range(0, len(keys), AT_ONCE):
            some = keys[first:first + AT_ONCE]
            items, at = bytearray(), 0
            for key in some:
                items += item.pack(at, len(key), *fields)
                at += len(key)
            buf = (ctypes.c_char * len(items)).from_buffer(items)
            text = ctypes.create_string_buffer(b"".join(some), at)
            self.call(name, bytearray(struct.pack(
                "=IIIIQQII", 40, 0, len(some), layout, ctypes.addressof(buf),
                ctypes.addressof(text), at, 0)))
            out += [found[2:] for found in item.iter_unpack(items)]
        return out

    def reserve(self, keys, length):
        got = self.batch("reserve", keys, "QQIIIIQQQ", (length, 0, 0, 0, 0, 0, 0, 0, 0),
                         self.layout_id)
        assert all(item[4] == 0 for item in got), got
        return [item[8] for item in got]

    def commit(self, keys, cookie=bytes(16)):
        got = self.batch("commit", keys, "QQ16sIIIIQQQ", (0, 0, cookie, 0, 0, 0, 0, 0, 0, 0))
        assert all(item[5] == 0 for item in got), got
        return [item[9] for item in got]

    def put(self, keys, length=64, cookie=bytes(16)):
        self.reserve(keys, length)
        return self.commit(keys, cookie)

    def hold(self, keys, count=1):
        got = self.batch("hold", keys, "IIIIQQQ16s", (count, 0, 0, 0, 0, 0, 0, bytes(16)))
        assert all(item[2] == 0 for item in got), got
        return got

    def release(self, keys, count=1):
        got = self.batch("release", keys, "QIIII", (0, count, 0, 0, 0))
        assert all(item[3] == 0 for item in got), got

    def delete(self, keys):
        self.batch("delete", keys, "IIQ", (0, 0, 0))

    def evict(self, count):
        arg = self.call("evict", bytearray(struct.pack(
            "=IIIIQQIIQQQQQII", 88, 0, 0, 0, 0, 0, 0, 0, 0, count, 0, 0, 0, 0, 0)))
        return struct.unpack_from("=QQ", arg, 56)

    def usage(self):
        names = ("total available used staged private published zombie quarantined limbo "
                 "retired rounding objects max-objects extents orphan-pins my-staged "
                 "my-staged-bytes my-private my-private-bytes my-held my-holds my-unacked "
                 "my-unacked-bytes").split()
        arg = self.call("usage", bytearray(struct.pack("=II", 192, 0) + bytes(184)))
        return dict(zip(names, struct.unpack_from("=23Q", arg, 8)))


@contextlib.contextmanager
def pool(name, size=16 * MIB, *options):
    """A pool of a memfd, detached at the end if it is still there."""
    memory = Memory(size)
    Tool("format", memory.path).ok()
    try:
        attach(name, memory, *options)
        yield memory
    finally:
        if os.path.exists(f"/dev/maru_l1/{name}"):
            Tool("detach", name, "--force")
        memory.close()


def attach(name, memory, *options):
    done = Tool("attach", name, memory.path, "--quarantine-ms", "100", *options)
    assert done.code == 0, done


def apart(function, *args, net=False, user=False):
    """Calls @function in a child: in a new network namespace, or as nobody."""
    out, into = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        os.close(out)
        try:
            if net and ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "unshare")
            if user:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
            answer = (True, function(*args))
        except BaseException as error:  # pylint: disable=broad-except
            answer = (False, repr(error))
        os.write(into, pickle.dumps(answer))
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as file:
        done, answer = pickle.loads(file.read())
    os.waitpid(pid, 0)
    assert done, answer
    return answer


def load():
    subprocess.run(["insmod", os.environ["MARU_KO"]], check=True)
