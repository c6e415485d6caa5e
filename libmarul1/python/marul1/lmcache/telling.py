# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What listeners and LMCache's event bus are told, where its own manager tells it."""
from lmcache.v1.distributed.api import L1BackendType, ObjectKey
from lmcache.v1.distributed.config import L1ManagerConfig
from lmcache.v1.distributed.internal_api import L1ManagerListener, L1ObjectMeta
from lmcache.v1.mp_observability.event import Event, EventType
from lmcache.v1.mp_observability.event_bus import get_event_bus

Keys = list[ObjectKey]


class Telling:
    """Called under the manager's lock, as LMCache's own listeners are."""

    def __init__(self, config: L1ManagerConfig, backend: L1BackendType):
        self.backend = backend
        self.listeners: list[L1ManagerListener] = []
        self._l1_tag = config.tag
        self._bus = get_event_bus()

    def _publish(self, kind: EventType, keys: Keys, **more: object) -> None:
        self._bus.publish(Event(event_type=kind,
                                metadata={"l1_tag": self._l1_tag, "keys": keys, **more}))

    def _meta(self, sizes: list[int]) -> list[L1ObjectMeta]:
        return [L1ObjectMeta(size_bytes=size, backend=self.backend) for size in sizes]

    def read_reserved(self, keys: Keys) -> None:
        for listener in self.listeners:
            listener.on_l1_keys_reserved_read(keys)
        self._publish(EventType.L1_READ_RESERVED, keys)

    def appeared(self, keys: Keys, sizes: list[int]) -> None:
        """Stored by another server, met for the first time, and read-locked: for those who
        keep count of keys the same as a prefetch."""
        if keys:
            self.prefetched(keys, sizes)

    def read_finished(self, keys: Keys, gone: Keys, sizes: list[int]) -> None:
        for listener in self.listeners:
            listener.on_l1_keys_read_finished(keys)
            listener.on_l1_keys_deleted_by_manager(gone)
        self._publish(EventType.L1_READ_FINISHED, keys)
        self._publish(EventType.L1_KEYS_EVICTED, gone, meta=self._meta(sizes))

    def write_reserved(self, keys: Keys, tag: str) -> None:
        for listener in self.listeners:
            listener.on_l1_keys_reserved_write(keys)
        self._publish(EventType.L1_WRITE_RESERVED, keys, tag=tag)

    def written(self, keys: Keys, sizes: list[int]) -> None:
        if not keys:
            return
        for listener in self.listeners:
            listener.on_l1_keys_write_finished(keys)
        self._publish(EventType.L1_WRITE_FINISHED, keys, meta=self._meta(sizes))

    def prefetched(self, keys: Keys, sizes: list[int]) -> None:
        for listener in self.listeners:
            listener.on_l1_keys_finish_write_and_reserve_read(keys)
        self._publish(EventType.L1_WRITE_FINISHED_AND_READ_RESERVED, keys,
                      meta=self._meta(sizes))

    def deleted(self, keys: Keys, sizes: list[int]) -> None:
        for listener in self.listeners:
            listener.on_l1_keys_deleted_by_manager(keys)
        self._publish(EventType.L1_KEYS_EVICTED, keys, meta=self._meta(sizes))

    def staging_gone(self, keys: Keys) -> None:
        """Nothing that could be read is gone: listeners only."""
        if keys:
            for listener in self.listeners:
                listener.on_l1_keys_deleted_by_manager(keys)

    def accessed(self, keys: Keys) -> None:
        for listener in self.listeners:
            listener.on_l1_keys_accessed(keys)
        if self._bus.has_subscribers(EventType.L1_KEYS_ACCESSED):
            self._publish(EventType.L1_KEYS_ACCESSED, keys)
