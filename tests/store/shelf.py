"""A real store on disk for the tests of its files."""

import hashlib
import os
import stat
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memex_mcp.model.record import Link, Record
from memex_mcp.store import audit, edits, index, links, mirror, records, revisions, workspaces
from memex_mcp.store.database import Database
from tests.make import NOON, make_caller


@dataclass
class Shelf:
    """A database and its folder; writes as the gate does."""

    database: Database

    @property
    def home(self) -> Path:
        return self.database.home

    def put(self, record: Record, *links_: Link, at: datetime = NOON) -> Record:
        caller = make_caller(record.workspace_id or "w1", record.session_id or None)
        with self.database.write() as db:
            workspaces.note_seen(db, caller, at)
            index.add(db, records.insert(db, record), record)
            for link in links_:
                links.add(db, link)
            entry = audit.Entry("create", record.id, None, audit.state_hash(record))
            audit.append(db, caller, entry, at)
            mirror.enqueue(db, record.id, at)
        return record

    def revise(self, old: Record, new: Record) -> Record:
        with self.database.write() as db:
            revisions.keep(db, old, new.times.updated_at)
            n = records.update(db, new)
            index.remove(db, n, old)
            index.add(db, n, new)
            mirror.enqueue(db, new.id, new.times.updated_at)
        return new

    def erase(self, record: Record) -> None:
        with self.database.write() as db:
            n = records.number(db, record.id)
            assert n is not None
            index.remove(db, n, record)
            db.execute("DELETE FROM record WHERE n = ?", (n,))
            db.execute("DELETE FROM revision WHERE record_id = ?", (record.id,))
            mirror.enqueue(db, record.id, NOON)

    def drain(self) -> int:
        return mirror.drain(self.database)

    def take(self) -> list[edits.Edit]:
        return edits.take_edits(self.database)

    def file(self, record: Record) -> Path:
        """Where the record's file lies; the test fails when it has none."""
        (found,) = (self.home / "records").rglob(f"{record.id}.md")
        return found

    def queue(self) -> list[str]:
        with self.database.read() as db:
            return [row[0] for row in db.execute("SELECT record_id FROM mirror_queue ORDER BY 1")]

    def quarantine(self) -> list[str]:
        """Contents of the files that were set aside."""
        folder = self.home / "quarantine"
        return [path.read_text(encoding="utf-8", errors="replace") for path in folder.glob("*.md")]


def listing(home: Path, *, folders: bool = True) -> dict[str, tuple[int, int, str]]:
    """Every file, and every folder if wanted, below ``home`` with mode, time and content."""
    found = {}
    for path in sorted([home, *home.rglob("*")]) if home.exists() else []:
        status = path.lstat()
        if not folders and path.is_dir():
            continue
        data = path.read_bytes() if path.is_file() else b""
        name = path.relative_to(home).as_posix()
        found[name] = (status.st_mode, status.st_mtime_ns, hashlib.sha256(data).hexdigest())
    return found


def put_odd(path: Path, kind: str) -> None:
    """Put something there that is no file."""
    if kind == "folder":
        path.mkdir(mode=0o700)
    elif kind == "link":
        path.symlink_to("/dev/zero")
    else:
        os.mknod(path, 0o600 | (stat.S_IFIFO if kind == "pipe" else stat.S_IFSOCK))
