"""Stops what another thread reads."""

import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager

from memex_mcp.errors import Unavailable

_STEPS_BETWEEN_LOOKS = 2000


class Cancel:
    """Lets one thread stop what another reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reading: set[sqlite3.Connection] = set()
        self._cancelled = False

    def cancel(self) -> None:
        """Stop every read that carries this, now and later: each raises Unavailable."""
        with self._lock:
            self._cancelled = True
            for db in self._reading:
                db.interrupt()

    @contextmanager
    def watching(self, db: sqlite3.Connection) -> Generator[None]:
        """Stop what runs on ``db`` inside the block."""
        with self._lock:
            if self._cancelled:
                raise Unavailable("cancelled")
            self._reading.add(db)
        # An interrupt between two statements is lost; the handler stops the next one.
        db.set_progress_handler(lambda: self._cancelled, _STEPS_BETWEEN_LOOKS)
        try:
            yield
        finally:
            with self._lock:
                self._reading.discard(db)
            db.set_progress_handler(None, 0)
