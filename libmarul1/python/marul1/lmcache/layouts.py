# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What tensors an object is made of, told to those who did not write it.

The cookie of an object has a fingerprint of its shapes and types and the bytes
in use.  Whoever meets an unknown fingerprint looks up the description, which the
writer keeps in the pool under a key of its own and holds while it lives.
"""
import hashlib
import json
import struct
import threading
from collections.abc import Iterable

import torch
from lmcache.v1.distributed.api import MemoryLayoutDesc

import marul1

DESCRIPTION_BYTES = 4096
_COOKIE = struct.Struct("<8sQ")
_KEY = b"lm1-layout"


def cookie(fingerprint: bytes, used: int) -> bytes:
    return _COOKIE.pack(fingerprint, used)


def read_cookie(data: bytes) -> tuple[bytes, int]:
    """Fingerprint and bytes in use."""
    return _COOKIE.unpack(data)


def _describe(layout: MemoryLayoutDesc) -> bytes:
    text = json.dumps({"shapes": [list(shape) for shape in layout.shapes],
                       "dtypes": [str(dtype) for dtype in layout.dtypes]},
                      separators=(",", ":")).encode()
    if len(text) > DESCRIPTION_BYTES:
        raise ValueError(f"a layout of {len(layout.shapes)} tensors is too long to describe")
    return text


def _parse(text: bytes) -> MemoryLayoutDesc | None:
    try:
        told = json.loads(text)
        dtypes = [getattr(torch, name.removeprefix("torch.")) for name in told["dtypes"]]
        shapes = [torch.Size(shape) for shape in told["shapes"]]
        if len(shapes) != len(dtypes) or not all(isinstance(d, torch.dtype) for d in dtypes):
            return None
        return MemoryLayoutDesc(shapes=shapes, dtypes=dtypes)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def size_of(layout: MemoryLayoutDesc) -> int:
    return sum(shape.numel() * dtype.itemsize
               for shape, dtype in zip(layout.shapes, layout.dtypes, strict=True))


class Layouts:
    """The layouts that this server writes or has met.

    @client holds the descriptions, for which there is no lease.
    """

    def __init__(self, client: marul1.Client):
        self._client = client
        self._lock = threading.Lock()
        self._by_fingerprint: dict[bytes, MemoryLayoutDesc] = {}
        self._fingerprints: dict[tuple, bytes] = {}
        self._pages: dict[int, int] = {}

    def page(self, size: int) -> int:
        """The pool's id for pages of that many bytes."""
        page = self._pages.get(size)
        if page is None:
            page = self._pages[size] = self._client.layout(size)
        return page

    def fingerprint(self, layout: MemoryLayoutDesc) -> bytes:
        """Describes the layout in the pool when it is new to this server."""
        same = (tuple(layout.shapes), tuple(layout.dtypes))
        found = self._fingerprints.get(same)
        if found is None:
            text = _describe(layout)
            found = hashlib.sha256(text).digest()[:8]
            self._publish(found, text)
            with self._lock:
                self._by_fingerprint[found] = layout
                self._fingerprints[same] = found
        return found

    def _publish(self, fingerprint: bytes, text: bytes) -> None:
        key = _KEY + fingerprint
        while self._client.reserve_read([key]).status[0] != marul1.OK:
            self._client.put(self.page(DESCRIPTION_BYTES), key, text)

    def learn(self, cookies: Iterable[bytes]) -> None:
        """Looks up the descriptions that these need and that are not known yet."""
        for fingerprint in {data[:8] for data in cookies}:
            if fingerprint not in self._by_fingerprint:
                self._look_up(fingerprint)

    def known(self, fingerprint: bytes) -> MemoryLayoutDesc | None:
        return self._by_fingerprint.get(fingerprint)

    def _look_up(self, fingerprint: bytes) -> None:
        text = self._client.get(_KEY + fingerprint)
        if text is None or hashlib.sha256(text).digest()[:8] != fingerprint:
            return
        layout = _parse(text)
        if layout is not None:
            with self._lock:
                self._by_fingerprint[fingerprint] = layout

    def close(self) -> None:
        self._client.close()
