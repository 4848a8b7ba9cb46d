"""Fills an empty database from record files and from what an old database still holds.

With an old database the files are what people edit: their words may come in as a new
version, their marks never do.  Without one the files are all there is, and nobody is known
to stand behind them.
"""

import sqlite3
from dataclasses import replace
from pathlib import Path

from memex_mcp.errors import Conflict, MemexError
from memex_mcp.model.kinds import CURRENT, Author, Status
from memex_mcp.model.record import Link, Record
from memex_mcp.model.times import now
from memex_mcp.model.turn import Envelope
from memex_mcp.policy.masking import masked_line, one_line
from memex_mcp.policy.status import outranked
from memex_mcp.settings import Secrets
from memex_mcp.store import (
    audit,
    events,
    late_edits,
    links,
    mirror,
    records,
    revisions,
    sheet,
    sidecar,
    tombstone_file,
    tombstones,
    unproven,
    workspaces,
)
from memex_mcp.store.found_files import FoundFiles
from memex_mcp.store.merge import merge
from memex_mcp.store.migrations import get_meta, set_meta
from memex_mcp.store.old_store import UNREADABLE, OldStore
from memex_mcp.text.secrets import mask
from memex_mcp.values import dataclass

_COPIED = (
    *("workspace", "session", "setting", "switch_log", "tombstone", "revision"),
    *("capture_source", "capture_turn", "recall_seen", "injected"),
)
_KEPT_META = ("store_id", "created_at")
_LIVE = {*CURRENT, Status.CANDIDATE}


@dataclass(slots=True)
class Loaded:
    """What was found.

    Attributes:
        records: How many records were put in.
        from_database: How many of them have no sound file.
        unverified: How many said that a person stands behind them, and cannot prove it.
        quarantined: Files set aside: relative name and reason.
        outdated: Files of past versions that were not taken as they are.
        audit_kept: The audit trail of the old database was sound and goes on.
    """

    records: int = 0
    from_database: int = 0
    unverified: int = 0
    quarantined: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    audit_kept: bool = False


def load(
    new: sqlite3.Connection, old: sqlite3.Connection | None, home: Path, *, secrets: Secrets
) -> Loaded:
    """Bring everything together in ``new``; nothing is taken away from ``old`` or the files.

    What the old database holds whole is kept as it is; an edited file makes a new version
    of it.  What it lost comes from the file.  A value with a standing tombstone comes back
    withdrawn.
    """
    work = _Salvage(new, None if old is None else OldStore(old), home, secrets=secrets)
    work.copy_tables()
    work.load_tombstones()
    work.load_records()
    work.load_history()
    work.load_links()
    work.take_edits()
    return work.loaded


@dataclass(frozen=True, slots=True)
class _Edited:
    """A file that says something else than its record, and what it says."""

    name: str
    sha256: str
    wanted: Record
    left: str


class _Salvage:
    """One rebuild; ``old`` is None when no database can be read."""

    def __init__(
        self, new: sqlite3.Connection, old: OldStore | None, home: Path, *, secrets: Secrets
    ) -> None:
        self._new = new
        self._old = old
        self._home = home
        self._mask = secrets != "off"
        self._mask_lines = secrets == "mask"
        self._links: list[Link] = []
        self._sources: list[tuple[str, tuple[str, ...]]] = []
        self._files = FoundFiles(home, old)
        self._edits: list[_Edited] = []
        self._younger: set[str] = set()
        self.loaded = Loaded()

    def copy_tables(self) -> None:
        """Take over what the files do not hold, or hold less exactly."""
        if self._old is None:
            return
        for table in _COPIED:
            self._old.copy(table, self._new)
        for key in _KEPT_META:
            value = get_meta(self._old.db, key)
            if value is not None:
                set_meta(self._new, key, value)
        # A broken chain is evidence, and stays in the backup; a sound one goes on.
        if audit.verify(self._old.db) is None:
            self._old.copy("audit", self._new)
            self.loaded.audit_kept = True

    def load_tombstones(self) -> None:
        """Add those that only the file remembers."""
        known = {row[0] for row in self._new.execute("SELECT value_key FROM tombstone")}
        for tombstone in tombstone_file.read(self._home):
            if tombstone.value_key in known:
                continue
            reason = one_line(tombstone.reason)
            reason = mask(reason).text if self._mask else reason
            tombstones.bury(self._new, replace(tombstone, reason=reason))
            if tombstone.lifted_at is None:
                self._younger.add(tombstone.value_key)

    def load_records(self) -> None:
        """Every record, from the old database or its file, in the order of their ids."""
        found = self._files.names
        for record_id in sorted(found.keys() | (self._old.ids if self._old else set())):
            name = found.get(record_id)
            if self._old is None:
                page = None if name is None else self._files.page(record_id, name)
                self._put_unproven(page, name, None)
            elif record_id in self._old.ids:
                self._put_kept(self._old, record_id, name)
            elif name is not None and record_id in self._old.queued:
                # It was erased, and its file is about to be removed.
                mirror.enqueue(self._new, record_id, now())
            elif name is not None:
                self._files.set_aside(name, "the database knows no record of that id")

    def load_history(self) -> None:
        """Earlier versions that only the files remember; each ended when the next began."""
        for record_id, versions in self._files.past.items():
            record = records.by_id(self._new, record_id)
            if record is not None:
                self._keep_past(record, versions)

    def load_links(self) -> None:
        """What the records are to each other, as far as both are there."""
        for record_id, sources in self._sources:
            links.add_sources(self._new, record_id, sources)
        for link in self._links:
            try:
                links.add(self._new, link)
            except MemexError:
                continue  # its other end is gone, or was never in this scope

    def take_edits(self) -> None:
        """What people wrote into files of records that are otherwise whole."""
        for edit in self._edits:
            try:
                record = late_edits.take(self._new, edit.wanted, now(), mask_secrets=self._mask)
            except MemexError as error:
                self._files.set_aside(edit.name, error)
                continue
            mirror.note_file(self._new, sheet.Sheet(record=record), edit.name, edit.sha256)
            if edit.left:
                self._files.set_aside(edit.name, edit.left)
        self.loaded.quarantined = tuple(self._files.quarantined)

    def _put_kept(self, old: OldStore, record_id: str, name: str | None) -> None:
        """A record of the old database; its file may say something newer."""
        kept = old.sheet(record_id)
        if kept is None and name is not None:
            # Its body is lost there, so the file has to say it.
            page, marks = self._files.page(record_id, name), old.marks(record_id)
            kept = old.proven(marks, page) if marks and page else None
            if kept is None:
                self._put_unproven(page, name, marks)
        if kept is None:
            return
        name = name and self._compared(old, kept, name)
        self.loaded.from_database += name is None
        self._put(kept, name, old.file(record_id))
        record = kept.record
        young = record.value_key in self._younger and record.status in _LIVE
        if young and not outranked(Author.FILE, record):
            late_edits.withdraw(self._new, record, now())

    def _compared(self, old: OldStore, kept: sheet.Sheet, name: str) -> str | None:
        """The file's name if it can stay; what a person changed in it waits to be taken."""
        try:
            data = self._files.data(name)
            sha256 = sheet.digest(data)
            known = old.file(kept.record.id)
            if (known and known[1] == sha256) or data == sheet.render(kept):
                return name
            wanted = merge(self._new, kept, data)
        except (*UNREADABLE, OSError) as error:
            self._files.set_aside(name, error)
            return None
        if wanted.record is not None:
            self._edits.append(_Edited(name, sha256, wanted.record, wanted.left))
        elif wanted.left:
            self._files.set_aside(name, wanted.left)
            return None
        return name

    def _put_unproven(
        self, page: sheet.Sheet | None, name: str | None, marks: Record | None
    ) -> None:
        """What only a file tells of a record; its marks are the database's if it has them."""
        if page is None:
            return
        record = page.record if marks is None else unproven.content(marks, page.record)
        self.loaded.unverified += unproven.claims_person(marks or record)
        page = unproven.taken(replace(page, record=record), mask_secrets=self._mask)
        record = page.record
        if record.status is Status.RETRACTED:
            unproven.bury(self._new, record)
        elif record.status in _LIVE and unproven.withdrawn(self._new, record):
            page = replace(page, record=replace(record, status=Status.RETRACTED))
        self._put(page, name, None)

    def _put(self, page: sheet.Sheet, name: str | None, known: tuple[str, str] | None) -> None:
        """Add a record; ``known`` is name and hash of the file that was last written for it."""
        record = page.record
        try:
            records.insert(self._new, record)
        except Conflict as error:
            if name is not None:
                self._files.set_aside(name, str(error))
            return
        self.loaded.records += 1
        self._links += page.links
        self._sources.append((record.id, page.sources))
        workspaces.note_found(self._new, record, page.workspace_path, page.workspace_name)
        lines = self._lines(record.id, name)
        events.add(self._new, record.id, lines)
        data = None if name is None else self._files.data(name)
        if known is None and name is not None and data is not None:
            known = (name, sheet.digest(data))
        if known is not None:
            mirror.note_file(self._new, page, *known)
        if data != sheet.render(page) or (name and sidecar.differs(self._home, name, lines)):
            mirror.enqueue(self._new, record.id, now())

    def _lines(self, record_id: str, name: str | None) -> tuple[Envelope, ...]:
        """What a record stands for: as the old database has it, else from beside its file."""
        kept = self._old.lines(record_id) if self._old else None
        if kept is not None or name is None:
            return kept or ()
        lines, changed = self._files.lines(name)
        if changed:
            why = f"{sidecar.CHANGED}; {changed} of them are not what they were"
            self._files.set_aside(sidecar.beside(name), why)
        return tuple(map(masked_line, lines)) if self._mask_lines else lines

    def _keep_past(self, current: Record, versions: list[tuple[int, str]]) -> None:
        until = current.times.updated_at
        for version, name in versions:
            if version >= current.version:
                continue
            began = revisions.began_at(self._new, current.id, version)
            if began is None and self._old is not None:
                self._files.set_aside(name, "the database knows no such version")
            elif began is None:
                page = self._files.page(current.id, name)
                if page is None:
                    continue
                past = unproven.past(page, current, version, mask_secrets=self._mask)
                revisions.keep(self._new, past, until)
                began = past.times.updated_at
                if self._files.data(name) != sheet.render(sheet.Sheet(record=past)):
                    self.loaded.outdated += (name,)
                    mirror.enqueue(self._new, current.id, now())
            until = began or until
