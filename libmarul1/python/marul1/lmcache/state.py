# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What a manager remembers beside the pool, and how parts of it share that.

The lock guards it and is never held across a call of the pool; listeners are told
under it, in LMCache's own manner.
"""
import collections
import threading
import weakref

from lmcache.logging import init_logger
from lmcache.v1.distributed.api import L1BackendType, ObjectKey
from lmcache.v1.distributed.config import L1ManagerConfig
from lmcache.v1.distributed.error import L1Error
from lmcache.v1.distributed.l1_manager import next_l1_manager_id
from lmcache.v1.memory_management import TensorMemoryObj

import marul1

from . import layouts
from .layouts import Layouts
from .memory import Memory
from .telling import Telling

logger = init_logger(__name__)

Result = tuple[L1Error, TensorMemoryObj | None]


class Staged:
    """A reservation of this server."""

    def __init__(self, ident: int, obj: TensorMemoryObj, fingerprint: bytes, temporary: bool):
        self.ident, self.obj = ident, obj
        self.fingerprint, self.temporary = fingerprint, temporary

    def cookie(self) -> bytes:
        return layouts.cookie(self.fingerprint, self.obj.get_size())


class State:
    """Common to reading, writing and removing."""

    def __init__(self, config: L1ManagerConfig, pool: marul1.Pool):
        self._config = config
        self._id = next_l1_manager_id()
        self._pool = pool
        self._client = pool.client()
        self._client.set_leases(config.read_ttl_seconds * 1000, config.write_ttl_seconds * 1000)
        self._layouts = Layouts(pool.client())
        self._memory = Memory(self._client, self._id)
        self._lock = threading.Lock()
        self._tags: dict[str, int] = {"": 0}
        self._staged: dict[tuple[ObjectKey, str], Staged] = {}
        # Ids and counts behind the read locks of a key, the oldest first.
        self._held: dict[ObjectKey, collections.Counter[int]] = {}
        # Published keys that listeners know, and the bytes of the object.
        self._known: dict[ObjectKey, int] = {}
        # Temporary objects: they stay ours from commit to their last read.
        self._private: dict[ObjectKey, Staged] = {}
        # Reservations that the pool took back and whose transfer has ended.
        self._ended: collections.deque[int] = collections.deque()
        self._tell = Telling(config, self._backend())

    def _backend(self) -> L1BackendType:
        embedded = self._client.info()["name"] == "embedded"
        return L1BackendType.DRAM if embedded else L1BackendType.DEVDAX

    def _tag(self, tag: str) -> int:
        with self._lock:
            return self._tags.setdefault(tag, len(self._tags))

    def _has(self, key: ObjectKey) -> bool:
        return key in self._known or key in self._private or \
            any((key, tag) in self._staged for tag in self._tags)

    def _learn(self, got: marul1.Located | marul1.Committed) -> None:
        self._layouts.learn(cookie for cookie, status in zip(got.cookie, got.status)
                            if status == marul1.OK)

    def _located(self, got: marul1.Located | marul1.Committed, i: int) -> TensorMemoryObj | None:
        """None: not there, or nobody says what it is made of."""
        if got.status[i] != marul1.OK:
            return None
        fingerprint, used = layouts.read_cookie(got.cookie[i])
        layout = self._layouts.known(fingerprint)
        if layout is None or max(used, layouts.size_of(layout)) > got.length[i]:
            return None
        return self._memory.object(got.id[i], got.offset[i], got.length[i], layout, used)

    def _hold(self, key: ObjectKey, ident: int, count: int) -> None:
        self._held.setdefault(key, collections.Counter())[ident] += count

    def _lose(self, staged: Staged) -> None:
        """The pool took a write back: it is acknowledged when nobody has its MemoryObj any
        more, because until then a transfer may go on."""
        weakref.finalize(staged.obj, self._ended.append, staged.ident).atexit = False

    def _acknowledge(self) -> None:
        ended = [self._ended.popleft() for _ in range(len(self._ended))]
        if ended:
            self._client.abort([None] * len(ended), ids=ended)
