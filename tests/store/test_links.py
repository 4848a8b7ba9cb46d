import sqlite3

import pytest

from memex_mcp.errors import Invalid, NotFound
from memex_mcp.model.kinds import Relation, Scope
from memex_mcp.model.record import Link
from memex_mcp.store import links, records
from tests.make import make_record


def put(db: sqlite3.Connection, **over: object) -> str:
    record = make_record(**over)
    records.insert(db, record)
    return record.id


def test_a_link_is_seen_from_both_ends(db: sqlite3.Connection) -> None:
    a, b, c = put(db), put(db), put(db)
    forth = Link(from_id=a, to_id=b, relation=Relation.SUPERSEDES)
    back = Link(from_id=b, to_id=a, relation=Relation.CONTRADICTS, weight=0.25)
    away = Link(from_id=c, to_id=b, relation=Relation.RELATED)
    for link in (away, back, forth):
        links.add(db, link)

    assert links.of(db, a) == [forth, back]
    assert links.of(db, b) == [forth, back, away]
    assert links.of(db, c) == [away]
    assert links.of(db, "unknown") == []


def test_the_same_link_again_takes_the_new_weight(db: sqlite3.Connection) -> None:
    a, b = put(db), put(db)

    for weight in (0.5, 0.75):
        links.add(db, Link(from_id=a, to_id=b, relation=Relation.RELATED, weight=weight))

    assert [link.weight for link in links.of(db, a)] == [0.75]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"workspace_id": "w2"}, id="another workspace"),
        pytest.param({"scope": Scope.SESSION}, id="a session of the workspace"),
        pytest.param({"scope": Scope.GLOBAL}, id="global"),
    ],
)
def test_no_link_crosses_a_scope(db: sqlite3.Connection, other: dict[str, object]) -> None:
    here, beside, there = put(db), put(db), put(db, **other)

    with pytest.raises(Invalid):
        links.add(db, Link(from_id=here, to_id=there, relation=Relation.RELATED))
    with pytest.raises(Invalid):
        links.add(db, Link(from_id=there, to_id=here, relation=Relation.RELATED))
    links.add(db, Link(from_id=here, to_id=beside, relation=Relation.RELATED))
    assert links.of(db, there) == []


def test_a_link_needs_two_records(db: sqlite3.Connection) -> None:
    a, b = put(db), put(db)

    with pytest.raises(NotFound):
        links.add(db, Link(from_id=a, to_id="gone", relation=Relation.RELATED))
    with pytest.raises(Invalid):
        links.add(db, Link(from_id=a, to_id=a, relation=Relation.RELATED))
    links.add(db, Link(from_id=a, to_id=b, relation=Relation.RELATED))
    assert len(links.of(db, a)) == 1


def test_sources_are_kept_once_in_order_of_age(db: sqlite3.Connection) -> None:
    old, new, note, other = put(db), put(db), put(db), put(db)

    links.add_sources(db, note, [new, old])
    links.add_sources(db, note, [old])
    links.add_sources(db, other, [])

    assert links.sources(db, note) == [old, new]
    assert links.sources(db, other) == []
    with pytest.raises(NotFound):
        links.add_sources(db, "gone", [old])


def test_links_and_sources_go_with_their_record(db: sqlite3.Connection) -> None:
    a, b, c = put(db), put(db), put(db)
    kept = Link(from_id=b, to_id=c, relation=Relation.RELATED)
    links.add(db, Link(from_id=a, to_id=b, relation=Relation.RELATED))
    links.add(db, kept)
    links.add_sources(db, a, [c])

    db.execute("DELETE FROM record WHERE id = ?", (a,))

    assert links.of(db, b) == [kept]
    assert links.sources(db, a) == []
