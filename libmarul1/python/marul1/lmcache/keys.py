# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""LMCache's ObjectKey as the bytes that are the key in the pool, and back.

Every field is preceded by its length, so that no two keys give the same bytes,
whatever is in their fields.  The bytes begin with a version of this form: two
servers that share a pool must write the same one.
"""
import functools
import struct

from lmcache.v1.distributed.api import ObjectKey

FORM = b"lm1"
_LENGTH = struct.Struct(">H")


@functools.lru_cache(maxsize=1 << 18)
def encode(key: ObjectKey) -> bytes:
    """The key's bytes; too many of them are for the pool to refuse."""
    fields = (key.chunk_hash, key.model_name.encode("utf-8", "surrogatepass"),
              b"%d" % key.kv_rank, b"%d" % key.object_group_id,
              key.cache_salt.encode("utf-8", "surrogatepass"))
    return FORM + b"".join([_LENGTH.pack(min(len(field), 0xffff)) + field for field in fields])


def _fields(data: bytes) -> list[bytes]:
    fields, at = [], len(FORM)
    while at < len(data):
        size, = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        if at + size > len(data):
            raise ValueError("a field is cut off")
        fields.append(data[at:at + size])
        at += size
    return fields


def decode(data: bytes) -> ObjectKey | None:
    """The key, or None: somebody else's, whose form is another."""
    if not data.startswith(FORM):
        return None
    try:
        chunk, model, rank, group, salt = _fields(data)
        return ObjectKey(chunk, model.decode("utf-8", "surrogatepass"), int(rank), int(group),
                         salt.decode("utf-8", "surrogatepass"))
    except (ValueError, struct.error):
        return None
