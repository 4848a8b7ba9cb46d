"""Memory: the one door.  Every surface calls this and nothing below it.

Calls are synchronous and safe from many threads.  Nothing touches the disk before the
first call needs it, so that a server can answer its handshake at once.
"""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import replace

from memex_mcp import gate
from memex_mcp.errors import (
    Conflict,
    Denied,
    Disabled,
    Invalid,
    NotFound,
    Refused,
    Unavailable,
)
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import State, Status
from memex_mcp.model.query import (
    Change,
    Listed,
    Moved,
    Opened,
    Page,
    Query,
    SearchAnswer,
    StoreStatus,
    Written,
)
from memex_mcp.model.record import Draft
from memex_mcp.model.times import now
from memex_mcp.policy import stamp
from memex_mcp.policy.access import owners
from memex_mcp.retrieval import catalog, opening, recall
from memex_mcp.settings import Settings
from memex_mcp.store import (
    callers,
    edits,
    index,
    inspect,
    mirror,
    rebuild,
    records,
    summary,
    tombstones,
    workspaces,
)
from memex_mcp.store.database import Cancel, Database
from memex_mcp.store.tombstones import Tombstone

__all__ = ["Cancel", "Memory"]

Listener = Callable[[Change], None]
_FIRST_PAGE = Page()
# Files that one write brings up to date; a backlog is the next start's business.
_DRAINED = 20


class Memory:
    """The memory of one store folder."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._database = Database(settings.home)
        self._listeners: list[Listener] = []

    def close(self) -> None:
        """Fold the log into the database and close it."""
        self._database.close()

    def on_change(self, listener: Listener) -> None:
        """Have ``listener`` called after every committed change, in the thread that made it."""
        self._listeners.append(listener)

    def caller(self, evidence: Evidence) -> Caller:
        """Make out who asks, and from where.

        Raises:
            Invalid: A workspace was given and does not exist.
            Denied: A workspace was given and can never be one.
        """
        return callers.identify(self.settings, evidence)

    def search(self, query: Query, caller: Caller, cancel: Cancel | None = None) -> SearchAnswer:
        """Find records.

        Raises:
            Invalid: The query is empty, or a cursor belongs to another one.
            Unavailable: The store cannot be read, or ``cancel`` stopped the search.
        """
        if self.settings.disabled:
            return SearchAnswer(state=State.DISABLED, hint=self.settings.disabled)
        with self._database.read(cancel) as db:
            return recall.recall(db, query, caller, now())

    def open(
        self, record_id: str, caller: Caller, page: Page = _FIRST_PAGE, cancel: Cancel | None = None
    ) -> Opened:
        """Read one record, a page at a time; whatever its status.

        Raises:
            NotFound: The caller sees no such record or revision.
            StaleCursor: The text changed since the cursor was given.
            Invalid: The cursor belongs to another record.
        """
        self._awake()
        with self._database.read(cancel) as db:
            opened = opening.read(db, record_id, caller, page, now())
        if not caller.readonly and self._take_edits(record_id):
            with self._database.read(cancel) as db:
                opened = opening.read(db, record_id, caller, page, now())
        if page.cursor is None and not caller.readonly:
            # Counting an opening is a courtesy; a store that cannot be written still reads.
            with suppress(Unavailable), self._database.write() as db:
                records.touch_opened(db, record_id, now())
        return opened

    def write(self, draft: Draft, caller: Caller) -> Written:
        """Remember something; committed when this returns.

        Raises:
            Denied: The caller may not write there.
            Invalid: The draft can never be stored.
            NotFound: It names a record that the caller does not see.
            Conflict: Someone else changed that record first.
            Refused: The value was withdrawn in this scope.
            Unavailable: The store cannot be written.
        """
        self._awake()
        with self._denials(caller, draft.id or draft.supersedes):
            admitted = gate.admit(draft, caller, mask_secrets=self.settings.mask_secrets)
            with self._passage(caller) as passage:
                written = passage.write(admitted)
        if isinstance(written, Refused):
            raise written
        return written

    def set_status(
        self,
        record_id: str,
        status: Status,
        caller: Caller,
        *,
        reason: str,
        superseded_by: str | None = None,
    ) -> Moved:
        """Dispute, supersede, retract or archive a record; people can do more.

        Raises:
            NotFound: The caller sees no such record.
            Denied: Only a person may do that.
            Invalid: The move makes no sense, or has no reason.
            Conflict: The successor is itself out of date.
        """
        self._awake()
        with self._denials(caller, record_id), self._passage(caller) as passage:
            return passage.move(record_id, status, reason=reason, superseded_by=superseded_by)

    def listing(
        self,
        caller: Caller,
        *,
        every: bool = False,
        limit: int = 50,
        cursor: str | None = None,
        cancel: Cancel | None = None,
    ) -> Listed:
        """Records newest first, without their bodies, 1 to 200 of them after ``cursor``.

        With ``every`` also those that recall would not show: all statuses, and expired ones.
        """
        self._awake()
        with self._database.read(cancel) as db:
            return catalog.page(db, caller, now(), every=every, limit=limit, cursor=cursor)

    def catalog(self, caller: Caller, cancel: Cancel | None = None) -> str:
        """What is on record here, a line each; the same bytes until something is written."""
        self._awake()
        with self._database.read(cancel) as db:
            return catalog.build(db, caller, now())

    def status(self, caller: Caller) -> StoreStatus:
        """Counts and sizes of what the caller sees, and how the store is doing."""
        return summary.gather(self._database, caller, self.settings.disabled)

    def tombstones(self, caller: Caller) -> list[Tombstone]:
        """Withdrawn values in the caller's scopes, newest first; hashes, never the text."""
        self._awake()
        with self._database.read() as db:
            return tombstones.listing(db, owners(caller))

    def lift(self, key: str, caller: Caller) -> Tombstone:
        """Let a withdrawn value be written again, named by at least 8 characters of its key.

        Raises:
            Denied: The caller is no person.
            NotFound: No standing tombstone of the caller's scopes begins so, or several do.
        """
        self._awake()
        with self._denials(caller, None), self._passage(caller) as passage:
            return passage.lift(key)

    def refresh(self) -> list[edits.Edit]:
        """Bring index and files up to date.

        Re-indexes after an upgrade, takes in hand edits, and writes the files that an
        earlier process could not.

        Returns:
            What people did to the files; empty in the ordinary case.
        """
        self._awake()
        with self._database.read() as db:
            stale = index.stale(db)
        if stale:
            # A store that cannot be written is still read, as it is.
            with suppress(Unavailable), self._database.write() as db:
                self._ready(db)
        mirror.drain(self._database)
        return self._take_edits()

    def examine(self) -> list[inspect.Finding]:
        """Check the store without changing a byte of it."""
        return inspect.examine(self.settings.home)

    def rebuild_index(self) -> int:
        """Build the search index anew from the records; returns how many."""
        with self._database.write() as db:
            return index.rebuild(db)

    def rebuild_files(self) -> int:
        """Write every Markdown file anew from the database; returns how many."""
        self.refresh()
        return rebuild.files(self._database)

    def rebuild_from_files(self) -> rebuild.Report:
        """Build the database anew from the Markdown files."""
        self._database.close()
        report = rebuild.from_files(self.settings.home, mask_secrets=self.settings.mask_secrets)
        self._database = Database(self.settings.home)
        return report

    def _awake(self) -> None:
        if self.settings.disabled:
            raise Disabled(self.settings.disabled, "The user switches memory on again.")

    def _ready(self, db: sqlite3.Connection) -> None:
        """Terms can only be taken out of an index that the same analyzer built."""
        if index.stale(db):
            index.rebuild(db)

    @contextmanager
    def _denials(self, caller: Caller, record_id: str | None) -> Generator[None]:
        """What is denied leaves an audit row; a read-only caller is not expected to try."""
        try:
            yield
        except Denied:
            if not caller.readonly:
                with suppress(Unavailable), self._database.write() as db:
                    gate.Gate(db, caller, now()).denied(record_id)
            raise

    @contextmanager
    def _passage(self, caller: Caller) -> Generator[gate.Gate]:
        """The gate within one transaction; once committed, files and listeners follow."""
        at = now()
        with self._database.write() as db:
            self._ready(db)
            workspaces.note_seen(db, caller, at)
            passage = gate.Gate(db, caller, at)
            yield passage
        mirror.drain(self._database, limit=_DRAINED)
        for change in passage.changes:
            for listener in self._listeners:
                listener(change)

    def _take_edits(self, record_id: str | None = None) -> list[edits.Edit]:
        """Pass hand edits through the gate; what it refuses ends in the quarantine."""
        taken: list[edits.Edit] = []
        # Where nothing can be written, the files wait as they are.
        with suppress(Unavailable):
            taken.extend(map(self._take, edits.take_edits(self._database, record_id)))
        return taken

    def _take(self, edit: edits.Edit) -> edits.Edit:
        if edit.record is None:
            return edit
        problem = edit.problem
        try:
            self.write(stamp.whole_draft(edit.record), stamp.file_caller(edit.record))
        except (Denied, Invalid, Conflict, Refused, NotFound) as error:
            problem = error.told()
        edits.settle(self._database, edit, problem)
        return replace(edit, problem=problem)
