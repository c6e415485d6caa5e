# SPDX-License-Identifier: GPL-2.0-only
"""Attaching pools of several parts."""
import errno
import itertools
import os
import struct
import threading
import time
import uuid

from harness import MIB, Memory, Tool, case
from parts import BEATS, attach, attach_raw, grow, healthy, info, pool
from pools import Client

COPY = 4096


def detached(*sizes):
    """Memories of a pool of these parts that is not attached."""
    memories = [Memory(size * MIB) for size in sizes]
    Tool("format", memories[0].path).ok()
    attach("p", memories[0])
    for memory in memories[1:]:
        grow("p", memory)
    Tool("detach", "p").ok()
    return memories


def uuid_of(memory):
    """As the superblock has it."""
    return str(uuid.UUID(bytes=memory.read(24, 16)))


def close(memories):
    if os.path.exists("/dev/maru_l1/p"):
        Tool("detach", "p", "--force")
    for memory in memories:
        memory.close()


@case("orders", "the parts may be given in any order")
def orders():
    memories = detached(8, 12, 6)
    try:
        for order in list(itertools.permutations(memories))[::2]:
            attach("p", *order)
            assert info("p")["size"] == 20 * MIB
            with Client("p") as client:
                client.layout(4 * MIB)
                client.put([b"1", b"2", b"3"], 4 * MIB)
            healthy("p")
            Tool("detach", "p").ok()
    finally:
        close(memories)


@case("missing", "a part that is missing: ENXIO, and the tool says so; nothing is changed")
def missing():
    memories = detached(8, 12, 6)
    try:
        before = [memory.read(0, 2 * MIB) for memory in memories]
        fds = [memory.fd for memory in memories]
        assert attach_raw("p", fds[:2]) == errno.ENXIO
        assert attach_raw("p", fds[1:]) == errno.ENXIO
        assert attach_raw("p", fds[:1]) == errno.ENXIO
        done = attach("p", memories[0], memories[2], code=1)
        for words in ("part 2 of 3", "missing", f"--uuid {uuid_of(memories[0])}"):
            assert words in done.err, done
        done = attach("p", memories[2], memories[1], code=1)
        assert "part 1 of 3" in done.err, done
        assert [memory.read(0, 2 * MIB) for memory in memories] == before
        assert not os.path.exists("/dev/maru_l1/p")
        assert attach_raw("p", fds) == 0
    finally:
        close(memories)


@case("foreign", "a part of another pool, or the same part twice: EXDEV, EBUSY")
def foreign():
    memories, others = detached(8, 8), detached(8, 8)
    try:
        fds = [memory.fd for memory in memories]
        assert attach_raw("p", [fds[0], others[1].fd]) == errno.EXDEV
        assert attach_raw("p", fds + [others[0].fd]) == errno.EXDEV
        assert attach_raw("p", [fds[0], fds[0]]) == errno.EBUSY
        copy = Memory(8 * MIB)
        copy.write(0, memories[1].read())
        assert attach_raw("p", fds + [copy.fd]) == errno.EXDEV
        done = attach("p", *memories, copy, code=1)
        assert f"{memories[1].path} and {copy.path} both say that they are part 2" in done.err, done
        copy.close()
        done = attach("p", memories[0], others[1], code=1)
        assert f"{others[1].path} is of another pool" in done.err, done
        blank = Memory(8 * MIB)
        assert attach_raw("p", [fds[0], blank.fd]) == errno.EUCLEAN
        blank.close()
        assert attach_raw("p", fds) == 0
    finally:
        close(memories)
        close(others)


@case("interrupted", "a growth that had not come to the first part has not happened")
def interrupted():
    memories = detached(8, 8)
    try:
        before = memories[0].read(0, 2 * COPY)
        attach("p", *memories)
        with Memory(8 * MIB) as third:
            grow("p", third)
            Tool("detach", "p").ok()
            # The first part as it was: what a host that died there leaves.
            memories[0].write(0, before)
            fds = [memory.fd for memory in memories]
            assert attach_raw("p", fds + [third.fd]) == errno.EXDEV
            done = attach("p", third, *memories, code=1)
            assert "was interrupted" in done.err and third.path in done.err, done
            assert attach_raw("p", fds) == 0
            assert info("p")["size"] == 12 * MIB
            healthy("p")
            grow("p", third)
            assert info("p")["size"] == 18 * MIB
            Tool("detach", "p").ok()
            assert attach_raw("p", [third.fd, *fds]) == 0
            Tool("detach", "p").ok()
    finally:
        close(memories)


def craft(memory, offset, form, *values):
    """Changes a field of both copies, and makes their checksums right again."""
    for at in (0, COPY):
        copy = bytearray(memory.read(at, COPY))
        struct.pack_into(form, copy, offset, *values)
        struct.pack_into("<I", copy, COPY - 4, crc32c(copy[:COPY - 4]))
        memory.write(at, bytes(copy))


def crc32c(data):
    """As the format has it: not that of zlib."""
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


@case("between", "a growth that ended between its writes has not happened, whichever was last")
def between():
    memories = detached(8, 8)
    third = Memory(8 * MIB)
    try:
        before = [memory.read(0, 2 * COPY) for memory in memories]
        attach("p", *memories)
        grow("p", third)
        Tool("detach", "p").ok()
        for untouched in (1, 2):	# only the new part was written; the second, too
            for memory, old in list(zip(memories, before))[:3 - untouched]:
                memory.write(0, old)
            fds = [memory.fd for memory in memories]
            assert attach_raw("p", fds) == 0, untouched
            assert info("p")["size"] == 12 * MIB
            grow("p", third)
            Tool("detach", "p").ok()
            assert attach_raw("p", [*fds, third.fd]) == 0
            assert info("p")["size"] == 18 * MIB
            Tool("detach", "p").ok()
    finally:
        third.close()
        close(memories)


@case("crafted", "parts that lie about index, count or sizes are refused, whatever they say")
def crafted():
    memories = detached(8, 8)
    try:
        good = [memory.read(0, 2 * COPY) for memory in memories]
        index, count, sizes = 96, 100, 104
        for where, form, values, wanted in (
                (index, "<I", (0,), errno.EXDEV),		# two first parts
                (index, "<I", (2,), errno.EUCLEAN),		# beyond the count
                (index, "<I", (0xffffffff,), errno.EUCLEAN),
                (count, "<I", (17,), errno.EUCLEAN),
                (count, "<I", (0,), errno.EUCLEAN),
                (sizes, "<QQ", (4 * MIB, 8 * MIB), errno.EUCLEAN)):	# not the sum
            memories[1].write(0, good[1])
            craft(memories[1], where, form, *values)
            assert attach_raw("p", [m.fd for m in memories]) == wanted, (where, values)
        memories[1].write(0, good[1])
        assert attach_raw("p", [m.fd for m in memories]) == 0
    finally:
        close(memories)


@case("beats", "this node beats on every part: a part alone shows that it is in use")
def beats():
    memories = detached(8, 8)
    try:
        attach("p", *memories)
        for memory in memories:
            first = memory.read(BEATS, 64)
            end = time.monotonic() + 10
            while memory.read(BEATS, 64) == first:
                assert time.monotonic() < end, "no beat"
                time.sleep(0.05)
        done = Tool("format", "--force", memories[1].path)
        assert done.code == 1 and "runs on it" in done.err, done
    finally:
        close(memories)


@case("running", "a node that runs on a later part keeps all of the pool from being attached")
def running():
    memories = detached(8, 8)
    stop = threading.Event()

    def beat():
        n = 0
        while not stop.is_set():
            n += 1
            memories[1].write(BEATS + 5 * 64, n.to_bytes(8, "little"))
            time.sleep(0.1)

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        assert attach_raw("p", [m.fd for m in memories]) == errno.EBUSY
    finally:
        stop.set()
        thread.join()
        memories[1].write(BEATS + 5 * 64, bytes(64))
    try:
        assert attach_raw("p", [m.fd for m in memories]) == 0
    finally:
        close(memories)


@case("stolen", "a line that another takes on any part fences the node")
def stolen():
    memories = detached(8, 8)
    try:
        attach("p", *memories)
        memories[1].write(BEATS, bytes(64))
        end = time.monotonic() + 20
        while info("p")["state"] != "fenced":
            assert time.monotonic() < end, "not fenced"
            time.sleep(0.05)
    finally:
        close(memories)


@case("forced", "a forced detach revokes the mappings of all parts")
def forced():
    from grow_cases import Library  # pylint: disable=import-outside-toplevel
    with pool("g", 8, 8):
        pid = os.fork()
        if not pid:
            library = Library("g")
            library.map()
            library.bytes_at(7 * MIB, 1)
            os.kill(os.getpid(), 19)	# SIGSTOP: until the pool is gone
            library.bytes_at(7 * MIB, 1)
            os._exit(0)
        os.waitpid(pid, os.WUNTRACED)
        Tool("detach", "g", "--force").ok()
        os.kill(pid, 18)
        _, status = os.waitpid(pid, 0)
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == 7, status	# SIGBUS
