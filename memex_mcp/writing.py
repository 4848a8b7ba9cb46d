"""One passage through the gate: a transaction, then the files and those who listen."""

import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from memex_mcp import gate
from memex_mcp.errors import Conflict, Denied, Invalid, NotFound, Refused, Unavailable
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Status
from memex_mcp.model.query import Change, Written
from memex_mcp.model.record import Draft
from memex_mcp.model.times import now
from memex_mcp.policy import stamp
from memex_mcp.store import edits, index, mirror, workspaces
from memex_mcp.store.database import Database

Listener = Callable[[Change], None]

# Files that a write brings up to date beside its own; a backlog is the next start's business.
_DRAINED = 20


class Writer:
    """What changes one store; safe from many threads."""

    def __init__(self, database: Database, *, mask_secrets: bool) -> None:
        self._database = database
        self._mask_secrets = mask_secrets
        self.listeners: list[Listener] = []

    def write(self, drafts: Sequence[Draft], caller: Caller) -> list[Written | Refused]:
        """Pass drafts through the gate in one transaction; only a refusal stands alone.

        Raises:
            MemexError: What :func:`gate.admit` and :meth:`gate.Gate.write` raise; nothing was
                written then.
        """
        about = next((named for each in drafts if (named := each.id or each.supersedes)), None)
        with self.denials(caller, about):
            hide = self._mask_secrets
            admitted = [gate.admit(draft, caller, mask_secrets=hide) for draft in drafts]
            with self.passage(caller) as passage:
                return [passage.write(each) for each in admitted]

    @contextmanager
    def denials(self, caller: Caller, record_id: str | None) -> Generator[None]:
        """What is denied leaves an audit row; a read-only caller is not expected to try."""
        try:
            yield
        except Denied:
            if not caller.readonly:
                with suppress(Unavailable), self._database.write() as db:
                    gate.Gate(db, caller, now()).denied(record_id)
            raise

    @contextmanager
    def passage(self, caller: Caller) -> Generator[gate.Gate]:
        """The gate within one transaction; once committed, files and listeners follow."""
        at = now()
        with self._database.write() as db:
            _make_current(db)
            workspaces.note_seen(db, caller, at)
            passage = gate.Gate(db, caller, at)
            yield passage
        most = _DRAINED + len(passage.changes)
        mirror.drain(self._database, limit=most, bodies=passage.bodies)
        for change in passage.changes:
            for listener in self.listeners:
                listener(change)

    def refresh(self) -> list[edits.Edit]:
        """Bring index and files up to date, and take in what people did to the files."""
        with self._database.read() as db:
            stale = index.stale(db)
        if stale:
            # A store that cannot be written is still read, as it is.
            with suppress(Unavailable), self._database.write() as db:
                _make_current(db)
        mirror.drain(self._database)
        return self.take_edits()

    def take_edits(self, record_id: str | None = None) -> list[edits.Edit]:
        """Pass hand edits through the gate; what it refuses ends in the quarantine."""
        taken: list[edits.Edit] = []
        # Where nothing can be written, the files wait as they are.
        with suppress(Unavailable):
            taken.extend(map(self._take, edits.take_edits(self._database, record_id)))
        return taken

    def _take(self, edit: edits.Edit) -> edits.Edit:
        if edit.record is None:
            return edit
        problem, told = edit.problem, ""
        try:
            draft, caller = stamp.whole_draft(edit.record), stamp.file_caller(edit.record)
            (written,) = self.write([draft], caller)
            if isinstance(written, Refused):
                raise written
            if written.status is Status.CANDIDATE:
                told = f"it waits for your review as {written.id}"
        except (Denied, Invalid, Conflict, Refused, NotFound) as error:
            problem = "; ".join(filter(None, (error.told(), edit.problem)))
        edits.settle(self._database, edit, problem)
        return replace(edit, problem="; ".join(filter(None, (problem, told))))


def _make_current(db: sqlite3.Connection) -> None:
    """Terms can only be taken out of an index that the same analyzer built."""
    if index.stale(db):
        index.rebuild(db)
