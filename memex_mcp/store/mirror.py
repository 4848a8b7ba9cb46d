"""Every record as a Markdown file, written from a queue that commits with the record.

The database is complete without the files.  A crash leaves the queue, and whoever drains
it next writes the same bytes.
"""

import json
import sqlite3
import stat
import zlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from memex_mcp.errors import Conflict, Damaged, Invalid, Unavailable
from memex_mcp.model.times import to_ms
from memex_mcp.store import events, files, revisions, sheet, sidecar
from memex_mcp.store import tombstone_file as graves
from memex_mcp.store.database import Database
from memex_mcp.store.merge import merge
from memex_mcp.values import dataclass

_BATCH = 64
_ENOUGH_FAILURES = 3


def enqueue(db: sqlite3.Connection, record_id: str, at: datetime) -> None:
    """Have the record's file written after the transaction; for an erased one, removed."""
    db.execute(
        "INSERT INTO mirror_queue(record_id, queued_at) VALUES (?, ?)"
        " ON CONFLICT DO UPDATE SET queued_at = excluded.queued_at",
        (record_id, to_ms(at)),
    )


def drain(
    database: Database,
    limit: int | None = None,
    *,
    anew: bool = False,
    bodies: Mapping[str, str] | None = None,
) -> int:
    """Write the files of queued records.

    Runs in small batches under the write lock, so several processes may drain at once.
    What cannot be written now stays queued, and a file that a person has changed waits
    until the change is taken in: neither is an error.

    Args:
        database: The store.
        limit: Stop after that many records; None for no limit.
        anew: Do not wait for changed files but set them aside, and write past versions
            again as well.
        bodies: Texts that need not be read back, by their hash.

    Returns:
        How many records left the queue.
    """
    work = _Work(database.home, anew=anew, bodies=bodies or {})
    try:
        queued, buried = _waiting(database)
        if not queued and not buried:
            return 0
        while work.failures < _ENOUGH_FAILURES and (limit is None or work.done < limit):
            size = _BATCH if limit is None else min(_BATCH, limit - work.done)
            with database.write() as db:
                if buried:
                    graves.write(db, database.home)
                batch = _queued(db, work.left, size)
                for record_id in batch:
                    work.one(db, record_id)
            if len(batch) < size:
                break
    except (OSError, Unavailable) as error:
        _log("the record files wait: %s", error)
    return work.done


class _Work:
    """One pass over the queue."""

    def __init__(self, home: Path, *, anew: bool, bodies: Mapping[str, str]) -> None:
        self._home = home
        self._bodies = bodies
        self._anew = anew
        self.done = 0
        self.failures = 0
        self.left: list[str] = []

    def one(self, db: sqlite3.Connection, record_id: str) -> None:
        """Bring one record's files up to date and take it off the queue, or leave it there."""
        try:
            finished = self._bring(db, record_id)
        except (OSError, Damaged, zlib.error) as error:
            _log("a record file waits: %s", error)
            self.failures += 1
            finished = False
        if not finished:
            self.left.append(record_id)
            return
        db.execute("DELETE FROM mirror_queue WHERE record_id = ?", (record_id,))
        self.done += 1

    def _bring(self, db: sqlite3.Connection, record_id: str) -> bool:
        known = _known(db, record_id)
        page = sheet.load(db, record_id, self._bodies)
        if page is None:
            _forget(db, self._home, record_id, known)
            return True
        place = page.path
        if known and known.path != place:
            self._leave_old_place(db, page, known)
            known = None
        data, path = sheet.render(page), self._home / place
        sha256 = sheet.digest(data)
        if _is_file(path) and not self._may_replace(db, page, known, sha256):
            return False
        if files.is_folder(path):
            files.set_aside(self._home, place, files.IN_THE_WAY)
        if page.record.version > 1:
            _write_history(db, self._home, page, anew=self._anew)
        files.write_whole(path, data, page.record.times.updated_at)
        sidecar.bring(self._home, place, events.of(db, record_id), page.record.times.updated_at)
        note_file(db, page, place, sha256)
        return True

    def _may_replace(
        self, db: sqlite3.Connection, page: sheet.Sheet, known: "Known | None", sha256: str
    ) -> bool:
        """Whether the file in its place is ours; if it is not, it may have to wait."""
        there = (self._home / page.path).read_bytes()
        if sheet.digest(there) in (known and known.sha256, sha256):
            return True
        why = "the files were written anew"
        try:
            # After a crash an earlier text of ours lies there; it says nothing new.
            if merge(db, page, there).nothing:
                return True
        except (Invalid, Conflict) as error:
            why = str(error)
        if self._anew:
            files.set_aside(self._home, page.path, why)
        return self._anew

    def _leave_old_place(self, db: sqlite3.Connection, page: sheet.Sheet, known: "Known") -> None:
        """The workspace got another name: nothing stays where the file was."""
        old = self._home / known.path
        if old.is_file() and sheet.digest(old.read_bytes()) != known.sha256:
            files.set_aside(self._home, known.path, f"the record moved to {page.path}")
        sidecar.leave(self._home, known.path, events.of(db, page.record.id))
        _remove_all(self._home, known.path)


@dataclass(frozen=True, slots=True)
class Known:
    """What was last written for a record."""

    path: str
    sha256: str


def note_file(db: sqlite3.Connection, page: sheet.Sheet, path: str, sha256: str) -> None:
    """Remember where the record's file lies and what it holds."""
    db.execute(
        "INSERT INTO mirror_file(record_id, path, sha256, version) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET path = excluded.path, sha256 = excluded.sha256,"
        " version = excluded.version",
        (page.record.id, path, sha256, page.record.version),
    )


def _known(db: sqlite3.Connection, record_id: str) -> Known | None:
    row = db.execute(
        "SELECT path, sha256 FROM mirror_file WHERE record_id = ?", (record_id,)
    ).fetchone()
    return Known(row["path"], row["sha256"]) if row else None


def _is_file(path: Path) -> bool:
    """Whether a file, not a link to one, has this name."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _queued(db: sqlite3.Connection, left: list[str], size: int) -> list[str]:
    rows = db.execute(
        "SELECT record_id FROM mirror_queue"
        " WHERE record_id NOT IN (SELECT value FROM json_each(?))"
        " ORDER BY queued_at, record_id LIMIT ?",
        (json.dumps(left), size),
    )
    return [record_id for (record_id,) in rows]


def _waiting(database: Database) -> tuple[bool, bool]:
    """Whether record files wait to be written, and whether the file of tombstones does."""
    with database.read() as db:
        (queued,) = db.execute("SELECT EXISTS (SELECT 1 FROM mirror_queue)").fetchone()
        return bool(queued), graves.differ(db, database.home)


def _write_history(db: sqlite3.Connection, home: Path, page: sheet.Sheet, *, anew: bool) -> None:
    """Write the past versions that have no file yet."""
    for past in revisions.history(db, page.record.id):
        path = home / sheet.history_path(page.path, past.version)
        if path.exists() and not anew:
            continue
        old = revisions.at_version(db, page.record.id, past.version)
        if old is not None:
            files.write_whole(path, sheet.render(sheet.Sheet(record=old)), old.times.updated_at)


def _forget(db: sqlite3.Connection, home: Path, record_id: str, known: Known | None) -> None:
    """Remove every file of an erased record, wherever it lies."""
    places = {found.name for found in files.walk(home) if Path(found.name).stem == record_id}
    for path in places | ({known.path} if known else set()):
        _remove_all(home, path)
    db.execute("DELETE FROM mirror_file WHERE record_id = ?", (record_id,))


def _remove_all(home: Path, path: str) -> None:
    if not path.startswith(f"{files.RECORDS}/") or ".." in path:
        return
    # Erasing is rare, and this loads what no other writing needs.
    import shutil

    shutil.rmtree((home / sheet.history_path(path, 1)).parent, ignore_errors=True)
    (home / sidecar.beside(path)).unlink(missing_ok=True)
    files.remove(home, path)


def _log(told: str, error: Exception) -> None:
    # Most processes log nothing, and some have no time to load what does it.
    import logging

    logging.getLogger(__name__).warning(told, type(error).__name__)
