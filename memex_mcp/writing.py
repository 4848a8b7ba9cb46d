"""One passage through the gate: a transaction, then the files and those who listen."""

import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from itertools import chain

from memex_mcp import gate
from memex_mcp.errors import Conflict, Denied, Invalid, NotFound, Refused, Unavailable
from memex_mcp.model.caller import NOBODY, Caller
from memex_mcp.model.kinds import Kind, Outcome, Relation, Status
from memex_mcp.model.query import Change, Written
from memex_mcp.model.record import Draft, Link
from memex_mcp.model.times import now
from memex_mcp.model.turn import Source
from memex_mcp.policy import admission, stamp
from memex_mcp.policy.access import owners
from memex_mcp.settings import Secrets
from memex_mcp.store import edits, index, mirror, scratch, workspaces
from memex_mcp.store.database import Database
from memex_mcp.store.ledger import Fate, Mark, Place, State, Taken
from memex_mcp.values import dataclass

Listener = Callable[[Change], None]
Check = Callable[[sqlite3.Connection, Caller], None]

# Files that a write brings up to date beside its own; a backlog is the next start's business.
_DRAINED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Turns of one transcript that are committed together.

    Attributes:
        known: State of the ledger when it was decided what is new in them.
        place: Where the reading goes on once they are committed.
    """

    source: Source
    known: State
    place: Place
    turns: tuple[Taken, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of a batch.

    Attributes:
        ids: Records that were created, oldest first.
        masked: Secrets that were replaced.
        refused: Drafts that carried a withdrawn value.
        left_out: What became of the turns of which nothing was kept, by their keys.
    """

    ids: tuple[str, ...]
    masked: int
    refused: int
    left_out: Mapping[str, Fate]


class Writer:
    """What changes one store; safe from many threads.

    Args:
        database: The store's.
        secrets: What becomes of secrets.
        check: Raises ``Disabled`` or ``Denied`` for a caller whose switches allow no writing.
    """

    def __init__(self, database: Database, *, secrets: Secrets, check: Check) -> None:
        self._database = database
        self._secrets = secrets
        self._check = check
        self.listeners: list[Listener] = []

    def write(self, drafts: Sequence[Draft], caller: Caller) -> list[Written | Refused]:
        """Pass drafts through the gate in one transaction; only a refusal stands alone.

        Raises:
            MemexError: What :func:`admission.admit` and :meth:`gate.Gate.write` raise; nothing was
                written then.
        """
        about = next((named for each in drafts if (named := each.id or each.supersedes)), None)
        with self.denials(caller, about):
            admitted = [self._admit(draft, caller) for draft in drafts]
            with self.passage(caller) as passage:
                return [passage.write(each) for each in admitted]

    def capture(self, batch: Batch, caller: Caller) -> Kept | None:
        """Commit records, their lines and the ledger's marks of some turns in one transaction.

        Returns:
            None, and nothing was written, when somebody else captured of this transcript since
            the batch was made.

        Raises:
            MemexError: As :meth:`write`.
        """
        with self.denials(caller, None):
            admitted = [self._admitted(turn, caller) for turn in batch.turns]
            homeless = [
                turn.mark.key
                for turn, made in zip(batch.turns, admitted, strict=True)
                if admission.is_homeless(made, self._secrets)
            ]
            with self.passage(caller) as passage:
                if passage.ledger.state(batch.source.key) != batch.known:
                    return None
                kept = [
                    [] if turn.mark.key in homeless else _keep(passage, batch.source, made)
                    for turn, made in zip(batch.turns, admitted, strict=True)
                ]
                left_out = {
                    turn.mark.key: Fate.REFUSED
                    for turn, written in zip(batch.turns, kept, strict=True)
                    if written and all(isinstance(each, Refused) for each in written)
                } | dict.fromkeys(homeless, Fate.UNSAFE)
                marks = [_fated(turn.mark, left_out) for turn in batch.turns]
                workspace_id = caller.workspace.id if caller.workspace else ""
                passage.ledger.note(batch.source, workspace_id, batch.place, marks, now())
                told = [each for each in chain(*kept) if isinstance(each, Written)]
                return Kept(
                    ids=tuple(each.id for each in told if each.outcome is Outcome.CREATED),
                    masked=sum(len(each.masked) for each in told),
                    refused=passage.refused,
                    left_out=left_out,
                )

    def _admitted(self, turn: Taken, caller: Caller) -> list[stamp.Admitted]:
        """What was made of a turn, each piece without the secrets that any of them gives away."""
        checkpoint = [turn.checkpoint] if turn.checkpoint else []
        drafts = (*turn.spans, *checkpoint, *turn.notes)
        admitted = [self._admit(draft, caller) for draft in drafts]
        return [stamp.screened(each, admitted) for each in admitted]

    def _admit(self, draft: Draft, caller: Caller) -> stamp.Admitted:
        return admission.admit(draft, caller, secrets=self._secrets)

    @contextmanager
    def denials(self, caller: Caller, record_id: str | None) -> Generator[None]:
        """What is denied leaves an audit row; a read-only caller is not expected to try."""
        try:
            # Before anything is said about the draft: who is switched off leaves no trace.
            with self._database.read() as db:
                self._check(db, caller)
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
            # Once more: the switches may have been put while this waited for its turn.
            self._check(db, caller)
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
        """Bring index and files up to date, and take in what people did to the files.

        Whatever was written down for a session that is long over goes then.
        """
        with self._database.read() as db:
            stale = index.stale(db)
        if stale:
            # A store that cannot be written is still read, as it is.
            with suppress(Unavailable), self._database.write() as db:
                _make_current(db)
        mirror.drain(self._database)
        taken = self.take_edits()
        with self._database.read() as db:
            over = bool(scratch.over(db, now()))
        if over:
            with suppress(Unavailable), self.passage(NOBODY) as passage:
                passage.sweep()
        return taken

    def end_session(self, caller: Caller, keep: timedelta) -> None:
        """Let what a session noted for itself alone end so long from now."""
        until = now() + keep
        with self._database.read() as db:
            lasting = bool(scratch.lasting(db, owners(caller)[-1], until))
        if lasting:
            with self.passage(caller) as passage:
                passage.end_scratch(until)

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


def _keep(
    passage: gate.Gate, source: Source, admitted: list[stamp.Admitted]
) -> list[Written | Refused]:
    """Write what was made of one turn; what is no span names those that it was made from."""
    written = []
    spans = [each for each in admitted if each.draft.kind is Kind.SPAN]
    for each in spans:
        told = passage.write(each)
        written.append(told)
        if isinstance(told, Written) and told.outcome is Outcome.CREATED:
            _relate(passage, source, told.id, each)
    ids = tuple(each.id for each in written if isinstance(each, Written))
    for derived in admitted[len(spans) :]:
        draft = replace(derived.draft, sources=(*derived.draft.sources, *ids))
        written.append(passage.write(replace(derived, draft=draft)))
    return written


def _relate(passage: gate.Gate, source: Source, record_id: str, admitted: stamp.Admitted) -> None:
    """Link what a sub-agent did to the turn that it did it for; either may come first."""
    times = [line.at for line in admitted.draft.events if line.at is not None]
    if not times:
        return
    owner, began, ended = admitted.owner, min(times), max(times)
    if source.part:
        turn = passage.ledger.told_from(owner, began)
        pairs = [(record_id, turn)] if turn else []
    else:
        agents = passage.ledger.told_by_agents(owner, began, ended)
        pairs = [(agent, record_id) for agent in agents]
    for agent, turn in pairs:
        passage.link(Link(from_id=agent, to_id=turn, relation=Relation.RELATED))


def _fated(mark: Mark, left_out: Mapping[str, Fate]) -> Mark:
    return replace(mark, fate=left_out.get(mark.key, mark.fate))


def _make_current(db: sqlite3.Connection) -> None:
    """Terms can only be taken out of an index that the same analyzer built."""
    if index.stale(db):
        index.rebuild(db)
