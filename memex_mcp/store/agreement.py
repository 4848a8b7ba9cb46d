"""Where records and their files do not agree."""

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

from memex_mcp.errors import MemexError
from memex_mcp.store import events, files, revisions, sheet, sidecar

_UNREADABLE = (MemexError, OSError, ValueError, zlib.error)


def past_files(db: sqlite3.Connection) -> dict[str, tuple[str, int]]:
    """Record id and version by the name of the file that a past version has."""
    rows = db.execute(
        "SELECT f.path, v.record_id, v.version FROM revision AS v"
        " JOIN mirror_file AS f ON f.record_id = v.record_id ORDER BY v.record_id, v.version"
    )
    return {
        sheet.history_path(path, version): (record_id, version) for path, record_id, version in rows
    }


def is_past(
    db: sqlite3.Connection, home: Path, name: str, known: dict[str, tuple[str, int]]
) -> bool:
    """Whether a file in a history folder says what the version says that it was written for."""
    if name not in known:
        return False
    try:
        version = revisions.at_version(db, *known[name])
    except _UNREADABLE:
        # Nothing speaks against the file; the damage is told elsewhere.
        return True
    if version is None:
        return False
    try:
        data = (home / name).read_bytes()
        # An earlier memex may have laid it out differently.
        same = data == sheet.render(sheet.Sheet(record=version))
        return same or sheet.parse(data).record == version
    except _UNREADABLE:
        return False


def is_stray(db: sqlite3.Connection, name: str) -> bool:
    """Whether no record that has lines has this file of lines beside its own."""
    row = db.execute(
        "SELECT 1 FROM mirror_file AS f JOIN record AS r ON r.id = f.record_id WHERE f.path = ?"
        " AND EXISTS (SELECT 1 FROM event AS e WHERE e.record_n = r.n)",
        (f"{name.removesuffix(sidecar.SUFFIX)}.md",),
    ).fetchone()
    return row is None


def faults(db: sqlite3.Connection, home: Path) -> Iterator[str]:
    """What is wrong with the files, in words; what is queued is not expected to agree."""
    expected = {
        row["path"]: row
        for row in db.execute(
            "SELECT f.path, f.record_id, f.sha256 FROM mirror_file AS f"
            " JOIN record AS r ON r.id = f.record_id"
        )
    }
    queued = {row[0] for row in db.execute("SELECT record_id FROM mirror_queue")}
    ids = {row[0] for row in db.execute("SELECT id FROM record")}
    past = past_files(db)
    there: set[str] = set()
    for found in files.walk(home):
        there.add(found.name)
        row = expected.pop(found.name, None)
        if _owner(found) in queued or (row is not None and row["record_id"] in queued):
            continue
        if row is None and not (found.past and found.name in past):
            known = found.past and _owner(found) in ids
            yield f"{found.name} belongs to no {'version' if known else 'record'}"
        elif row is None and not is_past(db, home, found.name, past):
            yield f"{found.name} was changed by hand; a past version is no one's to change"
        elif row is not None and _differs(home, row):
            # Taken in as an edit when the store is next used.
            yield f"{found.name} was changed by hand"
    for name, what in files.odd(home):
        yield f"{name} is {what}, which is never read"
    written = {row[0] for row in db.execute("SELECT record_id FROM mirror_file")}
    missing = {row["record_id"] for row in expected.values()} | (ids - written)
    for record_id in sorted(missing - queued):
        yield f"{record_id} has no file"
    yield from _lines(db, home, missing | queued)
    for name, (record_id, version) in past.items():
        if name not in there and record_id in ids - missing - queued:
            yield f"version {version} of {record_id} has no file"


def _lines(db: sqlite3.Connection, home: Path, left_out: set[str]) -> Iterator[str]:
    """What is wrong with the files of lines, but for records that are told of anyway."""
    rows = db.execute(
        "SELECT f.record_id, f.path FROM mirror_file AS f JOIN record AS r ON r.id = f.record_id"
        " WHERE EXISTS (SELECT 1 FROM event AS e WHERE e.record_n = r.n) ORDER BY f.record_id"
    ).fetchall()
    for record_id, path in rows:
        if record_id in left_out:
            continue
        try:
            if not sidecar.differs(home, path, events.of(db, record_id)):
                continue
        except _UNREADABLE:
            continue  # told as a fault of the record
        changed = files.look(home, sidecar.beside(path)) is not None
        told = "was changed by hand; lines are no one's to change" if changed else "is missing"
        yield f"{sidecar.beside(path)} {told}"
    for name in sidecar.found(home):
        if is_stray(db, name) and Path(name).name.partition(".")[0] not in left_out:
            yield f"{name} belongs to no record"


def _owner(found: files.Found) -> str:
    """Id of the record whose file or past version it is by its name."""
    if found.past:
        return Path(found.name).parent.name.removesuffix(files.HISTORY)
    return Path(found.name).stem


def _differs(home: Path, row: sqlite3.Row) -> bool:
    try:
        return sheet.digest((home / str(row["path"])).read_bytes()) != str(row["sha256"])
    except OSError:
        return True
