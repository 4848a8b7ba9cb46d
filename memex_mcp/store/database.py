"""The one database of a store: one writer at a time, any number of readers, each a snapshot.

Writers take turns across threads and processes on one file lock; readers never wait for
them.  The lock also covers the first open, migrations and the closing checkpoint.
"""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from memex_mcp.errors import Damaged, Unavailable
from memex_mcp.model.ids import is_id
from memex_mcp.store.connect import (
    Connection,
    open_reader,
    open_readonly,
    open_writer,
    translated,
)
from memex_mcp.store.home import DATABASE, LOCK, identity, prepare, private_file, writable
from memex_mcp.store.lock import FileLock
from memex_mcp.store.migrations import check_known, migrate, schema_version
from memex_mcp.store.schema import MIGRATIONS

_IDLE_READERS = 4
_STEPS_BETWEEN_LOOKS = 2000
_NO_RECORDS = "SELECT NOT EXISTS (SELECT 1 FROM record) AND NOT EXISTS (SELECT 1 FROM mirror_queue)"


class Cancel:
    """Lets one thread stop what another reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reading: set[sqlite3.Connection] = set()
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether ``cancel`` was called."""
        return self._cancelled

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


class Database:
    """The store's database; thread-safe, opened on first use, not to be carried across a fork.

    Args:
        home: The store folder.
        timeout: Seconds to wait for other writers before giving up.
    """

    def __init__(self, home: Path, *, timeout: float = 10.0) -> None:
        self.home = home
        self._path = home / DATABASE
        self._timeout = timeout
        self._turn = threading.Lock()
        self._holder: int | None = None  # the thread that has the turn
        self._lock = FileLock(home / LOCK, timeout)
        self._writer: Connection | None = None
        self._opened: tuple[int, int] | None = None  # identity of the file in use
        self._readonly = False
        self._idle_lock = threading.Lock()
        self._idle: list[Connection] = []

    @contextmanager
    def write(self) -> Generator[sqlite3.Connection]:
        """One transaction, alone among all writers; any exception rolls it back.

        Yields:
            The writing connection, inside ``BEGIN IMMEDIATE``.

        Raises:
            Unavailable: Others kept the lock too long; the disk is full or read-only.
            Damaged: The file is not a sound database, or lost its records.
            RuntimeError: This thread is writing already.
        """
        with translated(), self._alone():
            db = self._settled()
            try:
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
            finally:
                if not _end(db):
                    self._forget()

    @contextmanager
    def read(self, cancel: Cancel | None = None) -> Generator[sqlite3.Connection]:
        """One snapshot, taken on entry; what is committed later stays out of sight.

        Args:
            cancel: Lets another thread stop the read.

        Yields:
            A connection that cannot write, for this thread only.

        Raises:
            Unavailable: The store cannot be opened, or the read was cancelled.
            Damaged: The file is not a sound database, or lost its records.
        """
        with translated():
            db, opened = self._borrow()
            try:
                with contextlib.nullcontext() if cancel is None else cancel.watching(db):
                    db.execute("BEGIN")
                    # The snapshot is taken by the first read, not by BEGIN.
                    db.execute("SELECT 1 FROM meta LIMIT 1").fetchone()
                    yield db
            finally:
                self._give_back(db, opened)

    def close(self) -> None:
        """Fold the log into the database and close; the next use opens it again.

        Raises:
            Unavailable: Another thread kept writing.
        """
        with self._taking_turns(), contextlib.ExitStack() as held:
            if self._writer is not None:
                # Without the lock SQLite closes safely too, it only leaves the log behind.
                with contextlib.suppress(Unavailable, sqlite3.Error):
                    held.enter_context(self._lock)
                    self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            self._forget()

    @contextmanager
    def _taking_turns(self) -> Generator[None]:
        """Keep the other threads out."""
        me = threading.get_ident()
        if self._holder == me:
            raise RuntimeError("this thread is writing to the store already")
        if not self._turn.acquire(timeout=self._timeout):
            raise Unavailable("another call is writing to the store", "Try again in a moment.")
        self._holder = me
        try:
            yield
        finally:
            self._holder = None
            self._turn.release()

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Keep the other threads and the other processes out."""
        with self._taking_turns():
            if not writable(self.home):
                raise Unavailable(
                    "the memory store is read-only", "Check the permissions of its folder."
                )
            if not self._is_current():
                prepare(self.home)
            with self._lock:
                yield

    def _is_current(self) -> bool:
        """Whether what we have open is the file in place; a rebuild puts a new one there."""
        return self._opened is not None and self._opened == identity(self._path)

    def _settled(self) -> Connection:
        """The writer on the file in place, opened and migrated; the caller is alone."""
        if self._writer is not None and self._is_current():
            return self._writer
        self._forget()
        if identity(self._path) is None:
            self._check_not_lost()
            _make(self._path)
        db = open_writer(self._path, self._timeout)
        try:
            # Look before anything is written: a foreign or newer file stays as it is.
            version = schema_version(db)
            check_known(version)
            if version == 0:
                self._check_not_lost()
            db.execute("PRAGMA journal_mode=WAL").fetchall()
            migrate(db, self.home)
            if db.execute(_NO_RECORDS).fetchone()[0]:
                self._check_not_lost()
        except BaseException:
            db.close()
            raise
        self._writer, self._opened, self._readonly = db, identity(self._path), False
        return db

    def _check_not_lost(self) -> None:
        """Refuse to start empty beside record files that an earlier database wrote."""
        for _, _, files in os.walk(self.home / "records"):
            if any(is_id(name.partition(".")[0]) for name in files):
                raise Damaged(
                    "the database is empty but the record files are not",
                    "Run `memex-mcp rebuild --from-files`.",
                )

    def _borrow(self) -> tuple[Connection, tuple[int, int] | None]:
        """A reader on the file in place, and that file's identity."""
        if not self._is_current():
            self._open()
        with self._idle_lock:
            opened = self._opened
            if self._idle:
                return self._idle.pop(), opened
        opener = open_readonly if self._readonly else open_reader
        return opener(self._path, self._timeout), opened

    def _open(self) -> None:
        if writable(self.home) or identity(self._path) is None:
            with self._alone():
                self._settled()
            return
        with self._taking_turns():
            self._forget()
            with contextlib.closing(open_readonly(self._path, self._timeout)) as db:
                version = schema_version(db)
            check_known(version)
            if version < len(MIGRATIONS):
                raise Unavailable("the memory store is read-only and needs an upgrade")
            self._opened, self._readonly = identity(self._path), True

    def _give_back(self, db: Connection, opened: tuple[int, int] | None) -> None:
        sound = _end(db)
        with self._idle_lock:
            # A read-only store may change under us; each read opens it anew.
            fresh = opened == self._opened and not self._readonly
            if sound and fresh and len(self._idle) < _IDLE_READERS:
                self._idle.append(db)
                return
        db.close()

    def _forget(self) -> None:
        """Close everything that is not in use; a reader in use is closed when given back."""
        with self._idle_lock:
            idle, self._idle, self._opened = self._idle, [], None
        for db in idle:
            db.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _end(db: Connection) -> bool:
    """Undo what is not committed; False when the connection is of no more use."""
    try:
        db.roll_back()
    except sqlite3.Error:
        return False
    return True


def _make(path: Path) -> None:
    try:
        private_file(path)
    except OSError as error:
        raise Unavailable(
            "the memory store cannot be made", "Check the permissions and the free space."
        ) from error
