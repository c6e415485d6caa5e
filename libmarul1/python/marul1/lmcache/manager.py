# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""MaruL1Manager: LMCache's L1 on a pool that several servers share."""
from lmcache.logging import init_logger
from lmcache.v1.distributed.api import L1BackendType
from lmcache.v1.distributed.config import L1ManagerConfig
from lmcache.v1.distributed.error import L1ReconfigureError
from lmcache.v1.distributed.internal_api import L1ManagerListener, L1MemoryDesc

import marul1

from .feed import Feed
from .reading import Reading
from .removing import Removing
from .writing import Writing

logger = init_logger(__name__)


class MaruL1Manager(Reading, Writing, Removing):
    """An L1 manager on a pool: a URI of libmarul1, or an open Pool.

    LMCache's TTLs become the client's leases.  Closing gives back what this
    server stages and holds; what it has stored stays for the others.
    """

    def __init__(self, config: L1ManagerConfig, pool: "str | marul1.Pool"):
        super().__init__(config, pool if isinstance(pool, marul1.Pool) else marul1.Pool(pool))
        self._closed = False
        self._feed = Feed(self._client, self._on_gone, self._on_lost, self._acknowledge)

    @property
    def l1_manager_id(self) -> int:
        return self._id

    @property
    def config(self) -> L1ManagerConfig:
        return self._config

    def register_listener(self, listener: L1ManagerListener) -> None:
        with self._lock:
            self._tell.listeners.append(listener)

    def get_memory_usage(self) -> tuple[int, int]:
        try:
            total, used, _ = self._client.space()
        except ValueError:	# closed
            return 0, self._memory.size
        return used, total

    def get_staging_memory_usage(self) -> int:
        with self._lock:
            return sum(staged.obj.get_physical_size() for staged in self._staged.values())

    def get_capacity_bytes_by_backend(self) -> dict[L1BackendType, int]:
        return {self._tell.backend: self._memory.size}

    def get_l1_memory_desc(self) -> L1MemoryDesc:
        return L1MemoryDesc(ptr=self._memory.address, size=self._memory.size,
                            align_bytes=self._config.memory_config.align_bytes,
                            stable_registration_size=self._memory.size)

    def memory_region_count(self) -> int:
        return 1

    def report_status(self) -> dict:
        usage = self._client.usage()
        with self._lock:
            known, private = len(self._known), len(self._private)
            staged, held = len(self._staged), len(self._held)
        staging = self.get_staging_memory_usage()
        return {
            "is_healthy": not self._client.info()["fenced"],
            "total_object_count": known + private + staged,
            "write_locked_count": usage["my_staged"],
            "read_locked_count": held,
            "temporary_count": private,
            "staging_object_count": staged,
            "staging_bytes": staging,
            "memory_used_bytes": usage["used"],
            "memory_total_bytes": usage["total"],
            "memory_configured_bytes": usage["total"],
            "capacity_bytes_by_backend": {
                backend.value: size
                for backend, size in self.get_capacity_bytes_by_backend().items()
            },
            "memory_usage_ratio": usage["used"] / usage["total"],
            "write_ttl_seconds": self._config.write_ttl_seconds,
            "read_ttl_seconds": self._config.read_ttl_seconds,
        }

    def memcheck(self) -> bool:
        """What of its accounts this server can compare with the pool's."""
        usage = self._client.usage()
        with self._lock:
            return usage["my_staged"] <= len(self._staged)

    # A pool is no arena of LMCache's own.

    def owns_device(self, device_path: str) -> bool:
        return False

    def _no_arena(self, *_args: object, **_kwargs: object) -> "None":
        raise L1ReconfigureError(409, "L1 is a pool of maru_l1: grow it with maru-l1ctl")

    get_devdax_arena_statuses = get_devdax_arena_status = _no_arena
    add_devdax_device = remove_devdax_device = _no_arena

    def close(self) -> None:
        """The client itself ends with the last tensor that somebody still has of it."""
        if self._closed:
            return
        self._closed = True
        self._feed.close()
        with self._lock:
            self._staged.clear()
            self._private.clear()
            self._held.clear()
            self._known.clear()
        self._layouts.close()
        self._memory.close()
        try:
            self._client.close()
        except BufferError as error:
            logger.warning("L1 is closed when its tensors are no longer in use: %s", error)
