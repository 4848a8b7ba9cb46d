import json
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memex_mcp.errors import Conflict, Damaged, Invalid, NotFound
from memex_mcp.model.kinds import Kind, Scope, Status, Tier
from memex_mcp.model.record import Record
from memex_mcp.store import records
from memex_mcp.store.rows import NAMES
from memex_mcp.store.visible import Sight, owners_clause, sight
from tests.make import NOON, make_caller, make_db, make_record
from tests.strategies import bodies
from tests.strategies import records as any_record

EVERYTHING = Sight("1=1", ())


@given(any_record())
@settings(max_examples=60)
def test_any_record_comes_back_as_it_went_in(record: Record) -> None:
    with closing(make_db()) as db:
        n = records.insert(db, record)

        assert records.get(db, record.id, EVERYTHING) == record
        assert records.by_number(db, n) == record
        assert records.number(db, record.id) == n
        [listed] = records.page(db, EVERYTHING, before_id=None, limit=2)
        assert listed == replace(record, body="")


@given(any_record(), any_record())
@settings(max_examples=60)
def test_any_update_replaces_the_whole_record(old: Record, new: Record) -> None:
    new = replace(new, id=old.id, body_sha256=old.body_sha256 + "new")
    with closing(make_db()) as db:
        n = records.insert(db, old)

        assert records.update(db, new) == n
        assert records.get(db, old.id, EVERYTHING) == new


@given(any_record())
def test_any_record_survives_its_fields_in_json(record: Record) -> None:
    fields = json.loads(json.dumps(records.to_fields(record), allow_nan=False))

    assert records.from_fields(fields, record.body) == record


def test_every_field_of_a_record_is_among_its_fields() -> None:
    fields = records.to_fields(make_record())

    assert list(fields)[:3] == ["id", "kind", "type"]
    assert len(fields) == len(NAMES) - 1  # the owner follows from the scope


def test_fields_typed_by_hand_are_read_as_text() -> None:
    record = make_record(pinned=True, version=3, salience=0.25, tags=("ci", "release"))
    typed = {
        name: str(value) if not isinstance(value, list | None) else value
        for name, value in records.to_fields(record).items()
    }
    typed |= {"recorded_at": "2026-11-30 12:00", "valid_to": "null", "mood": "fine"}
    del typed["observations"], typed["summary"]

    assert records.from_fields(typed, record.body) == record


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", None),
        ("title", None),
        ("kind", "memo"),
        ("status", None),
        ("salience", 1.5),
        ("salience", "nan"),
        ("version", "two"),
        ("version", 2.5),
        ("observations", -1),
        ("recorded_at", "yesterday"),
        ("pinned", "perhaps"),
        ("tags", "one, two"),
        ("tags", [["one"]]),
        ("source", {"a": "b"}),
    ],
)
def test_a_field_that_cannot_be_read_is_named(name: str, value: object) -> None:
    fields = records.to_fields(make_record())

    with pytest.raises(Invalid, match=name):
        records.from_fields(fields | {name: value}, "")
    assert records.from_fields(fields, "").id == fields["id"]


@given(bodies(), st.integers(-5, 1300), st.none() | st.integers(-5, 1300))
@settings(max_examples=60)
def test_a_part_of_a_body_is_the_same_part_of_the_text(
    piece: str, start: int, stop: int | None
) -> None:
    # Long enough for several pages, with borders at awkward characters.
    body = piece * (records.PAGE // max(len(piece), 1) + 1) + piece
    start, stop = start * 30, None if stop is None else stop * 30
    with closing(make_db()) as db:
        n = records.insert(db, make_record(body=body))

        begin = max(start, 0)
        end = len(body) if stop is None else max(stop, 0)
        assert records.body_text(db, n, start, stop) == body[begin:end]


def test_a_part_of_a_body_is_read_from_its_own_pages(db: sqlite3.Connection) -> None:
    body = "".join(chr(0x4E00 + i % 20_000) for i in range(40_000))
    n = records.insert(db, make_record(body=body))
    db.execute("UPDATE body SET data = x'00' WHERE start = 0")

    assert records.body_text(db, n, 4_096, 40_000) == body[4_096:]
    assert records.body_text(db, n, 20_000, 20_010) == body[20_000:20_010]
    with pytest.raises(Damaged):
        records.body_text(db, n, 4_095, 20_000)


def test_a_body_is_written_anew_only_when_its_hash_differs(db: sqlite3.Connection) -> None:
    old = make_record(body="first " * 5000)
    n = records.insert(db, old)

    records.update(db, replace(old, body="", pinned=True))
    assert records.body_text(db, n) == old.body
    records.update(db, make_record(id=old.id, body="second"))
    assert records.body_text(db, n) == "second"


def test_a_taken_id_or_dedupe_key_conflicts(db: sqlite3.Connection) -> None:
    first = make_record(dedupe_key="build")
    records.insert(db, first)

    with pytest.raises(Conflict):
        records.insert(db, make_record(id=first.id))
    with pytest.raises(Conflict):
        records.insert(db, make_record(dedupe_key="build"))
    records.insert(db, make_record(dedupe_key="build", workspace_id="w2"))
    other = make_record(dedupe_key="test")
    records.insert(db, other)
    with pytest.raises(Conflict):
        records.update(db, replace(other, dedupe_key="build"))
    assert len(records.page(db, EVERYTHING, before_id=None, limit=9)) == 3


def test_a_value_out_of_range_is_a_bug_not_a_conflict(db: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        records.insert(db, make_record(salience=2.0))
    records.insert(db, make_record(salience=1.0))


def test_an_unknown_record_is_not_found(db: sqlite3.Connection) -> None:
    record = make_record()

    with pytest.raises(NotFound):
        records.update(db, record)
    with pytest.raises(NotFound):
        records.by_number(db, 1)
    for name in (record.id, "\ud800", "", "*", "%"):
        assert records.number(db, name) is None
        assert records.get(db, name, EVERYTHING) is None
    records.insert(db, record)
    assert records.get(db, record.id, EVERYTHING) == record


def test_a_record_is_got_only_within_sight(db: sqlite3.Connection) -> None:
    record = make_record(status=Status.RETRACTED)
    records.insert(db, record)

    assert records.get(db, record.id, owners_clause(make_caller())) == record
    assert records.get(db, record.id, owners_clause(make_caller("w2"))) is None
    assert records.get(db, record.id, sight(make_caller(), at=NOON)) is None


def test_the_body_is_left_out_on_request(db: sqlite3.Connection) -> None:
    record = make_record()
    records.insert(db, record)

    assert records.get(db, record.id, EVERYTHING, with_body=False) == replace(record, body="")


def test_a_value_is_found_in_any_status_newest_first(db: sqlite3.Connection) -> None:
    old = make_record(status=Status.RETRACTED)
    new = make_record(status=Status.CANDIDATE)
    elsewhere = make_record(workspace_id="w2", value_key=old.value_key)
    for record in (old, elsewhere, new, make_record(body="Another value.")):
        records.insert(db, record)

    assert records.find_by_value(db, old.value_key, "w:w1") == [new, old]


def test_a_dedupe_key_is_found_in_its_owner(db: sqlite3.Connection) -> None:
    here = make_record(dedupe_key="build", status=Status.ARCHIVED)
    records.insert(db, here)
    records.insert(db, make_record(dedupe_key="build", scope=Scope.SESSION))

    assert records.find_by_dedupe(db, "build", "w:w1") == here
    assert records.find_by_dedupe(db, "build", "w:w2") is None


def test_pages_hold_every_record_once_while_others_are_written(db: sqlite3.Connection) -> None:
    written = [make_record(kind=Kind.NOTE) for _ in range(25)]
    for record in written:
        records.insert(db, record)
    seen: list[str] = []
    before_id = None

    while page := records.page(db, EVERYTHING, before_id=before_id, limit=4):
        seen += [record.id for record in page]
        before_id = seen[-1]
        records.insert(db, make_record())

    assert seen == sorted((record.id for record in written), reverse=True)


def test_records_are_counted_by_tier(db: sqlite3.Connection) -> None:
    at = sight(make_caller(), at=NOON)
    assert records.count(db, at) == {"hot": 0, "cold": 0}
    for tier in (Tier.HOT, Tier.HOT, Tier.COLD):
        records.insert(db, make_record(tier=tier))
    records.insert(db, make_record(workspace_id="w2"))

    assert records.count(db, at) == {"hot": 2, "cold": 1}


def test_counters_move_and_nothing_else(db: sqlite3.Connection) -> None:
    record = make_record()
    other = make_record()
    records.insert(db, record)
    records.insert(db, other)
    later = NOON + timedelta(days=1)

    records.touch_opened(db, record.id, later)
    records.observe(db, record.id)
    records.observe(db, record.id, times=2)

    expected = replace(record, opened_count=1, last_opened_at=later, observations=4)
    assert records.get(db, record.id, EVERYTHING) == expected
    assert records.get(db, other.id, EVERYTHING) == other


def test_the_tally_follows_every_insert_move_and_removal(db: sqlite3.Connection) -> None:
    kept, moved, gone = make_record(), make_record(body="b"), make_record(body="c")
    theirs = make_record(workspace_id="w2")
    for record in (kept, moved, gone, theirs):
        records.insert(db, record)

    records.update(db, replace(moved, status=Status.ARCHIVED, version=2))
    db.execute("DELETE FROM record WHERE id = ?", (gone.id,))

    assert records.tally(db, ["w:w1"], [Status.ACTIVE]) == {"hot": 1, "cold": 0}
    assert records.tally(db, ["w:w1"], list(Status)) == {"hot": 2, "cold": 0}
    assert records.tally(db, ["w:w1", "w:w2"], [Status.ACTIVE]) == {"hot": 2, "cold": 0}
    assert records.tally(db, [], list(Status)) == {"hot": 0, "cold": 0}


def test_a_body_in_longer_pages_is_read_as_well(db: sqlite3.Connection) -> None:
    body = "".join(chr(0x4E00 + i % 20_000) for i in range(40_000))
    n = records.insert(db, make_record(body=body))
    db.execute("DELETE FROM body WHERE record_n = ?", (n,))
    for start in range(0, len(body), 16_384):
        data = zlib.compress(body[start : start + 16_384].encode())
        db.execute("INSERT INTO body VALUES (?, ?, ?)", (n, start, data))

    assert records.body_text(db, n) == body
    assert records.body_text(db, n, 20_000, 33_000) == body[20_000:33_000]
