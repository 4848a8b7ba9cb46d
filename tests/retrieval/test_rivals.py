"""What contradicts a hit is told with it."""

import sqlite3
from typing import Any

import pytest

from memex_mcp.model.kinds import Relation, Status
from memex_mcp.model.record import Link, Record
from memex_mcp.retrieval.plain import plain
from memex_mcp.retrieval.render import render_search
from memex_mcp.store import links
from tests.card import card
from tests.make import NOON
from tests.retrieval.test_recall import DAY, PORT
from tests.retrieval.using import ask, change, put, store

OTHER_PORT = "The staging database listens on port 6543."
BACKUP = "The staging database is copied every night."


def opposed(db: sqlite3.Connection, **over: Any) -> tuple[Record, Record]:
    """Two records that contradict each other; fields are of the later one."""
    old, new = put(db, PORT), put(db, OTHER_PORT, **over)
    links.add(db, Link(from_id=new.id, to_id=old.id, relation=Relation.CONTRADICTS))
    return old, new


def rivals(db: sqlite3.Connection, **over: Any) -> dict[str, tuple[str, ...]]:
    """Id of each hit to what contradicts it."""
    return {hit.id: hit.contradicted_by for hit in ask(db, "staging database", **over).hits}


@card("recall.contradicted")
def test_hits_name_what_contradicts_them_in_every_form() -> None:
    with store() as db:
        old, new = opposed(db)
        third = put(db, BACKUP)
        links.add(db, Link(from_id=third.id, to_id=old.id, relation=Relation.RELATED))

        answer = ask(db, "staging database")
        told = {hit.id: hit.contradicted_by for hit in answer.hits}
        listed = ask(db, "kind:note")

    assert told == {old.id: (new.id,), new.id: (old.id,), third.id: ()}
    assert {hit.id: hit.contradicted_by for hit in listed.hits} == told
    text = render_search(answer, nonce="n")
    assert text.count("contradicted by") == 2
    assert "contradicted by 1 record" in text
    hits = plain(answer)["hits"]
    assert isinstance(hits, list)
    assert sorted(str(hit.get("contradicted_by")) for hit in hits) == sorted(
        [str([old.id]), str([new.id]), "None"]
    )


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        pytest.param({}, True, id="active"),
        pytest.param({"status": Status.DISPUTED}, True, id="disputed"),
        pytest.param({"status": Status.RETRACTED}, False, id="retracted"),
        pytest.param({"status": Status.CANDIDATE}, False, id="candidate"),
        pytest.param({"status": Status.ARCHIVED}, False, id="archived"),
        pytest.param({"expires_at": NOON - DAY}, False, id="expired"),
        pytest.param({"valid_to": NOON - DAY}, False, id="no longer true"),
    ],
)
def test_only_what_is_current_contradicts(over: dict[str, Any], expected: bool) -> None:
    with store() as db:
        old, new = opposed(db, **over)

        assert rivals(db)[old.id] == ((new.id,) if expected else ())


def test_a_filter_hides_no_contradiction_and_earlier_knowledge_has_none() -> None:
    with store() as db:
        early = {"recorded_at": NOON - 9 * DAY, "updated_at": NOON - 9 * DAY}
        old, new = opposed(db, **early)
        tagged = put(db, BACKUP, tags=("ops",))
        links.add(db, Link(from_id=tagged.id, to_id=old.id, relation=Relation.CONTRADICTS))

        assert rivals(db, tags=("ops",)) == {tagged.id: (old.id,)}
        assert rivals(db)[old.id] == (tagged.id, new.id)
        assert rivals(db, believed_at=NOON - DAY) == {new.id: ()}


def test_what_replaced_a_hit_is_not_told_twice() -> None:
    with store() as db:
        old, new = opposed(db)
        third = put(db, "The staging database listens on port 7654.")
        links.add(db, Link(from_id=old.id, to_id=third.id, relation=Relation.CONTRADICTS))
        change(db, old, NOON, status=Status.SUPERSEDED, superseded_by=new.id)

        told = rivals(db, include=("superseded",))

    assert told == {old.id: (third.id,), new.id: (), third.id: ()}


def test_of_many_rivals_a_hit_names_the_newest() -> None:
    with store() as db:
        old = put(db, PORT)
        others = [put(db, f"The staging database listens on port {port}.") for port in range(5)]
        for other in others:
            links.add(db, Link(from_id=other.id, to_id=old.id, relation=Relation.CONTRADICTS))

        answer = ask(db, '"port 5433"', limit=1)

    newest = [other.id for other in reversed(others)]
    assert answer.hits[0].contradicted_by == tuple(newest)
    assert "contradicted by 5 records" in render_search(answer, nonce="n")
