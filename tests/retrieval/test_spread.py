"""Activation along links, against sums done by hand."""

import sqlite3
from collections.abc import Generator
from contextlib import closing

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Relation, Scope, Status
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft, Link
from memex_mcp.model.times import now
from memex_mcp.retrieval.spread import Associate, spread
from memex_mcp.store import associations, links, records
from memex_mcp.store.associations import HUB
from memex_mcp.store.visible import Sight, sight
from tests.card import card
from tests.make import NOON, make_caller, make_db, make_record

MINE = sight(make_caller(), at=NOON)


@pytest.fixture
def db() -> Generator[sqlite3.Connection]:
    with closing(make_db()) as db:
        yield db


def put(db: sqlite3.Connection, **over: object) -> tuple[int, str]:
    record = make_record(**over)
    return records.insert(db, record), record.id


def link(
    db: sqlite3.Connection,
    start: tuple[int, str],
    end: tuple[int, str],
    weight: float,
    relation: str = Relation.RELATED,
) -> None:
    links.add(db, Link(from_id=start[1], to_id=end[1], relation=relation, weight=weight))


def reached(found: list[Associate]) -> dict[int, float]:
    return {each.n: each.activation for each in found}


@card("spread.formula")
@pytest.mark.parametrize("forth", [True, False], ids=["forth", "back"])
def test_each_hop_costs_its_weight_and_one_decay(db: sqlite3.Connection, forth: bool) -> None:
    a, b, c, d = (put(db) for _ in range(4))
    for start, end, weight in ((a, b, 0.8), (b, c, 0.5), (c, d, 1.0)):
        link(db, *((start, end) if forth else (end, start)), weight)

    seeds = {a[0]: 1.0}

    assert spread(db, seeds, MINE, hops=0) == []
    assert reached(spread(db, seeds, MINE, hops=1)) == pytest.approx({b[0]: 0.28})
    # 0.8 x 0.5 x 0.35 x 0.35, not 0.35 to the third.
    two = {b[0]: 0.28, c[0]: 0.049}
    assert reached(spread(db, seeds, MINE)) == pytest.approx(two)
    three = reached(spread(db, seeds, MINE, hops=3))
    assert three == pytest.approx(two | {d[0]: 0.01715})
    assert reached(spread(db, {a[0]: 0.5}, MINE, decay=0.2, hops=1)) == pytest.approx({b[0]: 0.08})


def test_ways_compete_and_never_add_up(db: sqlite3.Connection) -> None:
    a, b, c, target = (put(db) for _ in range(4))
    link(db, a, target, 0.5)
    link(db, b, target, 0.9)
    link(db, target, b, 0.2, Relation.REFINES)
    link(db, c, target, 0.6)

    [found] = spread(db, {a[0]: 1.0, b[0]: 1.0, c[0]: 1.0}, MINE)

    assert found.n == target[0]
    assert found.activation == pytest.approx(0.9 * 0.35)
    assert found.via_n == b[0]


def test_a_longer_way_wins_when_it_is_stronger(db: sqlite3.Connection) -> None:
    a, b, c = (put(db) for _ in range(3))
    link(db, a, b, 1.0)
    link(db, b, c, 1.0)
    link(db, a, c, 0.1)

    found = reached(spread(db, {a[0]: 1.0}, MINE))

    assert found == pytest.approx({b[0]: 0.35, c[0]: 0.1225})


def test_automatic_links_are_walked_like_stated_ones(db: sqlite3.Connection) -> None:
    made = [make_record(entities=("a.py",)) for _ in range(2)]
    numbers = []
    for record in made:
        numbers.append(records.insert(db, record))
        associations.follow(db, numbers[-1], None, record)

    for here, there in (numbers, reversed(numbers)):
        assert reached(spread(db, {here: 1.0}, MINE)) == pytest.approx({there: 0.9 * 0.35})


@pytest.mark.parametrize("relation", list(Relation))
def test_rivals_and_successors_are_not_walked(db: sqlite3.Connection, relation: str) -> None:
    a, b, c = (put(db) for _ in range(3))
    link(db, a, b, 1.0, relation)
    link(db, a, c, 0.5)

    found = reached(spread(db, {a[0]: 1.0}, MINE))

    walked = relation in ("related", "refines", "depends-on", "same-entity")
    assert (b[0] in found) is walked
    assert c[0] in found


@card("spread.visible")
@pytest.mark.parametrize(
    "hidden",
    [
        pytest.param({"status": Status.RETRACTED}, id="retracted"),
        pytest.param({"status": Status.CANDIDATE}, id="candidate"),
        pytest.param({"expires_at": NOON}, id="expired"),
    ],
)
def test_what_is_hidden_neither_appears_nor_conducts(
    db: sqlite3.Connection, hidden: dict[str, object]
) -> None:
    a, far, other = (put(db) for _ in range(3))
    between = put(db, **hidden)
    link(db, a, between, 1.0)
    link(db, between, far, 1.0)
    link(db, a, other, 0.1)
    every = sight(make_caller(), at=NOON, statuses=tuple(Status), include_expired=True)

    assert set(reached(spread(db, {a[0]: 1.0}, MINE))) == {other[0]}
    assert set(reached(spread(db, {a[0]: 1.0}, every))) == {between[0], far[0], other[0]}
    # Nor does it, should somebody start from it.
    assert spread(db, {between[0]: 1.0}, MINE) == []


def test_another_caller_is_led_nowhere(db: sqlite3.Connection) -> None:
    a, b = put(db, scope=Scope.SESSION), put(db, scope=Scope.SESSION)
    link(db, a, b, 1.0)

    assert reached(spread(db, {a[0]: 1.0}, MINE)) == pytest.approx({b[0]: 0.35})
    for stranger in (make_caller("w1", "s2"), make_caller("w2", "s1"), make_caller(None)):
        assert spread(db, {a[0]: 1.0}, sight(stranger, at=NOON)) == []


def test_a_record_that_everything_is_linked_to_conducts_nothing(db: sqlite3.Connection) -> None:
    hub, far, a, b = (put(db) for _ in range(4))
    link(db, a, hub, 0.9)
    link(db, hub, far, 0.9)
    for _ in range(HUB - 2):
        link(db, put(db), hub, 0.2)
    before = reached(spread(db, {a[0]: 1.0}, MINE, most=100))

    link(db, b, hub, 0.2)

    assert far[0] in before
    assert reached(spread(db, {a[0]: 1.0}, MINE, most=100)) == pytest.approx({hub[0]: 0.315})


def test_the_best_come_first_and_no_more_than_asked_for(db: sqlite3.Connection) -> None:
    a = put(db)
    others = [put(db) for _ in range(6)]
    for position, other in enumerate(others):
        link(db, a, other, 0.1 * (position // 2 + 1))
    # Behind the last of the best there is nothing that could be among them.
    link(db, others[5], put(db), 0.1)

    found = spread(db, {a[0]: 1.0}, MINE, most=3)

    assert [each.n for each in found] == [others[5][0], others[4][0], others[3][0]]


@card("spread.pairs")
def test_a_record_without_a_word_of_the_question_is_reached_through_its_partner(
    memory: Memory, agent: Caller
) -> None:
    """Fifty pairs that share a file, and fifty controls that share none."""
    pairs, controls = [], set()
    drafts = []
    for n in range(50):
        drafts.append(Draft(text=f"Badger {n * 7919} digs at `src/part{n}.py`."))
        drafts.append(Draft(text=f"Nightly cleanup {n * 31} happens before src/part{n}.py runs."))
        drafts.append(Draft(text=f"Nightly cleanup {n * 37 + 1} happens before src/solo{n}.py."))
    written = [each.id for each in memory.write_all(drafts, agent)]  # type: ignore[union-attr]  # none is refused
    with memory._database.read() as db:
        rows = [records.number(db, each) or 0 for each in written]
    for n in range(50):
        pairs.append((f"badger {n * 7919}", written[3 * n], rows[3 * n], rows[3 * n + 1]))
        controls.add(rows[3 * n + 2])
    seen = sight(agent, at=now())

    surfaced, wrong = 0, 0
    for question, first, seed, partner in pairs:
        hits = memory.search(Query(text=question, limit=1), agent).hits
        with memory._database.read() as db:
            found = [each.n for each in spread(db, {seed: 1.0}, seen, most=5)]
        assert [hit.id for hit in hits] == [first]
        surfaced += partner in found
        wrong += len(controls & set(found))

    assert (surfaced, wrong) == (50, 0)


def test_a_filter_narrows_what_is_reached(db: sqlite3.Connection) -> None:
    a, b, c = put(db, tags=("x",)), put(db, tags=("x",)), put(db)
    link(db, a, b, 0.5)
    link(db, a, c, 0.5)
    narrow: Sight = sight(make_caller(), at=NOON, tags=("x",))

    assert set(reached(spread(db, {a[0]: 1.0}, MINE))) == {b[0], c[0]}
    assert set(reached(spread(db, {a[0]: 1.0}, narrow))) == {b[0]}
