# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The part of the manager that reads: a hit is one call for all keys."""
from lmcache.logging import init_logger
from lmcache.v1.distributed.api import ObjectKey
from lmcache.v1.distributed.error import L1Error
from lmcache.v1.distributed.l1_manager import validate_read_locks

import marul1

from .keys import encode
from .state import Result, State

logger = init_logger(__name__)


class Reading(State):
    """reserve_read, unsafe_read, finish_read."""

    def reserve_read(self, keys: list[ObjectKey], read_locks: int = 1) -> dict[ObjectKey, Result]:
        count = validate_read_locks(read_locks)
        got = self._client.reserve_read([encode(key) for key in keys], count)
        found, new, unusable = [], [], []
        results: dict[ObjectKey, Result] = {}
        self._learn(got)
        with self._lock:
            for i, key in enumerate(keys):
                obj = self._located(got, i)
                if obj is None:
                    results[key] = (L1Error.KEY_NOT_EXIST, None)
                    if got.status[i] == marul1.OK:
                        unusable.append(i)
                    continue
                results[key] = (L1Error.SUCCESS, obj)
                self._hold(key, got.id[i], count)
                self._note(key, got, i, found, new)
            self._tell.appeared(new, [self._known[key] for key in new])
            self._tell.read_reserved(found)
        if unusable:
            self._client.release([None] * len(unusable), count, ids=[got.id[i] for i in unusable])
        return results

    def _note(self, key: ObjectKey, got: marul1.Located, i: int, known: list[ObjectKey],
              new: list[ObjectKey]) -> None:
        """Whether listeners know a key, or another server stored it."""
        if key in self._known or got.result[i] & marul1.R_PRIVATE:
            known.append(key)
        else:
            self._known[key] = got.length[i]
            new.append(key)

    def unsafe_read(self, keys: list[ObjectKey]) -> dict[ObjectKey, Result]:
        got = self._client.peek([encode(key) for key in keys])
        results: dict[ObjectKey, Result] = {}
        for i, key in enumerate(keys):
            obj = self._located(got, i)
            if obj is not None:
                results[key] = (L1Error.SUCCESS, obj)
            elif got.status[i] == marul1.NOT_HELD:
                results[key] = (L1Error.KEY_NOT_READABLE, None)
            else:
                results[key] = (L1Error.KEY_NOT_EXIST, None)
        return results

    def finish_read(self, keys: list[ObjectKey], read_locks: int = 1) -> dict[ObjectKey, L1Error]:
        count = validate_read_locks(read_locks)
        results: dict[ObjectKey, L1Error] = {}
        with self._lock:
            taken = [self._take_hold(key, count) for key in keys]
        got = self._client.release([encode(key) for key in keys], count, ids=taken)
        finished, gone, sizes = [], [], []
        with self._lock:
            for i, key in enumerate(keys):
                results[key] = self._released(key, got.status[i])
                if got.status[i] != marul1.OK:
                    continue
                finished.append(key)
                if key in self._private and key not in self._held:
                    gone.append(key)
                    sizes.append(self._private.pop(key).obj.get_size())
            self._tell.read_finished(finished, gone, sizes)
        return results

    def _take_hold(self, key: ObjectKey, count: int) -> int:
        """The id whose holds are given back first; 0: none is held."""
        held = self._held.get(key)
        if not held:
            return 0
        ident = next(iter(held))
        held[ident] -= count
        if held[ident] <= 0:
            del held[ident]
        if not held:
            del self._held[key]
        return ident

    def _released(self, key: ObjectKey, status: int) -> L1Error:
        if status == marul1.OK:
            return L1Error.SUCCESS
        logger.warning("L1: read of %s ended as %s: what was read must not be trusted", key,
                       marul1.status_name(status))
        return L1Error.KEY_NOT_EXIST if status in (marul1.NOT_FOUND, marul1.INVALID) else \
            L1Error.KEY_IN_WRONG_STATE
