# SPDX-License-Identifier: GPL-2.0-only
"""Format v1, written down a second time: the tool may not check itself."""
import struct

MIB = 1 << 20
COPY = 4096
BEATS, AREA, LINE = 0x2000, 0x80000, 64
HEAD = struct.Struct("<8sIIQ16s32sQQQII16Q")
NAMES = ("magic", "version", "flags", "generation", "uuid", "label", "unit",
         "segment", "pool", "index", "count")


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xff] ^ crc >> 8
    return crc ^ 0xffffffff


def _entry(n):
    for _ in range(8):
        n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
    return n


TABLE = [_entry(n) for n in range(256)]


def superblock(copy):
    """The fields of one copy of 4 KiB; raises where it is not as v1 says."""
    values = HEAD.unpack_from(copy)
    sb = dict(zip(NAMES, values))
    sb["backings"] = values[len(NAMES):]
    assert sb["magic"] == b"MARU_L1\0", sb
    assert sb["version"] == 1, sb
    assert not any(copy[HEAD.size:COPY - 4]), "reserved bytes"
    assert struct.unpack("<I", copy[COPY - 4:])[0] == crc32c(copy[:COPY - 4]), "crc"
    return sb


def beat_line(node, beat):
    """A line of a node that runs."""
    body = struct.pack("<4sHHIIQ16s16sI", b"MR1B", node, 1, 1, 0, beat, b"m" * 16,
                       b"b" * 16, 0)
    return body + struct.pack("<I", crc32c(body))
