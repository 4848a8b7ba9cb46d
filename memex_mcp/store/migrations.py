"""Numbered steps that take a store of any age to the schema of today.

Runs under the store's file lock.  A step is one transaction; one that fails, or that would
finish with fewer rows, leaves the store at the version before it.
"""

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from memex_mcp.errors import Damaged, Unavailable
from memex_mcp.model.times import now, to_ms
from memex_mcp.store.home import private_file, private_folder
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.text.words import ANALYZER_VERSION

_META = "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT"
_KEPT = ("record", "revision", "tombstone", "audit", "event", "capture_turn")


def get_meta(db: sqlite3.Connection, key: str) -> str | None:
    """The value of ``key``, or None."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    """Set ``key``."""
    db.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def schema_version(db: sqlite3.Connection) -> int:
    """How many steps the database has behind it; 0 when it is empty.

    Raises:
        Damaged: The file is a database, but not a store.
    """
    tables = _tables(db)
    if "meta" not in tables:
        if tables:
            raise Damaged(
                "the database is not a memory store", "Point memex-mcp at another folder."
            )
        return 0
    value = get_meta(db, "schema_version") or "0"
    if not value.isdecimal():
        raise Damaged("the schema version is unreadable", "Run `memex-mcp doctor`.")
    return int(value)


def check_known(version: int, newest: int = len(MIGRATIONS)) -> None:
    """Stop before a store that knows more than we do.

    Raises:
        Unavailable: ``version`` is above ``newest``.
    """
    if version > newest:
        raise Unavailable(
            "the memory store was written by a newer memex", "Upgrade memex-mcp here as well."
        )


def migrate(db: sqlite3.Connection, home: Path, steps: Sequence[str] = MIGRATIONS) -> None:
    """Run the steps that the database lacks; the caller holds the lock, no transaction is open.

    A store that holds anything is first copied to
    ``backups/before-schema-<new version>-<time>.db``.

    Args:
        db: A writing connection.
        home: The store folder.
        steps: Step ``n`` (from 1) takes version ``n - 1`` to ``n``.

    Raises:
        Unavailable: The store was written by a newer memex, or the backup cannot be made.
        Damaged: A step would have lost rows or left dangling references.
        sqlite3.Error: A step failed; it was rolled back.
    """
    version = schema_version(db)
    check_known(version, len(steps))
    if version == len(steps):
        return
    if any(_counts(db).values()):
        _backup(db, home, len(steps))
    # A step that rebuilds a table drops the old one, which must not cascade.
    db.execute("PRAGMA foreign_keys=OFF")
    try:
        for number in range(version + 1, len(steps) + 1):
            _apply(db, number, steps[number - 1])
    finally:
        db.execute("PRAGMA foreign_keys=ON")


def _apply(db: sqlite3.Connection, number: int, step: str) -> None:
    before = _counts(db)
    try:
        # executescript would commit a transaction opened before it, so the script opens it.
        db.executescript(f"BEGIN IMMEDIATE; {_META};\n{step}")
        _check_nothing_lost(db, before, number)
        if number == 1:
            _stamp(db)
        set_meta(db, "schema_version", str(number))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _check_nothing_lost(db: sqlite3.Connection, before: dict[str, int], number: int) -> None:
    after = _counts(db)
    fewer = any(after.get(name, 0) < count for name, count in before.items())
    if fewer or db.execute("PRAGMA foreign_key_check").fetchone() is not None:
        raise Damaged(
            f"the upgrade to schema {number} would lose data; it was undone",
            "Keep the earlier memex-mcp and report this.",
        )


def _stamp(db: sqlite3.Connection) -> None:
    set_meta(db, "analyzer_version", ANALYZER_VERSION)
    set_meta(db, "created_at", str(to_ms(now())))
    set_meta(db, "store_id", os.urandom(16).hex())


def _backup(db: sqlite3.Connection, home: Path, version: int) -> None:
    folder = home / "backups"
    path = folder / f"before-schema-{version}-{now():%Y%m%dT%H%M%S%f}.db"
    try:
        private_folder(folder)
        private_file(path)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as copy:
            db.backup(copy)
            # One plain file that opens anywhere, also where nothing can be written beside it.
            copy.execute("PRAGMA journal_mode=DELETE")
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        raise Unavailable(
            "the store could not be backed up before an upgrade", "Check the free space."
        ) from error


def _tables(db: sqlite3.Connection) -> set[str]:
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {str(row[0]) for row in rows}


def _counts(db: sqlite3.Connection) -> dict[str, int]:
    tables = _tables(db)
    return {
        name: int(db.execute(f"SELECT count(*) FROM {name}").fetchone()[0])
        for name in _KEPT
        if name in tables
    }
