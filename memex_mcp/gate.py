"""The one write path: authorise, stamp, mask, refuse, compare, commit.

``admission.admit`` needs no database and runs before the lock.  A ``Gate`` then works inside one
open transaction: rows, index, links, audit and mirror queue change together or not at all.
"""

import sqlite3
from dataclasses import replace
from datetime import datetime

from memex_mcp.errors import Conflict, Invalid, NotFound, Refused
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import CURRENT, Kind, Outcome, Relation, Status, Trust
from memex_mcp.model.query import Change, Moved, Similar, Written
from memex_mcp.model.record import Draft, Link, Pinned, Record
from memex_mcp.policy import stamp, targets
from memex_mcp.policy.access import owners
from memex_mcp.policy.authorise import check_person, check_reach, check_writer
from memex_mcp.policy.keys import value_key
from memex_mcp.policy.masking import one_line
from memex_mcp.policy.status import check_move, check_pin, outranked
from memex_mcp.store import links, records, refusals, revisions, scratch, similar, tombstones
from memex_mcp.store.changes import Changes
from memex_mcp.store.ledger import Ledger
from memex_mcp.store.tombstones import Tombstone
from memex_mcp.store.visible import owners_clause
from memex_mcp.text.secrets import mask

_WAITS = "A person stands behind the old record, so this waits for the user as a candidate."


class Gate:
    """One caller's way into the store within one open write transaction.

    Attributes:
        refused: Drafts so far that carried a withdrawn value.
        ledger: How far transcripts were read.
    """

    def __init__(self, db: sqlite3.Connection, caller: Caller, at: datetime) -> None:
        self._db, self._caller, self._at = db, caller, at
        self._changes = Changes(db, caller, at)
        self.refused = 0
        self.ledger = Ledger(db)
        self.bodies = self._changes.bodies

    @property
    def changes(self) -> list[Change]:
        """What has been changed so far, for those who listen after the commit."""
        return self._changes.told

    def write(self, admitted: stamp.Admitted) -> Written | Refused:
        """Create, revise or reinforce; a withdrawn value is refused first.

        The refusal is returned, not raised: it is counted and audited, and that must commit.

        Raises:
            NotFound: ``id`` or ``supersedes`` names nothing that the caller sees.
            Conflict: Someone replaced or withdrew that record first.
            Invalid: ``id``, scope and dedupe_key do not go together.
        """
        target = self._target(admitted.draft, admitted.owner)
        passed = self._refusal(admitted, target.owner if target else admitted.owner)
        if isinstance(passed, Refused):
            return passed
        written = self._put(passed) if target is None else self._revise(target, passed)
        self._changes.extend(written.id, passed.draft.events)
        return written

    def _put(self, admitted: stamp.Admitted) -> Written:
        draft = admitted.draft
        replaced = None
        if draft.supersedes is not None:
            replaced = self._seen(draft.supersedes)
            targets.check_replaced(replaced, admitted.owner)
        key = value_key(admitted.owner, draft.text)
        same = targets.pick_same(records.find_by_value(self._db, key, admitted.owner), draft)
        if same is not None:
            return self._repeat(same, replaced, admitted)
        return self._create(replaced, admitted)

    def move(
        self, record_id: str, to: Status, *, reason: str, superseded_by: str | None = None
    ) -> Moved:
        """Change a record's status.

        Raises:
            NotFound: The caller sees no such record.
            Denied: Only a person may do that.
            Invalid: The move makes no sense.
            Conflict: The successor is itself out of date.
        """
        check_writer(self._caller)
        reason = mask(one_line(reason)).text
        if not reason:
            raise Invalid("reason is empty", "Say in a few words why.")
        old = self._seen(record_id)
        check_reach(old.scope, self._caller)
        check_move(old, to, self._caller)
        targets.check_named(to, superseded_by)
        if superseded_by is not None:
            successor = self._seen(superseded_by)
            targets.check_successor(old, successor)
            self._changes.supersede(old, successor, reason)
        else:
            self._set(old, to, reason)
        return Moved(id=old.id, from_status=old.status, to_status=to, superseded_by=superseded_by)

    def pin(self, record_id: str, *, pinned: bool) -> Pinned:
        """Have a record counted among what always counts, or no longer.

        Raises:
            MemexError: As :meth:`move`; the record has to be current.
        """
        check_writer(self._caller)
        old = self._seen(record_id)
        check_reach(old.scope, self._caller)
        check_pin(old, self._caller, pinned=pinned)
        if old.pinned is not pinned:
            new = stamp.pinned(old, self._at, pinned=pinned)
            self._changes.replace(old, new, "pin" if pinned else "unpin")
        return Pinned(id=old.id, title=old.card.title, pinned=pinned, was=old.pinned)

    def link(self, link: Link) -> None:
        """Relate two records of one scope owner, as a write of the first of them.

        Raises:
            MemexError: As :meth:`move`, :func:`targets.check_linked` and :func:`links.add` say.
        """
        check_writer(self._caller)
        ends = self._seen(link.from_id), self._seen(link.to_id)
        check_reach(ends[0].scope, self._caller)
        targets.check_linked(link, *ends)
        self._changes.relate(link)

    def lift(self, key: str) -> Tombstone:
        """Let a withdrawn value be written again; its key begins with ``key``, of 8 or more.

        Raises:
            Denied: The caller is no person.
            NotFound: No standing tombstone of the caller's scopes begins so, or several do.
        """
        check_person(self._caller, "lifts a tombstone")
        tombstone = tombstones.beginning(self._db, owners(self._caller), key)
        tombstones.lift(self._db, tombstone.value_key, self._at)
        self._changes.note("lift", tombstone.record_id)
        return tombstone

    def end_scratch(self, until: datetime) -> None:
        """Let what the caller's session noted for itself end then, unless it ends sooner."""
        for old in scratch.lasting(self._db, owners(self._caller)[-1], until):
            self._changes.replace(old, stamp.ending(old, self._at, until), "expire")

    def sweep(self) -> None:
        """Remove the scratch notes whose end has come."""
        for old in scratch.over(self._db, self._at):
            self._changes.remove(old, "purge")

    def denied(self, record_id: str | None) -> None:
        """Leave an audit row for something that the caller was not allowed to do."""
        self._changes.note("deny", record_id)

    def _refusal(self, admitted: stamp.Admitted, owner: str) -> stamp.Admitted | Refused:
        """What may be stored of a draft, or what stands against the value that it states."""
        kept, against = refusals.passed(self._db, owner, self._caller, admitted.draft)
        for tombstone in against:
            tombstones.count_refusal(self._db, tombstone.value_key)
            self._changes.note("refuse", tombstone.record_id)
        self.refused += bool(against)
        if kept is not None:
            return replace(admitted, draft=kept)
        return Refused(
            "this statement was withdrawn here",
            f"Only the user lifts that: memex-mcp tombstones lift {against[0].value_key[:12]}",
        )

    def _seen(self, record_id: str) -> Record:
        record = records.get(self._db, record_id, owners_clause(self._caller))
        if record is None:
            raise NotFound(f"no record {record_id[:40]}", "Use an id that a search returned.")
        return record

    def _target(self, draft: Draft, owner: str) -> Record | None:
        """The record that the draft revises, if it names one."""
        target = None
        if draft.id is not None:
            target = self._seen(draft.id)
        elif draft.dedupe_key is not None:
            target = records.find_by_dedupe(self._db, draft.dedupe_key, owner)
        if target is not None:
            check_reach(target.scope, self._caller)
            targets.check_target(draft, target)
        return target

    def _create(self, replaced: Record | None, admitted: stamp.Admitted) -> Written:
        proposal = replaced is not None and outranked(self._caller.writes_as, replaced)
        record = stamp.created(admitted, self._at, proposal=proposal)
        if replaced is not None and not proposal and record.times.valid_from is None:
            # What replaces something holds from when it was observed; the old one until then.
            times = replace(record.times, valid_from=record.times.observed_at)
            record = replace(record, times=times)
        self._changes.insert(record, "create", admitted.policy)
        links.add_sources(self._db, record.id, admitted.draft.sources)
        if replaced is not None and proposal:
            self._changes.link(record.id, replaced.id, Relation.PROPOSES)
            return self._told(record, Outcome.CANDIDATE, admitted, _WAITS)
        if replaced is not None:
            self._changes.supersede(replaced, record, "")
        candidate = record.status is Status.CANDIDATE
        return self._told(record, Outcome.CANDIDATE if candidate else Outcome.CREATED, admitted)

    def _repeat(self, same: Record, replaced: Record | None, admitted: stamp.Admitted) -> Written:
        """The value is known: count it, revive nothing, let no repetition earn trust."""
        if same.status not in targets.LIVE:
            where = f", replaced by {same.superseded_by}" if same.superseded_by else ""
            hint = f"On record as {same.status}{where}. Pass supersedes to state it again."
            return self._told(same, Outcome.UNCHANGED, admitted, hint)
        targets.check_key(same, admitted.draft)
        if self._caller.human and same.status is Status.CANDIDATE:
            same = self._accept(same, "stated by a person")
        if replaced is not None and replaced.id != same.id:
            if outranked(self._caller.writes_as, replaced):
                raise Conflict("a person stands behind that record", "Tell the user.")
            targets.check_successor(replaced, same)
            self._changes.supersede(replaced, same, "")
        if self._caller.human and same.trust is not Trust.VERIFIED:
            return self._revise(same, admitted)
        seen = replace(same, observations=same.observations + 1)
        self._changes.count(same, seen)
        links.add_sources(self._db, same.id, admitted.draft.sources)
        return self._told(seen, Outcome.REINFORCED, admitted)

    def _revise(self, old: Record, admitted: stamp.Admitted) -> Written:
        if outranked(self._caller.writes_as, old):
            record = stamp.proposed(old, admitted, self._at)
            known = records.find_by_value(self._db, record.value_key, old.owner)
            same = targets.pick_same(known, admitted.draft)
            if same is not None:
                return self._repeat(same, None, admitted)
            self._changes.insert(record, "propose", admitted.policy)
            self._changes.link(record.id, old.id, Relation.PROPOSES)
            return self._told(record, Outcome.CANDIDATE, admitted, _WAITS)
        new = stamp.revised(old, admitted, self._at)
        if stamp.says_the_same(old, new):
            return self._told(old, Outcome.UNCHANGED, admitted)
        twin = targets.twin(records.find_by_value(self._db, new.value_key, old.owner), new)
        if twin is not None:
            raise Conflict(
                f"record {twin.id} says this already",
                "Mark this one superseded by that one with memory_set_status.",
            )
        self._changes.replace(old, new, "revise", admitted.policy)
        return self._told(new, Outcome.REVISED, admitted)

    def _set(self, old: Record, to: Status, reason: str) -> None:
        if to is Status.ACTIVE:
            self._accept(old, reason)
            return
        if to is Status.RETRACTED:
            same = records.find_by_value(self._db, old.value_key, old.owner)
            targets.check_alone(old, same, self._caller.writes_as)
        self._changes.replace(old, stamp.moved(old, to, self._at), f"status:{to}", reason)
        if to is Status.RETRACTED:
            self._changes.bury(old, reason)

    def _accept(self, old: Record, reason: str) -> Record:
        """A person makes a record current: it counts as verified and replaces its target."""
        before = revisions.before_superseded(self._db, old)
        new = stamp.accepted(old, self._at, valid_to=before.times.valid_to)
        self._changes.replace(old, new, "status:active", reason)
        if tombstones.lift(self._db, old.value_key, self._at):
            self._changes.note("lift", old.id)
        for link in links.of(self._db, old.id):
            if link.relation == Relation.PROPOSES and link.from_id == old.id:
                target = self._seen(link.to_id)
                if target.status in CURRENT:
                    self._changes.supersede(target, new, "the proposal was accepted")
        return new

    def _told(
        self, record: Record, outcome: Outcome, admitted: stamp.Admitted, hint: str = ""
    ) -> Written:
        close: tuple[Similar, ...] = ()
        against: tuple[Similar, ...] = ()
        if record.kind is Kind.NOTE and outcome in (Outcome.CREATED, Outcome.REVISED):
            close, against = similar.compare(self._db, record, self._caller, self._at)
            for other in against:
                self._changes.link(record.id, other.id, Relation.CONTRADICTS)
        return Written(
            id=record.id,
            outcome=outcome,
            status=record.status,
            trust=record.trust,
            scope=record.scope,
            version=record.version,
            masked=admitted.masked,
            similar=close,
            conflicts=against,
            hint=hint,
        )
