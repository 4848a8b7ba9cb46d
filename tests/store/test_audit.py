import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from memex_mcp.model.kinds import Status
from memex_mcp.model.record import Record
from memex_mcp.store import audit
from memex_mcp.store.audit import Entry
from tests.card import card
from tests.make import NOON, make_caller, make_db, make_record


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """An audit of three rows."""
    with closing(make_db()) as db:
        for number in range(3):
            audit.append(db, make_caller(), Entry("write", f"r{number}", None, "aa"), NOON)
        yield db


def disarm(db: sqlite3.Connection) -> None:
    """What somebody with an editor does first."""
    db.execute("DROP TRIGGER audit_is_append_only_u")
    db.execute("DROP TRIGGER audit_is_append_only_d")


def test_an_untouched_chain_is_whole_and_so_is_an_empty_one(db: sqlite3.Connection) -> None:
    with closing(make_db()) as empty:
        assert audit.verify(empty) is None
    assert audit.verify(db) is None


def test_a_row_rewritten_with_its_own_hash_breaks_the_row_after_it(db: sqlite3.Connection) -> None:
    disarm(db)
    db.execute("UPDATE audit SET reason = 'another' WHERE seq = 2")
    changed = db.execute(f"SELECT {', '.join(audit.COLUMNS)} FROM audit WHERE seq = 2").fetchone()
    text = json.dumps(dict(changed), sort_keys=True, separators=(",", ":"))
    forged = hashlib.sha256(text.encode()).hexdigest()

    assert audit.verify(db) == 2
    db.execute("UPDATE audit SET hash = ? WHERE seq = 2", (forged,))

    assert audit.verify(db) == 3


def test_rows_say_who_did_what_to_which_record(db: sqlite3.Connection) -> None:
    caller = make_caller("w2", None, client="claude-code", human=True)

    audit.append(db, caller, Entry("retract", "r9", "bb", None, "wrong"), NOON)

    row = dict(db.execute("SELECT * FROM audit ORDER BY seq DESC LIMIT 1").fetchone())
    assert row.pop("previous") != audit.GENESIS
    assert len(row.pop("hash")) == 64
    assert row == {
        "seq": 4,
        "at": int(NOON.timestamp() * 1000),
        "surface": "tool",
        "client": "claude-code",
        "human": 1,
        "workspace_id": "w2",
        "session_id": "",
        "action": "retract",
        "record_id": "r9",
        "before_hash": "bb",
        "after_hash": None,
        "reason": "wrong",
    }


def test_the_first_row_continues_the_genesis_hash(db: sqlite3.Connection) -> None:
    first, second, _ = db.execute("SELECT previous, hash FROM audit ORDER BY seq").fetchall()

    assert first["previous"] == audit.GENESIS
    assert second["previous"] == first["hash"]


@card("store.audit")
@pytest.mark.parametrize(
    "column",
    [*audit.COLUMNS[1:], "hash"],
)
def test_a_change_of_any_column_is_found_at_its_row(db: sqlite3.Connection, column: str) -> None:
    disarm(db)
    assert audit.verify(db) is None

    db.execute(f"UPDATE audit SET {column} = '7' WHERE seq = 2")

    assert audit.verify(db) == 2


@pytest.mark.parametrize("seq", [1, 2, 3])
def test_a_missing_row_is_found_wherever_it_was(db: sqlite3.Connection, seq: int) -> None:
    disarm(db)
    assert audit.verify(db) is None

    db.execute("DELETE FROM audit WHERE seq = ?", (seq,))

    assert audit.verify(db) == seq


def test_the_tables_own_triggers_refuse_changes_and_let_rows_in(db: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute("UPDATE audit SET reason = 'x'")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute("DELETE FROM audit")

    audit.append(db, make_caller(), Entry("write", "r3", None, "aa"), NOON)

    assert db.execute("SELECT count(*) FROM audit").fetchone()[0] == 4


def test_a_row_that_was_rolled_back_leaves_the_chain_whole(db: sqlite3.Connection) -> None:
    db.execute("BEGIN")
    audit.append(db, make_caller(), Entry("write", "r3", None, "aa"), NOON)
    db.execute("ROLLBACK")

    audit.append(db, make_caller(), Entry("write", "r4", None, "aa"), NOON)

    assert audit.verify(db) is None
    assert db.execute("SELECT max(seq) FROM audit").fetchone()[0] == 4


def test_half_a_character_in_a_reason_or_a_name_is_written_and_verifies(
    db: sqlite3.Connection,
) -> None:
    audit.append(db, make_caller(client="\udc80"), Entry("a", None, None, None, "x\ud83d"), NOON)

    assert audit.verify(db) is None
    assert db.execute("SELECT reason FROM audit WHERE seq = 4").fetchone()[0] == "x?"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(make_record(id="0" * 26, status=Status.RETRACTED), id="status"),
        pytest.param(make_record(id="0" * 26, title="Another title"), id="title"),
        pytest.param(make_record(id="0" * 26, body="Another text"), id="body, by its hash"),
        pytest.param(make_record(id="0" * 26, version=2), id="version"),
        pytest.param(make_record(id="0" * 26, valid_to=NOON), id="time"),
        pytest.param(make_record(id="0" * 26, pinned=True), id="pin"),
    ],
)
def test_the_state_hash_follows_what_a_record_says(other: Record) -> None:
    record = make_record(id="0" * 26)

    assert audit.state_hash(other) != audit.state_hash(record)
    assert audit.state_hash(make_record(id="0" * 26)) == audit.state_hash(record)


def test_the_state_hash_ignores_counters_and_how_a_number_is_spelled() -> None:
    record = make_record(salience=1)
    counted = replace(
        record,
        observations=9,
        opened_count=9,
        last_opened_at=NOON + timedelta(days=1),
        body="",
        salience=1.0,
    )

    assert audit.state_hash(counted) == audit.state_hash(record)
    assert audit.state_hash(replace(counted, salience=0.9)) != audit.state_hash(record)
