# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The part of the manager that removes, and learns what others removed."""
from lmcache.logging import init_logger
from lmcache.v1.distributed.api import ObjectKey
from lmcache.v1.distributed.error import L1Error

import marul1

from .keys import decode, encode
from .state import State

logger = init_logger(__name__)

_DELETED = {marul1.OK: L1Error.SUCCESS, marul1.NOT_FOUND: L1Error.KEY_NOT_EXIST,
            marul1.INVALID: L1Error.KEY_NOT_EXIST}


class Removing(State):
    """delete, clear, and the feed's news."""

    def delete(self, keys: list[ObjectKey], force: bool = False) -> dict[ObjectKey, L1Error]:
        keys = list(dict.fromkeys(keys))
        got = self._client.delete([encode(key) for key in keys], force=force)
        results: dict[ObjectKey, L1Error] = {}
        gone, sizes, staging = [], [], []
        with self._lock:
            for i, key in enumerate(keys):
                results[key] = _DELETED.get(got.status[i], L1Error.KEY_IS_LOCKED)
                lost = self._drop_staged(key) if force or got.status[i] == marul1.OK else 0
                if force:
                    self._held.pop(key, None)
                if got.status[i] != marul1.OK:
                    continue
                size = self._forget(key)
                if size is not None:
                    gone.append(key)
                    sizes.append(size)
                elif lost:
                    staging.append(key)
            self._tell.deleted(gone, sizes)
            self._tell.staging_gone(staging)
        return results

    def _drop_staged(self, key: ObjectKey) -> int:
        """Writes of the key that the pool has taken back. Return: how many."""
        lost = [(key, tag) for tag in self._tags if (key, tag) in self._staged]
        for name in lost:
            self._lose(self._staged.pop(name))
        return len(lost)

    def _forget(self, key: ObjectKey) -> int | None:
        """The bytes of an object that is no longer there; None: listeners did not know it."""
        private = self._private.pop(key, None)
        if private:
            return private.obj.get_size()
        return self._known.pop(key, None)

    def clear(self, force: bool = False) -> None:
        """Deletes what listeners know and nobody holds; by force also what this server
        stages and holds.  What only other servers know stays."""
        if force:
            logger.warning("L1: dropping all that this server stages and holds")
        with self._lock:
            keys = list(self._known) + list(self._private)
            if force:
                keys += [key for key, _ in self._staged]
        self.delete(keys, force)

    def is_key_evictable(self, key: ObjectKey) -> bool:
        """As far as this server knows: the pool looks again when it is deleted."""
        return key not in self._held and (key in self._known or key in self._private)

    def touch_keys(self, keys: list[ObjectKey]) -> None:
        self._client.touch([encode(key) for key in keys])
        self._tell.accessed(keys)

    # What the feed calls, in its own thread.

    def _on_gone(self, gone: list[tuple[bytes, int]]) -> None:
        keys, sizes = [], []
        with self._lock:
            for data, _ in gone:
                key = decode(data)
                size = self._known.pop(key, None) if key else None
                if size is not None:
                    keys.append(key)
                    sizes.append(size)
            if keys:
                self._tell.deleted(keys, sizes)

    def _on_lost(self) -> None:
        """Events did not fit: asks for every key that listeners know."""
        with self._lock:
            keys = list(self._known)
        got = self._client.query([encode(key) for key in keys])
        absent = [(encode(key), 0) for key, state in zip(keys, got.state)
                  if state not in (marul1.S_PUBLISHED, marul1.S_DELETING)]
        if absent:
            self._on_gone(absent)
