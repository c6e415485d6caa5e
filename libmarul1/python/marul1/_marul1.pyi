# SPDX-License-Identifier: GPL-2.0-only OR MIT
from array import array
from collections.abc import Buffer, Callable, Sequence
from types import TracebackType
from typing import NamedTuple

__version__: str

OK: int
NOT_FOUND: int
NOT_HELD: int
NOT_READABLE: int
NOT_WRITABLE: int
EXPIRED: int
LOCKED: int
NO_SPACE: int
STALE: int
PENDING: int
INVALID: int
R_LOST_RACE: int
R_PRIVATE: int
R_NEEDS_INVALIDATE: int
R_CLAMPED: int
R_CUT_OFF: int
R_FENCED: int
S_ABSENT: int
S_STAGED: int
S_PRIVATE: int
S_PUBLISHED: int
S_DELETING: int
Q_EVICTABLE: int
Q_STAGED_HERE: int
EV_DELETED: int
EV_KEPT: int
EV_HOLD_EXPIRED: int
EV_WATERMARK: int
EV_MEDIA_ERROR: int
EV_FENCED: int
EV_LOST: int
EV_ALL: int
EV_SELF: int
KEY_MAX: int
HOLDS_MAX: int
COOKIE_LEN: int
BATCH_MAX: int

class Reserved(NamedTuple):
    status: array[int]
    result: array[int]
    offset: array[int]
    page_size: array[int]
    id: array[int]

class Committed(NamedTuple):
    status: array[int]
    result: array[int]
    offset: array[int]
    length: array[int]
    id: array[int]
    cookie: list[bytes]

class Aborted(NamedTuple):
    status: array[int]
    result: array[int]

class Located(NamedTuple):
    status: array[int]
    result: array[int]
    offset: array[int]
    length: array[int]
    id: array[int]
    cookie: list[bytes]

class Released(NamedTuple):
    status: array[int]
    result: array[int]
    released: array[int]

class Renewed(NamedTuple):
    status: array[int]
    result: array[int]

class Deleted(NamedTuple):
    status: array[int]
    result: array[int]
    id: array[int]

class Touched(NamedTuple):
    status: array[int]
    result: array[int]

class Queried(NamedTuple):
    status: array[int]
    result: array[int]
    state: array[int]
    flags: array[int]
    my_holds: array[int]
    holders: array[int]
    length: array[int]
    id: array[int]

class Event(NamedTuple):
    kind: int
    id: int
    value: int
    flags: int
    key: bytes

def status_name(status: int, /) -> str: ...

class Context:
    def __new__(cls, log: Callable[[int, str], object] | None = None) -> Context: ...

class Pool:
    def __new__(cls, uri: str, context: Context = ...) -> Pool: ...
    def client(self, *, readonly: bool = False) -> Client: ...

class Client:
    def __new__(cls, pool: Pool, readonly: bool = False) -> Client: ...
    @property
    def closed(self) -> bool: ...
    @property
    def pool(self) -> Pool: ...
    def close(self) -> None: ...
    def __enter__(self) -> Client: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None, /) -> None: ...
    def reserve_write(self, layout: int, keys: Sequence[bytes], lengths: int | Sequence[int], *,
                      tags: int | Sequence[int] = 0,
                      temporary: bool | Sequence[bool] = False) -> Reserved: ...
    def commit(self, keys: Sequence[bytes], holds: int | Sequence[int] = 0, *,
               tags: int | Sequence[int] = 0, reservations: int | Sequence[int] = 0,
               cookies: bytes | Sequence[bytes] | None = None) -> Committed: ...
    def abort(self, keys: Sequence[bytes | None], *, tags: int | Sequence[int] = 0,
              ids: int | Sequence[int] = 0) -> Aborted: ...
    def reserve_read(self, keys: Sequence[bytes], holds: int | Sequence[int] = 1, *,
                     strict: bool = False) -> Located: ...
    def peek(self, keys: Sequence[bytes], /) -> Located: ...
    def release(self, keys: Sequence[bytes | None], holds: int | Sequence[int] = 1, *,
                ids: int | Sequence[int] = 0) -> Released: ...
    def renew(self, keys: Sequence[bytes | None], *,
              ids: int | Sequence[int] = 0) -> Renewed: ...
    def delete(self, keys: Sequence[bytes], *, force: bool = False) -> Deleted: ...
    def touch(self, keys: Sequence[bytes], /) -> Touched: ...
    def query(self, keys: Sequence[bytes], /) -> Queried: ...
    def layout(self, bytes: int, alignment: int = 0) -> int: ...
    def set_leases(self, read_ms: int, write_ms: int) -> None: ...
    def info(self) -> dict[str, object]: ...
    def usage(self) -> dict[str, int]: ...
    def clear(self, *, force: bool = False) -> None: ...
    def evict(self, *, bytes: int = 0, count: int = 0,
              dry_run: bool = False) -> tuple[int, int]: ...
    def report_bad(self, offset: int) -> None: ...
    def fileno(self) -> int: ...
    def put(self, layout: int, key: bytes, data: Buffer) -> None: ...
    def get(self, key: bytes, /) -> bytes | None: ...
    def map(self, *, populate: bool = False) -> tuple[int, int]: ...
    def view(self, offset: int, length: int, /) -> memoryview: ...
    def address(self, offset: int, length: int = 0, /) -> int: ...
    def ranges(self, max: int = 0, /) -> list[tuple[int, int]]: ...
    def space(self) -> tuple[int, int, int]: ...
    def epoch(self) -> int: ...
    def valid(self, epoch: int, /) -> bool: ...
    def subscribe(self, mask: int, *, ring_size: int = ..., watermark_permille: int = 0) -> None: ...
    def read_events(self, timeout_ms: int = 0) -> list[Event]: ...
