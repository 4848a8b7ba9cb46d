"""The one database of a store: one writer at a time, any number of readers, each a snapshot.

Writers take turns across threads and processes on one file lock; readers never wait for
them, not even to open a store that is ready.  The lock also covers the making of a store,
migrations and the closing checkpoint.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from memex_mcp.errors import Damaged, Unavailable
from memex_mcp.store.cancel import Cancel
from memex_mcp.store.connect import (
    Connection,
    open_reader,
    open_readonly,
    open_writer,
    translated,
)
from memex_mcp.store.files import holds_records
from memex_mcp.store.home import DATABASE, LOCK, identity, make, prepare, size, writable
from memex_mcp.store.lock import FileLock
from memex_mcp.store.migrations import check_known, migrate, schema_version
from memex_mcp.store.schema import MIGRATIONS

__all__ = ["Cancel", "Database"]

_IDLE_READERS = 4
_NO_RECORDS = "SELECT NOT EXISTS (SELECT 1 FROM record) AND NOT EXISTS (SELECT 1 FROM mirror_queue)"


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
        self._written: tuple[int, int] | None = None  # identity of the file it writes
        self._opened: tuple[int, int] | None = None  # identity of the file that is read
        self._known = False  # whether there was one
        self._readonly = False
        self._idle_lock = threading.Lock()
        self._idle: list[Connection] = []

    @contextmanager
    def write(self, patience: float | None = None) -> Generator[sqlite3.Connection]:
        """One transaction, alone among all writers; any exception rolls it back.

        Args:
            patience: Seconds to wait for other writers; the store's own when left out.

        Yields:
            The writing connection, inside ``BEGIN IMMEDIATE``.

        Raises:
            Unavailable: Others kept the lock too long; the disk is full or read-only.
            Damaged: The file is not a sound database, or lost its records.
            RuntimeError: This thread is writing already.
        """
        with translated(), self._alone(patience):
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
            # Where the file is gone, not even its lock is to be made again.
            if self._writer is not None and self._written == identity(self._path):
                # Without the lock SQLite closes safely too, it only leaves the log behind.
                with contextlib.suppress(Unavailable, sqlite3.Error):
                    held.enter_context(self._lock)
                    self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            self._forget()

    @contextmanager
    def _taking_turns(self, patience: float | None = None) -> Generator[None]:
        """Keep the other threads out."""
        me = threading.get_ident()
        if self._holder == me:
            raise RuntimeError("this thread is writing to the store already")
        if not self._turn.acquire(timeout=self._timeout if patience is None else patience):
            raise Unavailable("another call is writing to the store", "Try again in a moment.")
        self._holder = me
        try:
            yield
        finally:
            self._holder = None
            self._turn.release()

    @contextmanager
    def _alone(self, patience: float | None = None) -> Generator[None]:
        """Keep the other threads and the other processes out."""
        with self._taking_turns(patience):
            if not writable(self.home):
                raise Unavailable(
                    "the memory store is read-only", "Check the permissions of its folder."
                )
            if not self._is_current():
                if self._known and identity(self._path) is None:
                    self._check_not_removed()
                prepare(self.home)
            self._lock.acquire(patience)
            try:
                yield
            finally:
                self._lock.release()

    def _is_current(self) -> bool:
        """Whether what we have open is the file in place; a rebuild puts a new one there."""
        return self._opened is not None and self._opened == identity(self._path)

    def _settled(self) -> Connection:
        """The writer on the file in place, opened and migrated; the caller is alone."""
        if self._writer is not None and self._written == identity(self._path):
            return self._writer
        self._forget()
        if identity(self._path) is None:
            self._check_not_removed()
            make(self._path)
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
        self._writer, self._written = db, identity(self._path)
        self._note_opened(self._written)
        return db

    def _check_not_lost(self) -> None:
        """Refuse to start empty beside record files that an earlier database wrote."""
        if holds_records(self.home):
            raise Damaged(
                "the database is empty but the record files are not",
                "Run `memex-mcp rebuild --from-files`.",
            )

    def _check_not_removed(self) -> None:
        """Refuse to begin anew in the midst of what somebody removed."""
        self._check_not_lost()
        if self._known:
            raise Unavailable(
                "the memory store was removed", "A new session begins with an empty one."
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
            if not self._open_ready():
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

    def _open_ready(self) -> bool:
        """Open a store that needs nothing done to it, whoever writes meanwhile.

        False when it has to be made, upgraded or looked at by somebody who is alone.
        """
        found = identity(self._path)
        # An empty file is about to become a store.
        if found is None or size(self._path) == 0:
            return False
        prepare(self.home)
        db = open_reader(self._path, self._timeout)
        try:
            ready = self._is_ready(db) and identity(self._path) == found
        except BaseException:
            db.close()
            raise
        if not ready:
            db.close()
            return False
        self._note_opened(found)
        self._give_back(db, found)
        return True

    def _is_ready(self, db: Connection) -> bool:
        if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            return False
        if schema_version(db) != len(MIGRATIONS):
            return False
        # Whether files without records are a loss only shows where nobody writes.
        return not (db.execute(_NO_RECORDS).fetchone()[0] and holds_records(self.home))

    def _note_opened(self, found: tuple[int, int] | None) -> None:
        """From now on read this file; readers of another one are of no more use."""
        with self._idle_lock:
            idle, self._idle = ([], self._idle) if found == self._opened else (self._idle, [])
            self._opened, self._readonly, self._known = found, False, True
        for db in idle:
            db.close()

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
            self._writer = self._written = None


def _end(db: Connection) -> bool:
    """Undo what is not committed; False when the connection is of no more use."""
    try:
        db.roll_back()
    except sqlite3.Error:
        return False
    return True
