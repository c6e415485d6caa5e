# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The part of the manager that writes: reserve, then commit or abort."""
from collections.abc import Iterable

from lmcache.logging import init_logger
from lmcache.v1.distributed.api import MemoryLayoutDesc, ObjectKey
from lmcache.v1.distributed.error import L1Error
from lmcache.v1.distributed.l1_manager import validate_read_locks

import marul1

from . import layouts
from .keys import encode
from .state import Result, Staged, State

logger = init_logger(__name__)

_WRITTEN = {marul1.OK: L1Error.SUCCESS, marul1.NOT_FOUND: L1Error.KEY_NOT_EXIST}
_RESERVED = {marul1.NO_SPACE: L1Error.OUT_OF_MEMORY}


class Writing(State):
    """reserve_write and what ends a write."""

    def reserve_write(self, keys: list[ObjectKey], is_temporary: list[bool],
                      layout_desc: MemoryLayoutDesc, tag: str = "") -> dict[ObjectKey, Result]:
        if len(keys) != len(is_temporary):
            raise ValueError(f"{len(keys)} keys but {len(is_temporary)} is_temporary flags")
        size = layouts.size_of(layout_desc)
        temporary = dict(zip(keys, map(bool, is_temporary)))	# a key named twice counts once
        try:
            fingerprint = self._layouts.fingerprint(layout_desc)
            page = self._layouts.page(size)
        except OSError as error:
            logger.warning("L1: no room for a layout of %d bytes: %s", size, error)
            return {key: (L1Error.OUT_OF_MEMORY, None) for key in keys}
        got = self._client.reserve_write(page, [encode(key) for key in temporary], size,
                                         tags=self._tag(tag), temporary=list(temporary.values()))
        results: dict[ObjectKey, Result] = {}
        reserved = []
        with self._lock:
            for i, key in enumerate(temporary):
                if got.status[i] != marul1.OK:
                    results[key] = (_RESERVED.get(got.status[i], L1Error.KEY_NOT_WRITABLE), None)
                    continue
                obj = self._memory.object(got.id[i], got.offset[i], size, layout_desc)
                before = self._staged.pop((key, tag), None)
                if before:	# its lease has ended
                    self._lose(before)
                self._staged[key, tag] = Staged(got.id[i], obj, fingerprint, temporary[key])
                results[key] = (L1Error.SUCCESS, obj)
                reserved.append(key)
            if any(status in (marul1.OK, marul1.NO_SPACE) for status in got.status):
                self._tell.write_reserved(reserved, tag)
        return results

    def _take_staged(self, keys: Iterable[ObjectKey], tag: str) -> dict[ObjectKey, Staged]:
        with self._lock:
            return {key: self._staged.pop((key, tag)) for key in keys if (key, tag) in self._staged}

    def _commit(self, keys: list[ObjectKey], tag: str, holds: int
                ) -> tuple[dict[ObjectKey, Staged], marul1.Committed]:
        staged = self._take_staged(keys, tag)
        got = self._client.commit([encode(key) for key in staged], holds, tags=self._tag(tag),
                                  reservations=[one.ident for one in staged.values()],
                                  cookies=[one.cookie() for one in staged.values()])
        return staged, got

    def _written(self, staged: Staged, status: int) -> L1Error:
        if status not in _WRITTEN:
            self._lose(staged)
        return _WRITTEN.get(status, L1Error.KEY_IN_WRONG_STATE)

    def finish_write(self, keys: list[ObjectKey], tag: str = "") -> dict[ObjectKey, L1Error]:
        results = {key: L1Error.KEY_NOT_EXIST for key in keys}
        staged, got = self._commit(keys, tag, 0)
        stored, sizes = [], []
        with self._lock:
            for i, (key, one) in enumerate(staged.items()):
                results[key] = self._written(one, got.status[i])
                if got.status[i] != marul1.OK or got.result[i] & marul1.R_LOST_RACE:
                    continue
                if one.temporary:
                    self._private[key] = one
                    continue
                self._known[key] = got.length[i]
                stored.append(key)
                sizes.append(one.obj.get_size())
            self._tell.written(stored, sizes)
        return results

    def finish_write_and_reserve_read(self, keys: list[ObjectKey], read_locks: int = 1,
                                      tag: str = "") -> dict[ObjectKey, Result]:
        count = validate_read_locks(read_locks)
        results: dict[ObjectKey, Result] = {key: (L1Error.KEY_NOT_EXIST, None) for key in keys}
        staged, got = self._commit(keys, tag, count)
        self._learn(got)
        won, sizes, lost, unusable = [], [], [], []
        with self._lock:
            for i, (key, one) in enumerate(staged.items()):
                obj = one.obj if got.id[i] == one.ident else self._located(got, i)
                if got.status[i] != marul1.OK:
                    results[key] = (self._written(one, got.status[i]), None)
                    continue
                if obj is None:
                    unusable.append(got.id[i])
                    continue
                results[key] = (L1Error.SUCCESS, obj)
                self._hold(key, got.id[i], count)
                if got.result[i] & marul1.R_LOST_RACE:
                    lost.append(key)
                    continue
                won.append(key)
                sizes.append(obj.get_size())
                if one.temporary:
                    self._private[key] = one
                else:
                    self._known[key] = got.length[i]
            if lost:
                self._tell.read_reserved(lost)
            self._tell.prefetched(won, sizes)
        if unusable:
            self._client.release([None] * len(unusable), count, ids=unusable)
        return results

    def finish_write_and_delete(self, keys: list[ObjectKey], tag: str = ""
                                ) -> dict[ObjectKey, L1Error]:
        results = {key: L1Error.KEY_NOT_EXIST for key in keys}
        staged = self._take_staged(keys, tag)
        got = self._client.abort([encode(key) for key in staged], tags=self._tag(tag))
        gone = []
        with self._lock:
            for i, (key, one) in enumerate(staged.items()):
                results[key] = self._written(one, got.status[i])
                if got.status[i] == marul1.OK and not self._has(key):
                    gone.append(key)
            self._tell.staging_gone(gone)
        return results
