"""The files from the database, and the database from the files.

What a readable database still holds whole is kept, a file that was edited makes a new
version, and the files give back what it lost.  With no readable database the files alone are
enough, except that nothing in them proves that a person stands behind a record.
"""

import contextlib
import os
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

from memex_mcp.errors import Damaged, MemexError, Unavailable
from memex_mcp.model.times import now, to_ms
from memex_mcp.settings import Secrets
from memex_mcp.store import (
    agreement,
    audit,
    index,
    late_edits,
    mirror,
    salvage,
    sidecar,
    tombstone_file,
    vector_keep,
)
from memex_mcp.store import files as folder
from memex_mcp.store.connect import open_writer, translated
from memex_mcp.store.database import Database
from memex_mcp.store.home import DATABASE, LOCK, prepare, private_file, private_folder
from memex_mcp.store.lock import FileLock
from memex_mcp.store.migrations import migrate, schema_version
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.values import dataclass

_BUILT = f"{DATABASE}.new"
_BESIDE = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a rebuild from files found.

    Attributes:
        records: Records in the new database.
        revisions: Earlier versions in it.
        tombstones: Refused values in it.
        from_database: Records that no sound file held, taken from the old database.
        unverified: Records that said a person stands behind them, which a file cannot
            prove; they count as untrusted until a person confirms them.
        quarantined: Files, and lines of the file of tombstones, that could not be used:
            relative name and reason.
        audit_kept: The audit trail goes on; False when it had to begin anew.
        backup: Where the old database lies, relative to the store folder; empty if there
            was none.
    """

    records: int
    revisions: int
    tombstones: int
    from_database: int = 0
    unverified: int = 0
    quarantined: tuple[str, ...] = ()
    audit_kept: bool = False
    backup: str = ""


def files(database: Database) -> int:
    """Write the file of every record anew, past versions too; returns how many records.

    Files that belong to no record, files that someone changed, and what is no file go to
    the quarantine: take the edits in first.
    """
    home = database.home
    with database.write() as db:
        owned = {row[0] for row in db.execute("SELECT path FROM mirror_file")}
        past = agreement.past_files(db)
        for name, what in list(folder.odd(home)):
            folder.set_aside(home, name, f"it is {what}")
        for found in list(folder.walk(home)):
            if found.name in owned or agreement.is_past(db, home, found.name, past):
                continue
            changed = found.name in past
            why = "a past version was changed by hand" if changed else "no record has this file"
            folder.set_aside(home, found.name, why)
        for name in list(sidecar.found(home)):
            if agreement.is_stray(db, name):
                folder.set_aside(home, name, "no record has these lines")
        db.execute(
            "INSERT INTO mirror_queue(record_id, queued_at) SELECT id, ? FROM record WHERE true"
            " ON CONFLICT DO NOTHING",
            (to_ms(now()),),
        )
    return mirror.drain(database, anew=True)


def from_files(home: Path, *, timeout: float = 10.0, secrets: Secrets = "mask") -> Report:
    """Build the database anew beside the old one, then put it in place in one step.

    A crash before that step leaves the old database as it was.  The old one is copied to
    ``backups/`` in any case.

    Args:
        home: The store folder.
        timeout: Seconds to wait for others who write.
        secrets: What becomes of secrets in what comes from files.

    Raises:
        Unavailable: Others use the store, or the disk is full.
        Damaged: What was built does not hold what it should; nothing was changed.
    """
    # First of all: whoever writes the files writes that one whole.
    aside = tombstone_file.set_unreadable_aside(home)
    with contextlib.suppress(Damaged, Unavailable):
        _settle(home, timeout)
    prepare(home)
    with translated(), FileLock(home / LOCK, timeout), contextlib.ExitStack() as held:
        old = _old(home)
        if old is not None:
            held.enter_context(contextlib.closing(old))
        _discard(home / _BUILT)
        private_file(home / _BUILT)
        new = held.enter_context(contextlib.closing(open_writer(home / _BUILT, timeout)))
        report, outdated = _build(new, old, home, secrets=secrets)
        quarantined = (*aside, *report.quarantined)
        report = replace(report, backup=_back_up(home, old), quarantined=quarantined)
        if old is not None:
            # Into the old file, as one transaction: others may have it open.
            new.backup(old)
        held.close()
        _install(home, into_old=old is not None)
        for name in outdated:
            (home / name).unlink(missing_ok=True)
    # A file that was not taken as it is may hold what its record must not.
    with contextlib.suppress(Damaged, Unavailable):
        _settle(home, timeout)
    return report


def _settle(home: Path, timeout: float) -> None:
    """Bring schema and files of a database that still works up to date."""
    if not (home / DATABASE).exists():
        return
    database = Database(home, timeout=timeout)
    try:
        mirror.drain(database)
    finally:
        database.close()


def _old(home: Path) -> sqlite3.Connection | None:
    """The old database if every page of it can be read."""
    path = home / DATABASE
    if not path.is_file() or path.stat().st_size == 0:
        return None
    db = None
    try:
        db = open_writer(path, 1.0)
        sound = schema_version(db) == len(MIGRATIONS)
        if sound and db.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok":
            return db
    except (sqlite3.DatabaseError, MemexError):
        pass
    if db is not None:
        db.close()
    return None


def _build(
    new: sqlite3.Connection, old: sqlite3.Connection | None, home: Path, *, secrets: Secrets
) -> tuple[Report, tuple[str, ...]]:
    """Fill ``new``; returns what came of it, and files of past versions to write anew."""
    new.execute("PRAGMA journal_mode=MEMORY").fetchone()
    migrate(new, home)
    new.execute("BEGIN IMMEDIATE")
    loaded = salvage.load(new, old, home, secrets=secrets)
    expected = loaded.records
    index.rebuild(new)
    if old is not None:
        vector_keep.carry(new, old)
    entry = audit.Entry(action="rebuild", record_id=None, before=None, after=None)
    audit.append(new, late_edits.REBUILD, entry, now())
    report = Report(
        records=_count(new, "record"),
        revisions=_count(new, "revision"),
        tombstones=_count(new, "tombstone"),
        from_database=loaded.from_database,
        unverified=loaded.unverified,
        quarantined=loaded.quarantined,
        audit_kept=loaded.audit_kept,
    )
    problems = [*index.check(new), *new.execute("PRAGMA foreign_key_check").fetchall()]
    if report.records != expected or problems:
        raise Damaged("the rebuilt database is not whole; the old one is in place")
    new.execute("COMMIT")
    return report, loaded.outdated


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _back_up(home: Path, old: sqlite3.Connection | None) -> str:
    """Copy the old database, sound or not; returns the copy's name."""
    if not (home / DATABASE).exists():
        return ""
    private_folder(home / "backups")
    name = f"backups/before-rebuild-{now():%Y%m%dT%H%M%S%f}.db"
    private_file(home / name)
    try:
        if old is None:
            shutil.copyfile(home / DATABASE, home / name)
            return name
        with contextlib.closing(sqlite3.connect(home / name, isolation_level=None)) as copy:
            old.backup(copy)
            # One plain file that opens anywhere.
            copy.execute("PRAGMA journal_mode=DELETE").fetchone()
    except OSError as error:
        raise Unavailable("the old database cannot be copied", "Check the free space.") from error
    return name


def _install(home: Path, *, into_old: bool) -> None:
    """Put what was built in place; nobody else can write meanwhile."""
    if into_old:
        _discard(home / _BUILT)
        return
    try:
        # The log of a database that is not there any more would be played into the new one.
        for suffix in _BESIDE:
            beside = home / f"{DATABASE}{suffix}"
            if beside.exists():
                folder.make_folders(home / "backups")
                beside.replace(home / "backups" / f"before-rebuild-{now():%Y%m%dT%H%M%S%f}{suffix}")
        # For writing: Windows flushes no file that is open for reading only.
        with (home / _BUILT).open("r+b") as file:
            os.fsync(file.fileno())
        (home / _BUILT).replace(home / DATABASE)
    except OSError as error:
        raise Unavailable(
            "the rebuilt database cannot be put in place", "Stop the agents and try again."
        ) from error


def _discard(path: Path) -> None:
    for suffix in ("", *_BESIDE):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
