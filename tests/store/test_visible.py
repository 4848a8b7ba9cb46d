import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memex_mcp.model.kinds import CURRENT, Kind, NoteType, Scope, Status, Tier
from memex_mcp.model.record import Record
from memex_mcp.store import records
from memex_mcp.store.visible import Sight, owners_clause, sight
from tests.card import card
from tests.make import NOON, make_caller, make_db, make_record

MILLISECOND = timedelta(milliseconds=1)
EVERYTHING = Sight("1=1", ())

CALLERS = {
    "in its session": make_caller("w1", "s1"),
    "in another session": make_caller("w1", "s2"),
    "without a session": make_caller("w2", None),
    "nowhere": make_caller(None, "s1"),
}
OWNED = {
    "in its session": {"global", "w:w1", "s:w1:s1"},
    "in another session": {"global", "w:w1", "s:w1:s2"},
    "without a session": {"global", "w:w2"},
    "nowhere": {"global"},
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The filters of one sight, for the oracle."""

    at: datetime
    statuses: tuple[Status, ...] = CURRENT
    include_expired: bool = False
    kinds: tuple[Kind, ...] = ()
    types: tuple[NoteType, ...] = ()
    tags: tuple[str, ...] = ()
    family: str | None = None
    scope: Scope | None = None
    as_of: datetime | None = None
    believed_at: datetime | None = None
    caller: str = field(default="in its session")

    def compiled(self) -> Sight:
        return sight(
            CALLERS[self.caller],
            at=self.at,
            statuses=self.statuses,
            include_expired=self.include_expired,
            kinds=self.kinds,
            types=self.types,
            tags=self.tags,
            family=self.family,
            scope=self.scope,
            as_of=self.as_of,
            believed_at=self.believed_at,
        )

    def admits(self, record: Record) -> bool:
        return (
            record.owner in OWNED[self.caller]
            and self._fits_status(record)
            and self._fits_time(record)
            and (not self.kinds or record.kind in self.kinds)
            and (not self.types or record.type in self.types)
            and set(self.tags) <= set(record.card.tags)
            and self.family in (None, record.family)
            and self.scope in (None, record.scope)
        )

    def _fits_status(self, record: Record) -> bool:
        if record.status in self.statuses:
            return True
        if self.as_of is None or not self.statuses or record.status is not Status.SUPERSEDED:
            return False
        return (record.times.valid_to or record.times.updated_at) > self.as_of

    def _fits_time(self, record: Record) -> bool:
        times = record.times
        moment = self.as_of or self.at
        if self.as_of and times.valid_from and times.valid_from > moment:
            return False
        bounded = self.as_of or not self.include_expired
        # Being superseded is what ends a record then; its status hides it, not its end.
        over = self.as_of is None and record.status is Status.SUPERSEDED
        if bounded and not over and times.valid_to and times.valid_to <= moment:
            return False
        if not self.include_expired and times.expires_at and times.expires_at <= self.at:
            return False
        return not (self.believed_at and times.recorded_at > self.believed_at)


def moments() -> st.SearchStrategy[datetime]:
    return st.integers(-2, 2).map(lambda steps: NOON + steps * MILLISECOND)


@st.composite
def some_records(draw: st.DrawFn) -> Record:
    scope = draw(st.sampled_from(Scope))
    maybe = st.none() | moments()
    return make_record(
        scope=scope,
        workspace_id="" if scope is Scope.GLOBAL else draw(st.sampled_from(["w1", "w2"])),
        session_id=draw(st.sampled_from(["s1", "s2"])) if scope is Scope.SESSION else "",
        status=draw(st.sampled_from(Status)),
        kind=draw(st.sampled_from([Kind.NOTE, Kind.SPAN])),
        type=draw(st.sampled_from([NoteType.FACT, NoteType.TASK])),
        family=draw(st.sampled_from([None, "chat", "work"])),
        tags=tuple(draw(st.sets(st.sampled_from(["ci", "release", "ci/release"])))),
        tier=draw(st.sampled_from(Tier)),
        recorded_at=draw(moments()),
        updated_at=draw(moments()),
        valid_from=draw(maybe),
        valid_to=draw(maybe),
        expires_at=draw(maybe),
    )


def asked() -> st.SearchStrategy[Asked]:
    often_nothing: st.SearchStrategy[None] = st.none()
    return st.builds(
        Asked,
        at=moments(),
        statuses=st.just(CURRENT) | st.lists(st.sampled_from(Status), max_size=6).map(tuple),
        include_expired=st.booleans(),
        kinds=st.sampled_from([(), (Kind.NOTE,), (Kind.NOTE, Kind.SPAN)]),
        types=st.sampled_from([(), (NoteType.FACT,)]),
        tags=st.sampled_from([(), ("ci",), ("release", "ci")]),
        family=often_nothing | st.just("chat"),
        scope=often_nothing | st.sampled_from(Scope),
        as_of=often_nothing | moments(),
        believed_at=often_nothing | moments(),
        caller=st.sampled_from(sorted(CALLERS)),
    )


@card("scope.one_predicate")
@given(st.lists(some_records(), min_size=4, max_size=16), st.lists(asked(), min_size=8, max_size=8))
@settings(max_examples=60)
def test_every_read_shows_exactly_what_the_rules_say(
    written: list[Record], questions: list[Asked]
) -> None:
    with closing(make_db()) as db:
        for record in written:
            records.insert(db, record)

        for question in questions:
            where = question.compiled()
            expected = sorted(record.id for record in written if question.admits(record))
            paged = records.page(db, where, before_id=None, limit=99)
            assert sorted(record.id for record in paged) == expected
            got = [record.id for record in written if records.get(db, record.id, where)]
            assert sorted(got) == expected
            assert sum(records.count(db, where).values()) == len(expected)


@given(st.lists(some_records(), min_size=4, max_size=16), st.sampled_from(sorted(CALLERS)))
@settings(max_examples=30)
def test_reads_by_id_reach_what_the_caller_owns_in_any_status(
    written: list[Record], name: str
) -> None:
    with closing(make_db()) as db:
        for record in written:
            records.insert(db, record)

        where = owners_clause(CALLERS[name])
        got = {record.id for record in written if records.get(db, record.id, where)}
        assert got == {record.id for record in written if record.owner in OWNED[name]}


def shown(db: sqlite3.Connection, where: Sight) -> set[str]:
    return {record.card.title for record in records.page(db, where, before_id=None, limit=99)}


@card("time.boundary")
@pytest.mark.parametrize("clock", ["expires_at", "valid_to"])
def test_a_record_is_gone_from_its_last_moment_on(db: sqlite3.Connection, clock: str) -> None:
    records.insert(db, make_record(title="bounded", **{clock: NOON}))
    records.insert(db, make_record(title="unbounded"))

    def at(moment: datetime, *, include_expired: bool = False) -> set[str]:
        return shown(db, sight(make_caller(), at=moment, include_expired=include_expired))

    assert at(NOON - MILLISECOND) == {"bounded", "unbounded"}
    assert at(NOON) == {"unbounded"}
    assert at(NOON + MILLISECOND) == {"unbounded"}
    assert at(NOON, include_expired=True) == {"bounded", "unbounded"}


def test_a_question_about_the_past_is_answered_by_what_was_true_then(
    db: sqlite3.Connection,
) -> None:
    day = timedelta(days=1)
    old = {"valid_from": NOON - 9 * day, "valid_to": NOON - 3 * day}
    records.insert(db, make_record(title="old", status=Status.SUPERSEDED, **old))
    records.insert(db, make_record(title="new", valid_from=NOON - 3 * day))
    records.insert(db, make_record(title="wrong", status=Status.RETRACTED, **old))

    def as_of(moment: datetime) -> set[str]:
        return shown(db, sight(make_caller(), at=NOON, as_of=moment))

    assert shown(db, sight(make_caller(), at=NOON)) == {"new"}
    assert as_of(NOON - 10 * day) == set()
    assert as_of(NOON - 9 * day) == {"old"}
    assert as_of(NOON - 3 * day - MILLISECOND) == {"old"}
    assert as_of(NOON - 3 * day) == {"new"}


def test_a_superseded_record_without_an_end_was_true_until_it_was_superseded(
    db: sqlite3.Connection,
) -> None:
    records.insert(db, make_record(title="old", status=Status.SUPERSEDED, updated_at=NOON))
    caller, later = make_caller(), NOON + timedelta(days=9)

    assert shown(db, sight(caller, at=later, as_of=NOON - MILLISECOND)) == {"old"}
    assert shown(db, sight(caller, at=later, as_of=NOON)) == set()


def test_no_status_shows_nothing(db: sqlite3.Connection) -> None:
    records.insert(db, make_record(title="there"))

    assert shown(db, sight(make_caller(), at=NOON, statuses=())) == set()
    assert shown(db, sight(make_caller(), at=NOON)) == {"there"}
