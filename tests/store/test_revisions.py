import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings

from memex_mcp.errors import Conflict
from memex_mcp.model.kinds import Scope, Status
from memex_mcp.model.record import Record, Revision
from memex_mcp.store import revisions
from memex_mcp.store.visible import owners_clause
from tests.make import NOON, make_caller, make_db, make_record
from tests.strategies import records

MILLISECOND = timedelta(milliseconds=1)
HOUR = timedelta(hours=1)


def versions(count: int) -> list[Record]:
    """One record, edited every hour."""
    first = make_record(title="version 1")
    return [
        replace(
            first,
            version=number,
            card=replace(first.card, title=f"version {number}"),
            body=f"text {number}",
            times=replace(first.times, updated_at=NOON + (number - 1) * HOUR),
        )
        for number in range(1, count + 1)
    ]


def keep(db: sqlite3.Connection, kept: list[Record]) -> None:
    for number, record in enumerate(kept, start=1):
        revisions.keep(db, record, NOON + number * HOUR)


@given(records())
@settings(max_examples=60)
def test_any_version_comes_back_as_it_was(record: Record) -> None:
    with closing(make_db()) as db:
        revisions.keep(db, record, record.times.updated_at + HOUR)

        assert revisions.at_version(db, record.id, record.version) == record
        assert revisions.at_version(db, record.id, record.version + 1) is None


def test_history_lists_earlier_versions_oldest_first(db: sqlite3.Connection) -> None:
    edited = versions(11)
    keep(db, edited)
    keep(db, [make_record(title="a neighbour")])

    expected = [
        Revision(
            version=record.version,
            at=record.times.updated_at,
            author=record.author,
            client=record.client,
            title=record.card.title,
            status=Status.ACTIVE,
        )
        for record in edited
    ]
    assert revisions.history(db, edited[0].id) == expected
    assert revisions.history(db, "unknown") == []


def test_a_version_holds_from_its_beginning_until_just_before_its_end(
    db: sqlite3.Connection,
) -> None:
    first, second = versions(2)
    keep(db, [first, second])

    def live(shift: timedelta) -> list[Record]:
        return revisions.live_at(db, owners_clause(make_caller()), NOON + shift)

    assert live(-MILLISECOND) == []
    assert live(timedelta(0)) == [first]
    assert live(HOUR - MILLISECOND) == [first]
    assert live(HOUR) == [second]
    assert live(2 * HOUR - MILLISECOND) == [second]
    assert live(2 * HOUR) == []


def test_what_was_live_is_shown_to_its_owner_only(db: sqlite3.Connection) -> None:
    mine = make_record(body="mine \ud800")
    ours = make_record(scope=Scope.SESSION)
    theirs = make_record(workspace_id="w2")
    for record in (mine, ours, theirs):
        revisions.keep(db, record, NOON + HOUR)

    def live(workspace: str | None, shift: timedelta, limit: int = 9) -> list[Record]:
        seen = owners_clause(make_caller(workspace))
        return revisions.live_at(db, seen, NOON + shift, limit)

    assert live("w1", timedelta(0)) == [ours, mine]
    assert live("w1", timedelta(0), limit=1) == [ours]
    assert live("w2", HOUR - MILLISECOND) == [theirs]
    assert live(None, timedelta(0)) == []
    assert live("w1", HOUR) == []
    assert live("w1", -MILLISECOND) == []


def test_a_version_is_kept_once(db: sqlite3.Connection) -> None:
    [first] = versions(1)
    keep(db, [first])

    with pytest.raises(Conflict):
        keep(db, [replace(first, body="another text")])
    keep(db, [make_record()])
    assert revisions.at_version(db, first.id, 1) == first
