"""The one write path: authorise, stamp, mask, refuse, compare, commit.

``admit`` needs no database and runs before the lock.  A ``Gate`` then works inside one open
transaction, so that rows, index, links, audit and the mirror queue change together or not
at all.
"""

import sqlite3
from dataclasses import replace
from datetime import datetime

from memex_mcp.errors import Conflict, Invalid, NotFound, Refused
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind, Outcome, Relation, Status, Trust
from memex_mcp.model.query import Change, Moved, Similar, Written
from memex_mcp.model.record import Draft, Link, Record
from memex_mcp.policy import limits, stamp, targets
from memex_mcp.policy.access import owners
from memex_mcp.policy.authorise import check_person, check_writer, scope_owner
from memex_mcp.policy.keys import value_key, watched_owners
from memex_mcp.policy.masking import masked, printable
from memex_mcp.policy.stamp import Admitted
from memex_mcp.policy.status import check_move, outranked
from memex_mcp.store import audit, index, links, mirror, records, revisions, similar, tombstones
from memex_mcp.store.tombstones import Tombstone
from memex_mcp.store.visible import owners_clause
from memex_mcp.text.secrets import mask

_WAITS = "A person stands behind the old record, so this waits for the user as a candidate."


def admit(draft: Draft, caller: Caller, *, mask_secrets: bool) -> Admitted:
    """Authorise, clean, measure and mask a draft.

    Raises:
        Denied: The caller may not write there.
        Invalid: The draft can never be stored.
    """
    scope, owner = scope_owner(draft, caller)
    draft = printable(draft)
    limits.check(draft)
    kinds: tuple[str, ...] = ()
    if mask_secrets:
        draft, kinds = masked(draft)
    return Admitted(draft=draft, caller=caller, scope=scope, owner=owner, masked=kinds)


class Gate:
    """One caller's changes within one open write transaction.

    Attributes:
        changes: What has been done so far, for those who listen after the commit.
    """

    def __init__(self, db: sqlite3.Connection, caller: Caller, at: datetime) -> None:
        self._db = db
        self._caller = caller
        self._at = at
        self.changes: list[Change] = []

    def refusal(self, admitted: Admitted) -> Refused | None:
        """What stands against a withdrawn value.

        Returned, not raised: the refusal is counted and audited, and that must commit.
        """
        draft = admitted.draft
        target = self._target(draft, admitted.owner)
        owners = watched_owners(target.owner if target else admitted.owner)
        said = (draft.text, draft.title, draft.use_when, *draft.aliases, *draft.questions)
        keys = [value_key(owner, text) for owner in owners for text in said if text]
        grave = tombstones.standing(self._db, keys)
        if grave is None:
            return None
        tombstones.count_refusal(self._db, grave.value_key)
        entry = audit.Entry(action="refuse", record_id=grave.record_id, before=None, after=None)
        audit.append(self._db, self._caller, entry, self._at)
        return Refused(
            "this statement was withdrawn here",
            f"Only the user lifts that: memex-mcp tombstones lift {grave.value_key[:12]}",
        )

    def write(self, admitted: Admitted) -> Written:
        """Create, revise or reinforce; ask ``refusal`` first.

        Raises:
            NotFound: ``id`` or ``supersedes`` names nothing that the caller sees.
            Conflict: Someone replaced or withdrew that record first.
            Invalid: ``id``, scope and dedupe_key do not go together.
        """
        draft = admitted.draft
        target = self._target(draft, admitted.owner)
        if target is not None:
            return self._revise(target, admitted)
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
        old = self._seen(record_id)
        check_move(old, to, self._caller)
        if (to is Status.SUPERSEDED) != (superseded_by is not None):
            raise Invalid(
                "superseded and superseded_by go together",
                "Name the record that replaces this one.",
            )
        if superseded_by is not None:
            successor = self._seen(superseded_by)
            targets.check_successor(old, successor)
            self._supersede(old, successor, reason)
        else:
            self._set(old, to, reason)
        return Moved(id=old.id, from_status=old.status, to_status=to, superseded_by=superseded_by)

    def lift(self, key: str) -> Tombstone:
        """Let a withdrawn value be written again.

        Args:
            key: Beginning of the tombstone's key, at least 8 characters.

        Raises:
            Denied: The caller is no person.
            NotFound: No standing tombstone of the caller's scopes begins so, or several do.
        """
        check_person(self._caller, "lifts a tombstone")
        grave = tombstones.beginning(self._db, owners(self._caller), key)
        tombstones.lift(self._db, grave.value_key, self._at)
        entry = audit.Entry(action="lift", record_id=grave.record_id, before=None, after=None)
        audit.append(self._db, self._caller, entry, self._at)
        return grave

    def _seen(self, record_id: str) -> Record:
        record = records.get(self._db, record_id, owners_clause(self._caller))
        if record is None:
            raise NotFound(f"no record {record_id[:40]}", "Use an id that memory_search returned.")
        return record

    def _target(self, draft: Draft, owner: str) -> Record | None:
        """The record that the draft revises, if it names one."""
        target = None
        if draft.id is not None:
            target = self._seen(draft.id)
        elif draft.dedupe_key is not None:
            target = records.find_by_dedupe(self._db, draft.dedupe_key, owner)
        if target is not None:
            targets.check_target(draft, target)
        return target

    def _create(self, replaced: Record | None, admitted: Admitted) -> Written:
        proposal = replaced is not None and outranked(self._caller.writes_as, replaced)
        record = stamp.created(admitted, self._at, proposal=proposal)
        if replaced is not None and not proposal and record.times.valid_from is None:
            # What replaces something holds from when it was observed; the old one until then.
            times = replace(record.times, valid_from=record.times.observed_at)
            record = replace(record, times=times)
        self._insert(record, "create")
        links.add_sources(self._db, record.id, admitted.draft.sources)
        if replaced is not None and proposal:
            self._link(record, replaced.id, Relation.PROPOSES)
            return self._told(record, Outcome.CANDIDATE, admitted, _WAITS)
        if replaced is not None:
            self._supersede(replaced, record, "")
        candidate = record.status is Status.CANDIDATE
        return self._told(record, Outcome.CANDIDATE if candidate else Outcome.CREATED, admitted)

    def _repeat(self, same: Record, replaced: Record | None, admitted: Admitted) -> Written:
        """The value is known: count it, revive nothing, let no repetition earn trust."""
        if same.status not in targets.LIVE:
            where = f", replaced by {same.superseded_by}" if same.superseded_by else ""
            hint = f"On record as {same.status}{where}. Pass supersedes to state it again."
            return self._told(same, Outcome.UNCHANGED, admitted, hint)
        if replaced is not None and replaced.id != same.id:
            if outranked(self._caller.writes_as, replaced):
                raise Conflict("a person stands behind that record", "Tell the user.")
            self._supersede(replaced, same, "")
        if self._caller.human and same.trust is not Trust.VERIFIED:
            return self._revise(same, admitted)
        records.observe(self._db, same.id)
        links.add_sources(self._db, same.id, admitted.draft.sources)
        seen = replace(same, observations=same.observations + 1)
        self._log("reinforce", same, seen)
        return self._told(seen, Outcome.REINFORCED, admitted)

    def _revise(self, old: Record, admitted: Admitted) -> Written:
        if outranked(self._caller.writes_as, old):
            record = stamp.proposed(old, admitted, self._at)
            known = records.find_by_value(self._db, record.value_key, old.owner)
            same = targets.pick_same(known, admitted.draft)
            if same is not None:
                return self._repeat(same, None, admitted)
            self._insert(record, "propose")
            self._link(record, old.id, Relation.PROPOSES)
            return self._told(record, Outcome.CANDIDATE, admitted, _WAITS)
        new = stamp.revised(old, admitted, self._at)
        if stamp.says_the_same(old, new):
            return self._told(old, Outcome.UNCHANGED, admitted)
        self._store(old, new)
        self._log("revise", old, new)
        return self._told(new, Outcome.REVISED, admitted)

    def _set(self, old: Record, to: Status, reason: str) -> None:
        new = replace(stamp.moved(old, to, self._at), superseded_by=None)
        if self._caller.human and to is Status.ACTIVE:
            new = replace(new, trust=Trust.VERIFIED)
            tombstones.lift(self._db, old.value_key, self._at)
        self._store(old, new)
        self._log(f"status:{to}", old, new, reason)
        if to is Status.RETRACTED:
            grave = Tombstone(
                value_key=old.value_key,
                owner=old.owner,
                record_id=old.id,
                reason=mask(reason).text,
                surface=self._caller.surface,
                client=self._caller.client,
                at=self._at,
            )
            tombstones.bury(self._db, grave)

    def _supersede(self, old: Record, new: Record, reason: str) -> None:
        until = new.times.valid_from or new.times.observed_at
        gone = stamp.moved(old, Status.SUPERSEDED, self._at, until=until)
        gone = replace(gone, superseded_by=new.id)
        self._store(old, gone)
        self._link(new, old.id, Relation.SUPERSEDES)
        self._log("supersede", old, gone, reason)

    def _insert(self, record: Record, action: str) -> None:
        index.add(self._db, records.insert(self._db, record), record)
        self._log(action, None, record)

    def _store(self, old: Record, new: Record) -> None:
        """Put the next version in the place of ``old``, which stays as a revision."""
        revisions.keep(self._db, old, self._at)
        n = records.update(self._db, new)
        indexed = (old.card, old.body, old.times.observed_at)
        if indexed != (new.card, new.body, new.times.observed_at):
            index.remove(self._db, n, old)
            index.add(self._db, n, new)

    def _link(self, record: Record, to_id: str, relation: Relation) -> None:
        links.add(self._db, Link(from_id=record.id, to_id=to_id, relation=relation))
        mirror.enqueue(self._db, record.id, self._at)

    def _log(self, action: str, old: Record | None, new: Record, reason: str = "") -> None:
        """Every change leaves one audit row and one place in the mirror queue."""
        entry = audit.Entry(
            action=action,
            record_id=new.id,
            before=audit.state_hash(old) if old else None,
            after=audit.state_hash(new),
            reason=mask(reason).text,
        )
        audit.append(self._db, self._caller, entry, self._at)
        mirror.enqueue(self._db, new.id, self._at)
        self.changes.append(Change(record_id=new.id, action=action, created=old is None))

    def _told(
        self, record: Record, outcome: Outcome, admitted: Admitted, hint: str = ""
    ) -> Written:
        close: tuple[Similar, ...] = ()
        against: tuple[Similar, ...] = ()
        if record.kind is Kind.NOTE and outcome in (Outcome.CREATED, Outcome.REVISED):
            close, against = similar.compare(self._db, record)
            for other in against:
                self._link(record, other.id, Relation.CONTRADICTS)
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
