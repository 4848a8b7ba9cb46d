"""Changes that a rebuild makes to records of a readable database, by the rules of the gate.

The gate works on an open store with an index; this one is still being filled.  So the
gate's steps are taken here: mask, rank, refuse, compare, and put on record.
"""

import sqlite3
from datetime import datetime

from memex_mcp.errors import Conflict, Denied, NotFound, Refused
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Status, Surface
from memex_mcp.model.record import Draft, Record
from memex_mcp.policy import limits, stamp, targets
from memex_mcp.policy.masking import Found, cleaned, printable
from memex_mcp.policy.status import outranked
from memex_mcp.store import audit, mirror, records, refusals, revisions, tombstones

REBUILD = Caller(surface=Surface.CLI, client="memex-mcp")
"""Whoever runs a rebuild: no person, as any program may."""


def take(db: sqlite3.Connection, edited: Record, at: datetime, *, mask_secrets: bool) -> Record:
    """Make a hand edit of a record's file its next version: by the file, untrusted.

    Args:
        db: The new database; it holds every record already.
        edited: The record as the file wants it.
        at: Time to stamp.
        mask_secrets: Replace secrets by placeholders.

    Returns:
        The new version; the current one when the edit says nothing new.

    Raises:
        NotFound: The record is not in the new database.
        Denied: A person stands behind the record.
        Refused: The value was withdrawn; counted and audited.
        Conflict: The record is not live any more, or another one says the same.
        Invalid: The edit can never be stored.
    """
    old = records.by_id(db, edited.id)
    if old is None:
        raise NotFound("the record is gone")
    draft = printable(stamp.whole_draft(edited))
    limits.check(draft)
    found = Found()
    if mask_secrets:
        draft = cleaned(draft, found)
    caller = stamp.file_caller(old)
    if outranked(caller.writes_as, old):
        raise Denied(
            "a person stands behind this record", "Change it with memex-mcp write in a terminal."
        )
    targets.check_target(draft, old)
    draft = _passed(db, caller, old, draft, at)
    admitted = stamp.Admitted(
        draft=draft,
        caller=caller,
        scope=old.scope,
        owner=old.owner,
        found=found,
        policy="" if mask_secrets else "secrets are not masked",
    )
    new = stamp.revised(old, admitted, at)
    if stamp.says_the_same(old, new):
        return old
    twin = targets.twin(records.find_by_value(db, new.value_key, old.owner), new)
    if twin is not None:
        raise Conflict(f"record {twin.id} says this already", "Withdraw one of the two.")
    _replace(db, caller, old, new, "revise", admitted.policy)
    return new


def withdraw(db: sqlite3.Connection, old: Record, at: datetime) -> None:
    """Retract a record whose value was withdrawn later than its database knew."""
    new = stamp.moved(old, Status.RETRACTED, at)
    reason = "its tombstone is younger than the database"
    _replace(db, REBUILD, old, new, "status:retracted", reason)


def _passed(
    db: sqlite3.Connection, caller: Caller, old: Record, draft: Draft, at: datetime
) -> Draft:
    """What may be stored of an edit."""
    kept, against = refusals.passed(db, old.owner, caller, draft)
    for tombstone in against:
        tombstones.count_refusal(db, tombstone.value_key)
        audit.append(db, caller, audit.Entry("refuse", tombstone.record_id, None, None), at)
    if kept is not None:
        return kept
    raise Refused(
        "this statement was withdrawn here",
        f"Only the user lifts that: memex-mcp tombstones lift {against[0].value_key[:12]}",
    )


def _replace(
    db: sqlite3.Connection, caller: Caller, old: Record, new: Record, action: str, reason: str
) -> None:
    at = new.times.updated_at
    revisions.keep(db, old, at)
    records.update(db, new)
    before, after = audit.state_hash(old), audit.state_hash(new)
    audit.append(db, caller, audit.Entry(action, new.id, before, after, reason), at)
    mirror.enqueue(db, new.id, at)
