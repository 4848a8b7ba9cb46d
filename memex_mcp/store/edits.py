"""Record files that a person changed, moved in or deleted.

Nothing here writes a record: an edit is told to the caller, which passes it through the
gate and then settles it.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from memex_mcp.errors import Conflict, Invalid
from memex_mcp.model.ids import is_id
from memex_mcp.model.record import Record
from memex_mcp.model.times import from_ms, now
from memex_mcp.store import files, mirror, sheet
from memex_mcp.store.database import Database
from memex_mcp.store.merge import Wanted, merge
from memex_mcp.store.visible import storable
from memex_mcp.values import dataclass

_KNOWN = (
    "SELECT f.path, f.record_id, f.sha256, r.updated_at"
    " FROM mirror_file AS f LEFT JOIN record AS r ON r.id = f.record_id"
)
_BATCH = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One file that is not as it was written.

    Attributes:
        record_id: None when the file belongs to no record.
        path: Relative to the store folder.
        record: The record as the file wants it, every stamp being the current one; None
            when nothing can be taken from the file.
        problem: Why not, and what was done about it; with ``record``, what else stands in
            the file that cannot be taken.
        sha256: Of the file's bytes.
    """

    record_id: str | None
    path: str
    record: Record | None = None
    problem: str = ""
    sha256: str = ""


def take_edits(database: Database, record_id: str | None = None) -> list[Edit]:
    """What people did to the files since they were written, in order of the files' names.

    An edit with a record is reported until :func:`settle` is called.  A file that cannot
    be used is in the quarantine when this returns, a deleted one is written again.  Files
    whose time is that of their record are taken to be unchanged without reading them.

    Args:
        database: The store.
        record_id: Look at the file of this record only.
    """
    suspects = _suspects(database, record_id)
    if not suspects:
        return []
    # Decided again under the lock: no file is half-way written or removed then.
    with database.write() as db:
        judged = [_judge(db, database.home, name) for name in suspects]
    mirror.drain(database)
    return [edit for edit in judged if edit is not None]


def settle(database: Database, edit: Edit, problem: str = "") -> None:
    """End an edit: its file may be overwritten with what is now on record.

    Args:
        database: The store.
        edit: From :func:`take_edits`, with a record id.
        problem: Why the edit was not taken whole; the file is then kept in the quarantine.
    """
    if edit.record_id is None:
        return
    with database.write() as db:
        page = sheet.load(db, edit.record_id)
        path = database.home / edit.path
        there = path.is_file() and sheet.digest(path.read_bytes()) == edit.sha256
        if there and problem:
            files.set_aside(database.home, edit.path, problem)
        elif there and page is not None:
            mirror.note_file(db, page, edit.path, edit.sha256)
        mirror.enqueue(db, edit.record_id, now())
    mirror.drain(database)


def _suspects(database: Database, record_id: str | None) -> list[str]:
    """Names of files that are changed, unknown or gone.

    Goes through the rows one by one: what is held in memory does not grow with the store.
    """
    home = database.home
    with database.read() as db:
        if record_id is not None:
            rows = db.execute(f"{_KNOWN} WHERE f.record_id = ?", (record_id,))
            return [
                row["path"]
                for row in rows
                if not _as_written(db, home, row, files.look(home, row["path"]))
            ]
        suspects: set[str] = set()
        there: Counter[str] = Counter()
        for row in db.execute(_KNOWN):
            found = files.look(home, row["path"])
            if found is not None:
                there[row["path"].rpartition("/")[0]] += 1
            if not _as_written(db, home, row, found):
                suspects.add(row["path"])
        for folder, number in files.counted(home).items():
            if there[folder] != number:
                suspects.update(_unknown(db, home, folder))
    return sorted(suspects)


def _unknown(db: sqlite3.Connection, home: Path, folder: str) -> Iterator[str]:
    """Names of files in a folder that nobody wrote for a record."""
    names = files.inside(home, folder)
    while batch := list(islice(names, _BATCH)):
        ids = json.dumps([Path(name).stem for name in batch])
        rows = db.execute(
            "SELECT path FROM mirror_file WHERE record_id IN (SELECT value FROM json_each(?))",
            (ids,),
        )
        yield from set(batch).difference(path for (path,) in rows)


def _as_written(
    db: sqlite3.Connection, home: Path, row: sqlite3.Row, found: files.Found | None
) -> bool:
    """Whether a file is as it was written, or gone and about to be written again."""
    if found is not None:
        return bool(row["updated_at"] == found.modified) or _unchanged(home, row)
    queued = "SELECT 1 FROM mirror_queue WHERE record_id = ?"
    return db.execute(queued, (row["record_id"],)).fetchone() is not None


def _unchanged(home: Path, row: sqlite3.Row) -> bool:
    """Whether only the time of a file differs; then it is set right."""
    path = home / row["path"]
    try:
        if sheet.digest(path.read_bytes()) != row["sha256"]:
            return False
        if row["updated_at"] is not None:
            files.set_modified(path, from_ms(row["updated_at"]))
    except OSError:
        return False
    return True


def _judge(db: sqlite3.Connection, home: Path, name: str) -> Edit | None:
    row = db.execute(
        "SELECT record_id, sha256 FROM mirror_file WHERE path = ?", (storable(name),)
    ).fetchone()
    stem = Path(name).stem
    owner = row["record_id"] if row else stem
    page = sheet.load(db, owner)
    queued = db.execute(
        "SELECT 1 FROM mirror_queue WHERE record_id = ?", (storable(owner),)
    ).fetchone()
    if files.look(home, name) is None:
        if row is None or page is None or queued:
            return None
        mirror.enqueue(db, owner, now())
        return Edit(record_id=owner, path=name, problem="the file was gone; it is written again")
    try:
        data = (home / name).read_bytes()
    except OSError:
        return Edit(record_id=owner if page else None, path=name, problem="it cannot be read")
    if page is None or (row is None and page.path != name):
        # What belongs to an erased record is about to be removed, edited or not.
        return None if queued and page is None else _stray(db, home, name, data)
    if row and row["sha256"] == sheet.digest(data):
        return None
    return _edited(db, home, page, name, data)


def _edited(
    db: sqlite3.Connection, home: Path, page: sheet.Sheet, name: str, data: bytes
) -> Edit | None:
    record_id = page.record.id
    try:
        wanted = merge(db, page, data)
    except (Invalid, Conflict) as error:
        wanted = Wanted(None, str(error))
    if wanted.record is not None:
        return Edit(
            record_id=record_id,
            path=name,
            record=wanted.record,
            problem=wanted.left,
            sha256=sheet.digest(data),
        )
    # Where nothing is left, it is laid out differently: written in our layout again.
    mirror.enqueue(db, record_id, now())
    if wanted.nothing:
        return None
    return Edit(record_id=record_id, path=name, problem=_aside(home, name, wanted.left))


def _stray(db: sqlite3.Connection, home: Path, name: str, data: bytes) -> Edit:
    """A file in a place where no record's file belongs."""
    try:
        record_id = str(sheet.read(data)[0].get("id", ""))
    except Invalid as error:
        return Edit(record_id=None, path=name, problem=_aside(home, name, str(error)))
    if not is_id(record_id):
        why = "it has no id"
    elif sheet.load(db, record_id) is None:
        why = "no record has its id"
    else:
        why = f"it is a copy of the file of {record_id}"
    return Edit(record_id=None, path=name, problem=_aside(home, name, why))


def _aside(home: Path, name: str, why: str) -> str:
    try:
        return f"{why}; moved to {files.set_aside(home, name, why)}"
    except OSError:
        return f"{why}; it could not be moved to the quarantine"
