# SPDX-License-Identifier: GPL-2.0-only
"""A pool that grows while it is used."""
import ctypes
import errno
import mmap
import os
import signal
import subprocess
import threading
import time

from harness import MIB, TOP, Memory, Tool, case
from parts import BEATS, attach, grow, grow_raw, healthy, info, pool
from pools import Client

BORDER = 16 * MIB
PAGE = 3 * MIB		# no divisor of a part: the last page before a border does not fit


class Library:
    """A client of libmarul1, which maps the pool."""
    lib = None

    def __init__(self, name):
        if not Library.lib:
            Library.lib = ctypes.CDLL(os.path.join(TOP, "build/lib/libmarul1.so"))
            Library.lib.marul1_ptr.restype = ctypes.c_void_p
        self.ctx, self.pool, self.client = (ctypes.c_void_p() for _ in range(3))
        assert not self.lib.marul1_new(ctypes.byref(self.ctx))
        assert not self.lib.marul1_open(self.ctx, f"device:{name}".encode(),
                                        ctypes.byref(self.pool))
        assert not self.lib.marul1_client_open(self.pool, 0, ctypes.byref(self.client))

    def map(self):
        base, length = ctypes.c_void_p(), ctypes.c_uint64()
        ret = self.lib.marul1_map(self.client, 0, ctypes.byref(base), ctypes.byref(length))
        return ret, base.value, length.value

    def bytes_at(self, offset, length):
        ptr = self.lib.marul1_ptr(self.client, ctypes.c_uint64(offset), ctypes.c_uint64(length))
        return ctypes.string_at(ptr, length)

    def write_at(self, offset, data):
        ptr = self.lib.marul1_ptr(self.client, ctypes.c_uint64(offset), ctypes.c_uint64(len(data)))
        ctypes.memmove(ptr, data, len(data))

    def ranges(self):
        found, addr, length = [], ctypes.c_void_p(), ctypes.c_uint64()
        while self.lib.marul1_range(self.client, ctypes.c_uint64(0), ctypes.c_size_t(len(found)),
                                    ctypes.byref(addr), ctypes.byref(length)) == 0:
            found.append((addr.value, length.value))
        return found

    def close(self):
        self.lib.marul1_client_close(self.client)
        self.lib.marul1_pool_unref(self.pool)
        self.lib.marul1_unref(self.ctx)


def fill(client, library, first, count):
    """Stores objects whose bytes tell their number; returns their offsets."""
    keys = [b"%d" % i for i in range(first, first + count)]
    offsets = [item[6] for item in client.batch("reserve", keys, "QQIIIIQQQ",
                                                (PAGE, 0, 0, 0, 0, 0, 0, 0, 0),
                                                client.layout_id)]
    for i, offset in enumerate(offsets, first):
        library.write_at(offset, b"%08d" % i * (PAGE // 8))
    client.commit(keys)
    return offsets


@case("use", "objects of before and after a growth are read in place, none over a border")
def use():
    with pool("g", 18), Client("g") as client:
        library = Library("g")
        before = library.map()
        client.layout(PAGE)
        offsets = fill(client, library, 0, 4)
        with Memory(18 * MIB) as more:
            grow("g", more)
            assert library.lib.marul1_ptr(library.client, ctypes.c_uint64(BORDER),
                                          ctypes.c_uint64(1)) is None
            after = library.map()
            assert before[:2] == after[:2] and (before[2], after[2]) == (BORDER, 2 * BORDER)
            offsets += fill(client, library, 4, 5)
            reader = Library("g")
            reader.map()
            for i, offset in enumerate(offsets):
                assert reader.bytes_at(offset, PAGE) == b"%08d" % i * (PAGE // 8)
                assert not offset < BORDER < offset + PAGE
            assert any(offset >= BORDER for offset in offsets)
            assert library.ranges() == [(after[1], BORDER), (after[1] + BORDER, BORDER)]
            reader.close()
            library.close()
            healthy("g")


@case("border", "a mapping lies in one part; what is beyond the pool cannot be mapped")
def border():
    with pool("g", 10, 10):
        fd = os.open("/dev/maru_l1/g", os.O_RDWR)
        try:
            for offset, length, fits in ((0, 8, True), (8, 8, True), (6, 4, False),
                                         (0, 16, False), (14, 2, True), (14, 4, False)):
                try:
                    with mmap.mmap(fd, length * MIB, offset=offset * MIB):
                        assert fits, (offset, length)
                except OSError as error:
                    assert error.errno == errno.EINVAL and not fits, (offset, length)
        finally:
            os.close(fd)


@case("busy", "growing disturbs no client that stores, reads and deletes meanwhile")
def busy():
    with pool("g", 20), Memory(20 * MIB) as more:
        stop, failed, rounds = threading.Event(), [], [0]

        def work(n):
            try:
                with Client("g") as client:
                    client.layout(65536)
                    keys = [b"%d/%d" % (n, i) for i in range(20)]
                    while not stop.is_set():
                        client.put(keys)
                        client.hold(keys)
                        client.release(keys)
                        client.delete(keys)
                        rounds[0] += 1
            except Exception as error:  # pylint: disable=broad-except
                failed.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        grow("g", more)
        seen = rounds[0]
        while rounds[0] < seen + 3 and not failed:
            time.sleep(0.01)
        stop.set()
        for thread in threads:
            thread.join()
        assert not failed, failed
        healthy("g")


@case("limits", "the size, the space and the limit of objects grow; one that was given stays")
def limits():
    with pool("g", 18), Memory(34 * MIB) as more:
        before = info("g")
        grow("g", more)
        after = info("g")
        assert (before["size"], after["size"]) == (16 * MIB, 48 * MIB)
        assert after["available"] - before["available"] == 32 * MIB
        assert (before["backings"], after["backings"]) == (1, 2)
        assert after["segments"] == 48 * MIB // after["segment_size"]
    with Memory(18 * MIB) as first, Memory(18 * MIB) as second:
        Tool("format", first.path).ok()
        Tool("attach", "h", first.path, "--max-objects", "77")
        grow("h", second)
        assert info("h")["max_objects"] == 77
        Tool("detach", "h").ok()


@case("in-use", "memory of another pool, of this one, or with a node that runs is refused")
def in_use():
    with pool("g", 10), pool("h", 10) as other, Memory(10 * MIB) as running:
        before = info("g")
        for memory, words in ((other[0], "formatted already"),):
            done = Tool("grow", "g", memory.path)
            assert done.code == 1 and words in done.err, done
        done = Tool("grow", "g", other[0].path, "--force")
        assert done.code == 1 and "in use" in done.err, done
        stop = threading.Event()

        def beat():
            n = 0
            while not stop.is_set():
                n += 1
                running.write(BEATS + 64, n.to_bytes(8, "little"))
                time.sleep(0.1)

        thread = threading.Thread(target=beat)
        thread.start()
        try:
            done = Tool("grow", "g", running.path)
            assert done.code == 1 and "node 2 runs" in done.err, done
        finally:
            stop.set()
            thread.join()
        assert info("g") == before
        assert info("h")["size"] == 8 * MIB


@case("not-a-part", "GROW takes only what is formatted as the pool's next part: EXDEV, EUCLEAN")
def not_a_part():
    with pool("g", 10, 10) as memories, Memory(10 * MIB) as blank, Memory(10 * MIB) as foreign:
        Tool("format", foreign.path).ok()
        assert grow_raw("g", blank.fd) == errno.EUCLEAN
        assert grow_raw("g", foreign.fd) == errno.EXDEV
        assert grow_raw("g", memories[1].fd) == errno.EBUSY
        assert grow_raw("nope", blank.fd) == errno.ENOENT
        assert grow_raw("g", 999) == errno.EOPNOTSUPP
        with open("/etc/hostname", "rb") as file:
            assert grow_raw("g", file.fileno()) == errno.EOPNOTSUPP
        assert info("g")["backings"] == 2
        healthy("g")


@case("fenced", "a pool that is fenced or gone does not grow")
def fenced():
    with pool("g", 10) as memories, Memory(10 * MIB) as more:
        with memories[0].map() as area:
            area[BEATS:BEATS + 8] = bytes(8)	# another has written this node's line
        end = time.monotonic() + 20
        while info("g")["state"] != "fenced":
            assert time.monotonic() < end
            time.sleep(0.05)
        done = Tool("grow", "g", more.path)
        assert done.code == 1 and "fenced" in done.err, done
        with Client("g"):
            Tool("detach", "g", "--force").ok()
            assert grow_raw("g", more.fd) == errno.ENOENT


@case("detach", "a detach while it grows is refused, and works afterwards")
def detach():
    with pool("g", 10), Memory(10 * MIB) as more:
        with subprocess.Popen([Tool.path, "grow", "g", more.path], stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL) as growing:
            for line in growing.stderr:
                if b"two seconds" in line:
                    break
            time.sleep(0.3)
            for options in ((), ("--force",)):
                done = Tool("detach", "g", *options)
                assert done.code == 1 and "in use" in done.err, done
            assert growing.wait() == 0
        assert info("g")["backings"] == 2
        Tool("detach", "g").ok()


@case("killed", "the tool killed while it grows leaves the pool as it was, and a second try works")
def killed():
    with pool("g", 10), Memory(10 * MIB) as more:
        before = info("g")
        with subprocess.Popen([Tool.path, "grow", "g", more.path], stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL) as growing:
            for line in growing.stderr:
                if b"two seconds" in line:
                    break
            time.sleep(0.5)
            growing.send_signal(signal.SIGKILL)
            assert growing.wait() == -signal.SIGKILL
        assert info("g") == before
        healthy("g")
        grow("g", more)
        assert info("g")["backings"] == 2


@case("most", "a pool has 16 parts, and not one more")
def most():
    sizes = [4] * 16
    with pool("g", *sizes), Memory(4 * MIB) as more:
        assert info("g")["backings"] == 16 and info("g")["size"] == 32 * MIB
        done = Tool("grow", "g", more.path)
        assert done.code == 1 and "16 parts" in done.err, done
        with Client("g") as client:
            client.layout(2 * MIB)
            library = Library("g")
            library.map()
            client.put([b"%d" % i for i in range(16)], 2 * MIB)
            assert len(library.ranges()) == 16
            library.close()
        healthy("g")


@case("beyond", "a client that has not set aside enough address space is told: ENOSPC")
def beyond():
    with pool("g", 10), Memory(26 * MIB) as more:
        library = Library("g")
        _, base, length = library.map()
        grow("g", more)
        ret, _, _ = library.map()
        assert ret == -errno.ENOSPC and length == 8 * MIB
        assert library.bytes_at(0, 8)
        library.close()
        fresh = Library("g")
        assert fresh.map()[::2] == (0, 32 * MIB) and base
        fresh.close()


@case("dax", "a device and a memfd are parts of one pool")
def dax():
    with Memory(18 * MIB) as memory:
        Tool("format", "--force", "/dev/dax0.0").ok()
        Tool("attach", "g", "/dev/dax0.0", "--quarantine-ms", "100")
        grow("g", memory)
        with Client("g") as client:
            size = info("g")["size"]
            client.layout(size - 16 * MIB)
            client.layout(16 * MIB)
            client.put([b"large"], 16 * MIB)
            client.layout(PAGE)
            library = Library("g")
            assert library.map()[0] == 0
            fill(client, library, 0, 8)
            library.close()
        Tool("detach", "g").ok()
        done = Tool("attach", "g", "/dev/dax0.0")
        assert done.code == 1 and "missing" in done.err, done
        Tool("attach", "g", memory.path, "/dev/dax0.0")
        Tool("detach", "g").ok()
