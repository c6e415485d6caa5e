# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The thread that learns what happened to keys without a call of this server.

Objects that another server deleted, that were evicted or given up after a media
error: each must reach the listeners, or an LRU would keep ghosts for ever.
"""
import threading
from collections.abc import Callable

from lmcache.logging import init_logger

import marul1

logger = init_logger(__name__)

_KINDS = (1 << marul1.EV_DELETED | 1 << marul1.EV_MEDIA_ERROR | 1 << marul1.EV_FENCED)
_RING_BYTES = 4 << 20
_WAIT_MS = 200


class Feed:
    """Calls from its thread: @gone(key, id) and, when records were lost, @lost().

    @idle() is called at least five times a second.
    """

    def __init__(self, client: marul1.Client, gone: Callable[[list[tuple[bytes, int]]], None],
                 lost: Callable[[], None], idle: Callable[[], None]):
        self._client = client
        self._gone, self._lost, self._idle = gone, lost, idle
        self._stop = threading.Event()
        client.subscribe(_KINDS, ring_size=_RING_BYTES)
        self._thread = threading.Thread(target=self._run, name="marul1-feed", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._take(self._client.read_events(_WAIT_MS))
                self._idle()
            except OSError as error:
                logger.error("the pool is gone, L1 has no more events: %s", error)
                return
            except Exception:  # pylint: disable=broad-except
                logger.exception("a listener failed")

    def _take(self, events: list[marul1.Event]) -> None:
        gone = [(event.key, event.id) for event in events
                if event.kind in (marul1.EV_DELETED, marul1.EV_MEDIA_ERROR)
                and not event.flags & marul1.EV_SELF]
        if gone:
            self._gone(gone)
        if any(event.kind == marul1.EV_LOST for event in events):
            self._lost()
        if any(event.kind == marul1.EV_FENCED for event in events):
            logger.critical("this host is fenced: nothing is read from or stored to the pool")

    def close(self) -> None:
        """Returns when the thread has ended: within a wait and what a listener takes."""
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()
