"""Memory: the one door.  Every surface calls this and nothing below it.

Calls are synchronous and safe from many threads.  Nothing touches the disk before the
first call needs it, so that a server can answer its handshake at once.
"""

import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress

from memex_mcp.care import Care
from memex_mcp.embedding import aids_for, embedding_for
from memex_mcp.errors import Disabled, Refused, Unavailable
from memex_mcp.model.browse import Browse, Grep, Grepped, Stats
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import State, Status
from memex_mcp.model.query import (
    Listed,
    Moved,
    Opened,
    Page,
    Query,
    SearchAnswer,
    Written,
)
from memex_mcp.model.record import Draft, Link, Pinned
from memex_mcp.model.status import StoreStatus
from memex_mcp.model.times import now
from memex_mcp.model.window import Window
from memex_mcp.policy.access import owners
from memex_mcp.retrieval import browse, catalog, grep, opening, recall, window
from memex_mcp.retrieval.aids import Aids
from memex_mcp.retrieval.tuning import DEFAULT as TUNING
from memex_mcp.retrieval.tuning import Tuning
from memex_mcp.settings import Settings
from memex_mcp.store import records, summary, tombstones
from memex_mcp.store.database import Cancel
from memex_mcp.store.tombstones import Tombstone
from memex_mcp.writing import Listener

__all__ = ["Cancel", "Memory"]

_FIRST_PAGE = Page()
_A_MOMENT = 0.05


class Memory(Care):
    """The memory of one store folder.

    Attributes:
        embedding: Keeps the vectors up to date; None while no model is configured.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.embedding = embedding_for(settings, self._database)
        self._space = self.embedding.space if self.embedding else None

    def close(self) -> None:
        """Fold the log into the database and close it."""
        if self.embedding is not None:
            self.embedding.close()
        super().close()

    def on_change(self, listener: Listener) -> None:
        """Have ``listener`` called after every committed change, in the thread that made it."""
        self._writer.listeners.append(listener)

    def search(
        self, query: Query, caller: Caller, cancel: Cancel | None = None, *, tuning: Tuning = TUNING
    ) -> SearchAnswer:
        """Find records.

        Raises:
            Invalid: The query is empty, or a cursor belongs to another one.
            Unavailable: The store cannot be read, or ``cancel`` stopped the search.
        """
        try:
            aids = self._aids(query, caller, tuning)
            with self._reading(caller, cancel) as db:
                return recall.recall(db, query, caller, now(), tuning, aids)
        except Disabled as off:
            return SearchAnswer(state=State.DISABLED, hint=str(off))

    def window(
        self, question: str, budget: int, caller: Caller, cancel: Cancel | None = None
    ) -> Window:
        """What is worth reading before a question is answered; blank for what always counts.

        Raises:
            Invalid: The budget is not 200 to 20,000 tokens.
            Unavailable: The store cannot be read, or ``cancel`` stopped the search.
        """
        try:
            aids = self._aids(Query(text=question), caller)
            with self._reading(caller, cancel) as db:
                return window.window(db, question, caller, now(), budget, aids=aids)
        except Disabled as off:
            return window.switched_off(str(off), budget)

    def open(
        self, record_id: str, caller: Caller, page: Page = _FIRST_PAGE, cancel: Cancel | None = None
    ) -> Opened:
        """Read one record, a page at a time; whatever its status.

        Raises:
            NotFound: The caller sees no such record or revision.
            StaleCursor: The text changed since the cursor was given.
            Invalid: The cursor belongs to another record.
        """
        with self._reading(caller, cancel) as db:
            opened = opening.read(db, record_id, caller, page, now())
            changes = not caller.readonly and self.switches.writes(db, caller)
        if changes and self._writer.take_edits(record_id):
            with self._database.read(cancel) as db:
                opened = opening.read(db, record_id, caller, page, now())
        if page.cursor is None and changes:
            # Counting an opening is a courtesy: nobody waits for it where others write.
            with suppress(Unavailable), self._database.write(_A_MOMENT) as db:
                records.touch_opened(db, record_id, now())
        return opened

    def write(self, draft: Draft, caller: Caller) -> Written:
        """Remember something; committed when this returns.

        Raises:
            Refused: The value was withdrawn in this scope.
            MemexError: As :meth:`write_all`.
        """
        (written,) = self.write_all([draft], caller)
        if isinstance(written, Refused):
            raise written
        return written

    def write_all(self, drafts: Sequence[Draft], caller: Caller) -> list[Written | Refused]:
        """Remember all of several things in one transaction, or none; only refusals stand alone.

        Raises:
            Denied: The caller may not write there.
            Invalid: A draft can never be stored.
            NotFound: One names a record that the caller does not see.
            Conflict: Someone else changed that record first.
            Unavailable: The store cannot be written.
        """
        self._awake()
        return self._writer.write(drafts, caller)

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
        with self._writer.denials(caller, record_id), self._writer.passage(caller) as passage:
            return passage.move(record_id, status, reason=reason, superseded_by=superseded_by)

    def pin(self, record_id: str, caller: Caller, *, pinned: bool = True) -> Pinned:
        """Have a record counted among what always counts, or no longer.

        Raises:
            NotFound: The caller sees no such record.
            Denied: A person stands behind it.
            Invalid: It is not current.
        """
        self._awake()
        with self._writer.denials(caller, record_id), self._writer.passage(caller) as passage:
            return passage.pin(record_id, pinned=pinned)

    def link(self, link: Link, caller: Caller) -> Link:
        """State that one record is something to another; returns the link as it is kept.

        Raises:
            MemexError: As :meth:`set_status`; both records lie in one scope and are current.
        """
        self._awake()
        with self._writer.denials(caller, link.from_id), self._writer.passage(caller) as passage:
            passage.link(link)
        return link

    def grep(self, asked: Grep, caller: Caller, cancel: Cancel | None = None) -> Grepped:
        """Lines that hold a text or match a pattern, as far as a quarter of a second goes.

        Raises:
            Invalid: The pattern or the cursor makes no sense.
        """
        end = time.monotonic() + grep.SECONDS
        with self._reading(caller, cancel) as db:
            return grep.grep(db, asked, caller, now(), lambda: time.monotonic() > end)

    def index(self, asked: Browse, caller: Caller, cancel: Cancel | None = None) -> Listed:
        """Records newest first, without their bodies, narrowed and as many as an answer holds."""
        with self._reading(caller, cancel) as db:
            return browse.listed(db, asked, caller, now())

    def stats(self, caller: Caller, cancel: Cancel | None = None) -> Stats:
        """Counts of what the caller sees, and how index and files are doing."""
        with self._reading(caller, cancel) as db:
            return browse.stats(db, caller)

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
        with self._reading(caller, cancel) as db:
            return catalog.page(db, caller, now(), every=every, limit=limit, cursor=cursor)

    def catalog(
        self,
        caller: Caller,
        cancel: Cancel | None = None,
        *,
        characters: int = catalog.CHARACTERS,
    ) -> str:
        """What is on record here, a line each; the same bytes until something is written."""
        with self._reading(caller, cancel) as db:
            return catalog.build(db, caller, now(), characters)

    def status(self, caller: Caller) -> StoreStatus:
        """Counts and sizes of what the caller sees, and how the store is doing."""
        return summary.gather(self._database, caller, self.settings, self._space)

    def tombstones(self, caller: Caller) -> list[Tombstone]:
        """Withdrawn values in the caller's scopes, newest first; hashes, never the text."""
        with self._reading(caller) as db:
            return tombstones.listing(db, owners(caller))

    def lift(self, key: str, caller: Caller) -> Tombstone:
        """Let a withdrawn value be written again, named by at least 8 characters of its key.

        Raises:
            Denied: The caller is no person.
            NotFound: No standing tombstone of the caller's scopes begins so, or several do.
        """
        self._awake()
        with self._writer.denials(caller, None), self._writer.passage(caller) as passage:
            return passage.lift(key)

    @contextmanager
    def _reading(
        self, caller: Caller, cancel: Cancel | None = None
    ) -> Generator[sqlite3.Connection]:
        """One snapshot for a caller that may read.

        Raises:
            Disabled: Memory is off, for everybody or for this caller.
        """
        self._awake()
        with self._database.read(cancel) as db:
            self.switches.check_reading(db, caller)
            yield db

    def _aids(self, query: Query, caller: Caller, tuning: Tuning = TUNING) -> Aids:
        """What models add to a search; none of them hears of what a caller may not ask."""
        if self.embedding is not None:
            with self._reading(caller):
                pass
        return aids_for(self.embedding, query, caller, tuning)
