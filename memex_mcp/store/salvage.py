"""Fills an empty database from record files and from what an old database still holds."""

import sqlite3
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path

from memex_mcp.errors import Conflict, Invalid, MemexError
from memex_mcp.model.kinds import CURRENT, Author, Scope, Status, Surface, Trust
from memex_mcp.model.record import Link, Record
from memex_mcp.model.times import now, to_ms
from memex_mcp.policy.keys import value_key
from memex_mcp.store import (
    audit,
    files,
    graves,
    links,
    mirror,
    records,
    revisions,
    sheet,
    tombstones,
)
from memex_mcp.store.migrations import get_meta, set_meta
from memex_mcp.store.tombstones import Tombstone
from memex_mcp.text import tokens

_COPIED = ("workspace", "session", "setting", "tombstone", "revision")
_KEPT_META = ("store_id", "created_at")
_LIVE = {*CURRENT, Status.CANDIDATE}


@dataclass(slots=True)
class Loaded:
    """What was found.

    Attributes:
        records: How many records were put in.
        from_database: How many of them have no sound file.
        quarantined: Files set aside: relative name and reason.
    """

    records: int = 0
    from_database: int = 0
    quarantined: list[str] = field(default_factory=list)
    audit_kept: bool = False


def load(new: sqlite3.Connection, old: sqlite3.Connection | None, home: Path) -> Loaded:
    """Bring everything together in ``new``; nothing is taken away from ``old`` or the files.

    A record comes from the old database if it is whole there and its file is no newer,
    else from its file.  A value with a standing tombstone comes back withdrawn.
    """
    work = _Salvage(new, old, home)
    work.copy_tables()
    work.load_tombstones()
    work.load_records()
    work.load_history()
    work.load_links()
    return work.loaded


class _Salvage:
    """One rebuild; ``old`` is None when no database can be read."""

    def __init__(self, new: sqlite3.Connection, old: sqlite3.Connection | None, home: Path) -> None:
        self._new = new
        self._old = old
        self._home = home
        self._links: list[Link] = []
        self._sources: list[tuple[str, tuple[str, ...]]] = []
        self._past: list[str] = []
        self.loaded = Loaded()

    def copy_tables(self) -> None:
        """Take over what the files do not hold, or hold less exactly."""
        if self._old is None:
            return
        for table in _COPIED:
            _copy(self._old, self._new, table)
        for key in _KEPT_META:
            value = get_meta(self._old, key)
            if value is not None:
                set_meta(self._new, key, value)
        # A broken chain is evidence, and stays in the backup; a sound one goes on.
        if audit.verify(self._old) is None:
            _copy(self._old, self._new, "audit")
            self.loaded.audit_kept = True

    def load_tombstones(self) -> None:
        """Add those that only the file remembers."""
        known = {row[0] for row in self._new.execute("SELECT value_key FROM tombstone")}
        for grave in graves.read(self._home):
            if grave.value_key not in known:
                tombstones.bury(self._new, grave)

    def load_records(self) -> None:
        """Every record, from its file or from the old database, in the order of their ids."""
        found: dict[str, str] = {}
        for file in files.walk(self._home):
            if file.past:
                self._past.append(file.name)
                continue
            record_id = Path(file.name).stem
            if record_id in found:
                self._set_aside(file.name, f"it is a copy of {found[record_id]}")
            else:
                found[record_id] = file.name
        held: set[str] = set()
        if self._old is not None:
            held = {row[0] for row in self._old.execute("SELECT id FROM record")}
        for record_id in sorted(found.keys() | held):
            self._put_best(record_id, found.get(record_id))

    def load_history(self) -> None:
        """Earlier versions that only the files remember; each ended when the next began."""
        by_record: dict[str, list[tuple[int, str]]] = {}
        for name in self._past:
            record_id = Path(name).parent.name.removesuffix(files.HISTORY)
            version = Path(name).stem
            if version.isdecimal():
                by_record.setdefault(record_id, []).append((int(version), name))
        for record_id, versions in by_record.items():
            n = records.number(self._new, record_id)
            if n is not None:
                self._keep_past(records.by_number(self._new, n), sorted(versions, reverse=True))

    def load_links(self) -> None:
        """What the records are to each other, as far as both are there."""
        for record_id, sources in self._sources:
            links.add_sources(self._new, record_id, sources)
        for link in self._links:
            try:
                links.add(self._new, link)
            except MemexError:
                continue  # its other end is gone, or was never in this scope

    def _put_best(self, record_id: str, name: str | None) -> None:
        kept = self._from_old(record_id)
        page = None if name is None else self._from_file(record_id, name)
        if kept is not None and (page is None or kept.record.version >= page.record.version):
            self.loaded.from_database += page is None
            self._put(kept, name if page else None)
        elif page is not None:
            self._put(replace(page, record=self._sound(page.record)), name)

    def _from_old(self, record_id: str) -> sheet.Sheet | None:
        """The record as the old database has it; None when it is missing or damaged there."""
        if self._old is None:
            return None
        try:
            page = sheet.load(self._old, record_id)
        except (MemexError, sqlite3.DatabaseError, zlib.error, ValueError):
            return None
        if page is None or sheet.body_digest(page.record.body) != page.record.body_sha256:
            return None
        return page

    def _from_file(self, record_id: str, name: str) -> sheet.Sheet | None:
        try:
            page = sheet.parse((self._home / name).read_bytes())
        except (OSError, Invalid) as error:
            self._set_aside(name, _why(error))
            return None
        if page.record.id != record_id:
            self._set_aside(name, "its name is not the id in it")
            return None
        return page

    def _sound(self, record: Record) -> Record:
        """A record from a file, with what follows from its text made true."""
        if sheet.body_digest(record.body) != record.body_sha256:
            # Changed by hand, so nobody stands behind it any more.
            counted = tokens.count(record.body)
            record = replace(
                record,
                author=Author.FILE,
                trust=Trust.UNTRUSTED,
                body_sha256=sheet.body_digest(record.body),
                tokens=counted.tokens,
                token_method=counted.method,
            )
        record = replace(record, value_key=value_key(record.owner, record.body))
        standing = tombstones.standing(self._new, [record.value_key]) is not None
        if standing and record.status in _LIVE:
            record = replace(record, status=Status.RETRACTED)
        return record

    def _put(self, page: sheet.Sheet, name: str | None) -> None:
        record = page.record
        try:
            records.insert(self._new, record)
        except Conflict as error:
            if name is not None:
                self._set_aside(name, str(error))
            return
        self.loaded.records += 1
        self._links += page.links
        self._sources.append((record.id, page.sources))
        self._note_place(page)
        if record.status is Status.RETRACTED:
            self._bury(record)
        self._note_file(page, name)

    def _note_file(self, page: sheet.Sheet, name: str | None) -> None:
        """Remember the file, or have it written; an edit that waits keeps waiting."""
        record_id = page.record.id
        data = None if name is None else (self._home / name).read_bytes()
        row = None
        if self._old is not None:
            row = self._old.execute(
                "SELECT path, sha256 FROM mirror_file WHERE record_id = ?", (record_id,)
            ).fetchone()
        if row is not None:
            mirror.note_file(self._new, page, row["path"], row["sha256"])
        elif name is not None and data is not None:
            mirror.note_file(self._new, page, name, sheet.digest(data))
        if data != sheet.render(page):
            mirror.enqueue(self._new, record_id, now())

    def _note_place(self, page: sheet.Sheet) -> None:
        record = page.record
        if record.scope is Scope.GLOBAL:
            return
        seen = (to_ms(record.times.recorded_at), to_ms(record.times.updated_at))
        if page.workspace_path:
            self._new.execute(
                "INSERT OR IGNORE INTO workspace VALUES (?, ?, ?, ?, ?)",
                (record.workspace_id, page.workspace_path, page.workspace_name, *seen),
            )
        if record.session_id:
            self._new.execute(
                "INSERT OR IGNORE INTO session VALUES (?, ?, ?, ?, ?)",
                (record.workspace_id, record.session_id, record.client, *seen),
            )

    def _bury(self, record: Record) -> None:
        known = self._new.execute(
            "SELECT 1 FROM tombstone WHERE value_key = ?", (record.value_key,)
        ).fetchone()
        if known is None:
            grave = Tombstone(
                value_key=record.value_key,
                owner=record.owner,
                record_id=record.id,
                reason="",
                surface=Surface.CLI,
                client="memex-mcp",
                at=record.times.updated_at,
            )
            tombstones.bury(self._new, grave)

    def _keep_past(self, current: Record, versions: list[tuple[int, str]]) -> None:
        until = current.times.updated_at
        for version, name in versions:
            if version >= current.version:
                continue
            known = revisions.at_version(self._new, current.id, version)
            if known is None:
                page = self._from_file(current.id, name)
                if page is None:
                    continue
                known = replace(page.record, version=version)
                revisions.keep(self._new, known, until)
            until = known.times.updated_at

    def _set_aside(self, name: str, why: str) -> None:
        try:
            files.set_aside(self._home, name, why)
        except OSError:
            why += " (it could not be moved)"
        self.loaded.quarantined.append(f"{name}: {why}")


def _why(error: OSError | Invalid) -> str:
    return str(error) if isinstance(error, Invalid) else "it cannot be read"


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> None:
    rows = old.execute(f"SELECT * FROM {table}")
    marks = ", ".join("?" * len(rows.description))
    new.executemany(f"INSERT INTO {table} VALUES ({marks})", map(tuple, rows))
