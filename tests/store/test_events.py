import sqlite3
from contextlib import closing

import pytest

from memex_mcp.errors import Damaged
from memex_mcp.model.kinds import Scope
from memex_mcp.store import events, records, seen
from tests.make import NOON, make_record
from tests.spoken import make_line, said


@pytest.fixture
def record_id(db: sqlite3.Connection) -> str:
    record = make_record(scope=Scope.SESSION)
    records.insert(db, record)
    return record.id


def test_lines_come_back_as_they_were_put_in_order(db: sqlite3.Connection, record_id: str) -> None:
    lines = (
        said("one"),
        make_line("", 1),
        make_line(bytes(range(128, 256)), 2, at=None, masked=True),
        make_line('{"half": "\\ud800", "水": "獺"}', 3),
    )

    assert events.add(db, record_id, lines) == 4
    assert events.of(db, record_id) == lines
    assert events.add(db, record_id, ()) == 0
    assert events.add(db, record_id, (*lines, said("five", 5))) == 1
    assert events.of(db, record_id) == (*lines, said("five", 5))
    assert events.of(db, "0" * 26) == ()


def test_lines_are_known_to_the_owner_of_their_record_only(
    db: sqlite3.Connection, record_id: str
) -> None:
    other = make_record(scope=Scope.SESSION, session_id="s2")
    records.insert(db, other)
    one, two = said("one"), said("two", 1)
    events.add(db, record_id, (one,))
    events.add(db, other.id, (two,))

    asked = [one.sha256, two.sha256, "0" * 64]
    assert events.known(db, "s:w1:s1", asked) == {one.sha256}
    assert events.known(db, other.owner, asked) == {two.sha256}
    assert events.known(db, "s:w1:s3", asked) == set()


def test_lines_end_with_their_record(db: sqlite3.Connection, record_id: str) -> None:
    events.add(db, record_id, (said("one"),))

    db.execute("DELETE FROM record WHERE id = ?", (record_id,))

    assert db.execute("SELECT count(*) FROM event").fetchone()[0] == 0


def test_a_line_that_cannot_be_read_is_damage(db: sqlite3.Connection, record_id: str) -> None:
    events.add(db, record_id, (said("one"),))
    db.execute("UPDATE event SET data = x'00'")

    with pytest.raises(Damaged, match="line of a transcript"):
        events.of(db, record_id)


def test_a_session_is_shown_a_record_once_until_it_forgets(db: sqlite3.Connection) -> None:
    with closing(db.cursor()):
        seen.mark(db, "w", "s", ["a", "b"], NOON)
        seen.mark(db, "w", "s", ["b"], NOON)
        seen.mark(db, "w", "other", ["c"], NOON)

    assert seen.which(db, "w", "s", ["a", "b", "c"]) == {"a", "b"}
    assert seen.which(db, "w", "other", ["a", "b", "c"]) == {"c"}
    seen.forget(db, "w", "s")
    assert seen.which(db, "w", "s", ["a", "b"]) == set()
    assert seen.which(db, "w", "other", ["c"]) == {"c"}
