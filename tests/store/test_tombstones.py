import sqlite3
from dataclasses import replace
from datetime import timedelta

import pytest

from memex_mcp.policy.keys import value_key, watched_owners
from memex_mcp.store import tombstones
from memex_mcp.store.tombstones import Tombstone
from tests.make import NOON

VALUE = "The deploy token never expires"


def refusal(owner: str = "w:w1", text: str = VALUE) -> Tombstone:
    return Tombstone(
        value_key=value_key(owner, text),
        owner=owner,
        record_id=None,
        reason="it does expire",
        surface="cli",
        client="cli",
        at=NOON,
    )


def keys(owner: str, text: str) -> list[str]:
    return [value_key(watched, text) for watched in watched_owners(owner)]


def test_a_refused_value_stays_refused_however_it_is_written(db: sqlite3.Connection) -> None:
    tombstones.bury(db, refusal())

    for text in (VALUE, VALUE.upper(), f" {VALUE}\u200b", VALUE.replace(" ", "\n")):
        assert tombstones.standing(db, keys("w:w1", text)) == refusal()
    assert tombstones.standing(db, keys("w:w1", "The deploy token expires in May")) is None


@pytest.mark.parametrize(
    ("buried_in", "bound", "free"),
    [
        ("global", ["global", "w:w1", "w:w2", "s:w1:s1"], []),
        ("w:w1", ["w:w1", "s:w1:s1", "s:w1:s2"], ["global", "w:w2", "s:w2:s1"]),
        ("s:w1:s1", ["s:w1:s1"], ["global", "w:w1", "s:w1:s2"]),
    ],
)
def test_a_refusal_binds_its_scope_and_everything_inside(
    db: sqlite3.Connection, buried_in: str, bound: list[str], free: list[str]
) -> None:
    tombstones.bury(db, refusal(buried_in))

    assert all(tombstones.standing(db, keys(owner, VALUE)) for owner in bound)
    assert not any(tombstones.standing(db, keys(owner, VALUE)) for owner in free)


def test_a_lifted_value_is_free_until_it_is_buried_again(db: sqlite3.Connection) -> None:
    key = refusal().value_key
    later = NOON + timedelta(hours=1)
    tombstones.bury(db, refusal())
    tombstones.count_refusal(db, key)

    assert tombstones.lift(db, key, later) is True
    assert tombstones.lift(db, key, later) is False
    assert tombstones.standing(db, [key]) is None
    lifted = replace(refusal(), refused=1, lifted_at=later)
    assert tombstones.listing(db, ["w:w1"]) == [lifted]

    again = replace(refusal(), reason="still wrong", at=later)
    tombstones.bury(db, again)
    assert tombstones.standing(db, [key]) == replace(again, refused=1)


def test_lifting_what_was_never_refused_does_nothing(db: sqlite3.Connection) -> None:
    tombstones.bury(db, refusal())

    assert tombstones.lift(db, "0" * 64, NOON) is False
    assert tombstones.standing(db, [refusal().value_key]) == refusal()


def test_refusals_are_counted_by_value(db: sqlite3.Connection) -> None:
    other = refusal(text="Another value")
    tombstones.bury(db, refusal())
    tombstones.bury(db, other)

    for _ in range(3):
        tombstones.count_refusal(db, other.value_key)

    counted = {stone.value_key: stone.refused for stone in tombstones.listing(db, ["w:w1"])}
    assert counted == {refusal().value_key: 0, other.value_key: 3}


def test_the_listing_shows_the_asked_owners_newest_first(db: sqlite3.Connection) -> None:
    old, new = refusal(), replace(refusal("global"), at=NOON + timedelta(hours=1))
    for stone in (old, new, refusal("w:w2")):
        tombstones.bury(db, stone)

    assert tombstones.listing(db, ["global", "w:w1"]) == [new, old]
    assert tombstones.listing(db, []) == []


def test_no_key_has_no_tombstone(db: sqlite3.Connection) -> None:
    tombstones.bury(db, refusal())

    assert tombstones.standing(db, []) is None
    assert tombstones.standing(db, ["*", refusal().value_key]) == refusal()


def test_a_tombstone_holds_no_text_of_the_value(db: sqlite3.Connection) -> None:
    tombstones.bury(db, refusal())

    stored = "\n".join(str(tuple(row)) for row in db.execute("SELECT * FROM tombstone"))
    assert "it does expire" in stored
    assert VALUE not in stored
