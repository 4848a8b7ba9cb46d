"""Changes of records within one transaction, each with all that belongs to it.

A row never changes without its index, its revision, its audit row and its place in the
mirror queue; so nothing else writes any of them.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Relation, Status
from memex_mcp.model.query import Change
from memex_mcp.model.record import Link, Record
from memex_mcp.model.turn import Envelope
from memex_mcp.policy import stamp
from memex_mcp.store import (
    associations,
    audit,
    events,
    index,
    links,
    mirror,
    records,
    revisions,
    tombstones,
)


class Changes:
    """What one caller changes at one moment.

    Attributes:
        told: One entry for each change so far, for those who listen after the commit.
        bodies: What was written, by its hash, for the files that are written after the commit.
    """

    def __init__(self, db: sqlite3.Connection, caller: Caller, at: datetime) -> None:
        self._db = db
        self._caller = caller
        self._at = at
        self.told: list[Change] = []
        self.bodies: dict[str, str] = {}

    def insert(self, record: Record, action: str, reason: str = "") -> None:
        """Add a new record."""
        n = records.insert(self._db, record)
        index.add(self._db, n, record)
        associations.follow(self._db, n, None, record)
        self._log(action, None, record, reason)

    def replace(self, old: Record, new: Record, action: str, reason: str = "") -> None:
        """Put the next version in the place of ``old``, which stays as a revision."""
        revisions.keep(self._db, old, self._at)
        n = records.update(self._db, new)
        indexed = (old.card, old.body, old.times.observed_at)
        if indexed != (new.card, new.body, new.times.observed_at):
            index.remove(self._db, n, old)
            index.add(self._db, n, new)
        associations.follow(self._db, n, old, new)
        self._log(action, old, new, reason)

    def remove(self, old: Record, action: str) -> None:
        """Take a record out of the store whole, with its versions and its files.

        The trail keeps that it was there; the file of a record that it was linked to no
        longer shows it.
        """
        n = records.number(self._db, old.id)
        if n is None:
            return
        for link in links.of(self._db, old.id):
            mirror.enqueue(self._db, link.from_id, self._at)
        index.remove(self._db, n, old)
        revisions.remove(self._db, old.id)
        records.remove(self._db, old.id)
        before = audit.state_hash(old)
        entry = audit.Entry(action=action, record_id=old.id, before=before, after=None)
        audit.append(self._db, self._caller, entry, self._at)
        mirror.enqueue(self._db, old.id, self._at)
        self.told.append(Change(record_id=old.id, action=action, created=False))

    def supersede(self, old: Record, new: Record, reason: str) -> None:
        """Let ``new`` take the place of ``old``, which holds until ``new`` does."""
        until = new.times.valid_from or new.times.observed_at
        gone = stamp.moved(old, Status.SUPERSEDED, self._at, until=until)
        self.replace(old, replace(gone, superseded_by=new.id), "supersede", reason)
        self.link(new.id, old.id, Relation.SUPERSEDES)

    def bury(self, old: Record, reason: str) -> None:
        """Refuse the value of a withdrawn record from now on."""
        tombstone = tombstones.Tombstone(
            value_key=old.value_key,
            owner=old.owner,
            record_id=old.id,
            reason=reason,
            surface=self._caller.surface,
            client=self._caller.client,
            at=self._at,
        )
        tombstones.bury(self._db, tombstone)

    def count(self, old: Record, new: Record) -> None:
        """Count one more observation of a record that stays as it is."""
        records.observe(self._db, old.id)
        self._log("reinforce", old, new)

    def extend(self, record_id: str, lines: Sequence[Envelope]) -> None:
        """Put lines of a transcript to the record that stands for them."""
        if events.add(self._db, record_id, lines):
            mirror.enqueue(self._db, record_id, self._at)

    def link(self, from_id: str, to_id: str, relation: str) -> None:
        """Relate two records; the file of the first one shows it."""
        links.add(self._db, Link(from_id=from_id, to_id=to_id, relation=relation))
        mirror.enqueue(self._db, from_id, self._at)

    def relate(self, link: Link) -> None:
        """Relate two records because somebody says so; the trail names both."""
        links.add(self._db, link)
        mirror.enqueue(self._db, link.from_id, self._at)
        entry = audit.Entry(f"link:{link.relation}", link.from_id, None, None, f"to {link.to_id}")
        audit.append(self._db, self._caller, entry, self._at)
        self.told += [Change(record_id=end, action="link", created=False) for end in _ends(link)]

    def note(self, action: str, record_id: str | None) -> None:
        """Leave an audit row for something that changed no record."""
        entry = audit.Entry(action=action, record_id=record_id, before=None, after=None)
        audit.append(self._db, self._caller, entry, self._at)

    def _log(self, action: str, old: Record | None, new: Record, reason: str = "") -> None:
        entry = audit.Entry(
            action=action,
            record_id=new.id,
            before=audit.state_hash(old) if old else None,
            after=audit.state_hash(new),
            reason=reason,
        )
        audit.append(self._db, self._caller, entry, self._at)
        mirror.enqueue(self._db, new.id, self._at)
        self.bodies[new.body_sha256] = new.body
        self.told.append(Change(record_id=new.id, action=action, created=old is None))


def _ends(link: Link) -> tuple[str, str]:
    return link.from_id, link.to_id
