"""How a connection is opened, and what its failures mean to a caller."""

import sqlite3
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memex_mcp.errors import Damaged, Unavailable

_UNAVAILABLE = {
    sqlite3.SQLITE_PERM: "the memory store may not be opened",
    sqlite3.SQLITE_BUSY: "the memory store is busy",
    sqlite3.SQLITE_LOCKED: "the memory store is busy",
    sqlite3.SQLITE_READONLY: "the memory store is read-only",
    sqlite3.SQLITE_IOERR: "the disk failed under the memory store",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CANTOPEN: "the memory store cannot be opened",
}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_CURSORS = 256
_LOG_LIMIT = 16 * 1024 * 1024


class Connection(sqlite3.Connection):
    """A connection that can end what was left half read.

    A cursor that somebody still holds keeps its snapshot beyond the end of the
    transaction, and the next user of the connection would see the past.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._cursors: list[weakref.ref[sqlite3.Cursor]] = []
        self._room = _CURSORS

    def cursor(self, factory: Any = sqlite3.Cursor) -> Any:
        """A cursor that will be ended with the transaction."""
        cursor = super().cursor(factory)
        self._keep(cursor)
        return cursor

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run one statement on a cursor of its own."""
        # The inherited method makes its cursor in C, past the one above.
        cursor = super().execute(sql, parameters)
        self._keep(cursor)
        return cursor

    def roll_back(self) -> None:
        """End every cursor and the transaction, if one is open."""
        for known in self._cursors:
            if (cursor := known()) is not None:
                cursor.close()
        self._cursors, self._room = [], _CURSORS
        if self.in_transaction:
            self.execute("ROLLBACK").close()

    def _keep(self, cursor: sqlite3.Cursor) -> None:
        # A list, since a set of weak references costs as much as a small statement.
        if len(self._cursors) >= self._room:
            self._cursors = [known for known in self._cursors if known() is not None]
            self._room = 2 * len(self._cursors) + _CURSORS
        self._cursors.append(weakref.ref(cursor))


@contextmanager
def translated() -> Generator[None]:
    """Turn what SQLite says about the disk into an error that a caller can act on.

    Anything else SQLite says is a bug of ours and goes through unchanged.

    Raises:
        Damaged: The file is not a database, or its pages disagree.
        Unavailable: Busy, full, read-only, not to be opened, or interrupted.
    """
    try:
        yield
    except sqlite3.Error as error:
        # Extended codes keep the primary one in their lowest byte.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED:
            raise Damaged("the memory store is damaged", "Run `memex-mcp doctor`.") from error
        if code == sqlite3.SQLITE_INTERRUPT:
            raise Unavailable("cancelled") from error
        if code in _UNAVAILABLE:
            raise Unavailable(_UNAVAILABLE[code], "Run `memex-mcp doctor` if it stays.") from error
        raise


def open_writer(path: Path, timeout: float) -> Connection:
    """Open an existing file for writing, in whatever journal mode it has."""
    limit = f"journal_size_limit={_LOG_LIMIT}"
    return _connect(path, "mode=rw", timeout, "foreign_keys=ON", "synchronous=NORMAL", limit)


def open_reader(path: Path, timeout: float) -> Connection:
    """Open an existing file of a store that we may write, for reading only."""
    # mode=rw all the same: a reader of a WAL database has to write the shared index.
    return _connect(path, "mode=rw", timeout, "query_only=ON")


def open_readonly(path: Path, timeout: float) -> Connection:
    """Open a store that we may not write at all.

    Raises:
        sqlite3.OperationalError: Its last commits are still in a log that only a writer
            can read back.
    """
    db = _connect(path, "mode=ro", timeout)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        # No log: the file alone is the whole store, and nothing has to be written beside it.
        return _connect(path, "immutable=1", timeout)
    except BaseException:
        db.close()
        raise
    return db


def _connect(path: Path, how: str, timeout: float, *settings: str) -> Connection:
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        timeout=timeout,
        # isolation_level=None: sqlite3 opens no transaction behind our back.
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        factory=Connection,
        uri=True,
    )
    db.row_factory = sqlite3.Row
    try:
        # What SQLite sorts is as private as what it stores: none of it goes to a temp folder.
        for setting in ("trusted_schema=OFF", "temp_store=MEMORY", *settings):
            db.execute(f"PRAGMA {setting}")
    except BaseException:
        db.close()
        raise
    return db
