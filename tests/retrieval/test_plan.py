"""How the index is asked where common words would cost much, and what that must not lose."""

import sqlite3
from collections.abc import Mapping
from datetime import timedelta

import pytest

from memex_mcp.model.record import Times
from memex_mcp.retrieval import legs
from memex_mcp.retrieval.plan import FEW, LONE, RARE, Plan, plan
from memex_mcp.retrieval.query import ask as parse
from memex_mcp.store import records, search
from memex_mcp.store.search import MOST, Part
from memex_mcp.store.visible import Sight
from tests.make import NOON
from tests.retrieval.using import found, put, store

EVERY = Sight("1=1", ())
SIZE = 1_000_000


def made(counts: Mapping[str, int]) -> Plan:
    """The plan for words that stand in so many of a million rows each."""
    return plan(sorted(counts, key=counts.__getitem__), counts, SIZE)


def test_a_common_word_needs_company_where_a_rare_one_finds_enough() -> None:
    counts = {"kelvin": RARE + 1, "build": 600, "server": 700}

    asked = made(counts)

    (part,) = asked.parts
    assert part.match == '"kelvin" OR "build" OR "server"'
    assert part.among == '"kelvin" OR ("build" AND ("server"))'
    assert (asked.enough, asked.rest) == (FEW, (Part(part.match),))


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param({"kelvin": RARE + 1, "build": 60, "server": 60}, id="little to spare"),
        pytest.param({"kelvin": 3, "build": 600}, id="rare words that find next to nothing"),
        pytest.param({"build": 600}, id="one word"),
    ],
)
def test_every_word_counts_by_itself_where_that_costs_little(counts: Mapping[str, int]) -> None:
    (part,) = made(counts).parts

    assert part.among == ""


def test_two_words_that_are_everywhere_are_asked_for_together_once() -> None:
    many = made({"build": 30_000, "server": 40_000, "client": 200_000}).parts
    few = made({"build": 3_000, "server": 4_000, "client": 200_000}).parts

    assert [part.match for part in many] == [
        '"build" AND "server"',
        '"client" AND "build" AND "server"',
    ]
    # Twelve rows are expected, and all are looked at: there is nothing to choose by a third word.
    assert [part.match for part in few] == ['"build" AND "server"']


def test_of_words_that_are_everywhere_the_newest_rows_count_before_all_are_asked() -> None:
    many = made({"build": MOST + 1, "server": MOST + 2})
    few = made({"build": MOST, "server": MOST + 2})

    assert [part.newest for part in many.parts] == [True]
    assert [part.newest for part in many.rest] == [False]
    assert [part.newest for part in few.parts] == [False]
    assert few.rest == ()
    alone = made({"build": MOST + 1})
    assert alone == Plan((Part('"build"', newest=True),), FEW, (Part('"build"'),))
    assert made({"build": MOST}) == Plan((Part('"build"'),))


@pytest.mark.parametrize("words", ["server build", "server"])
def test_what_is_older_than_the_newest_rows_is_found_when_nothing_else_is(words: str) -> None:
    match = " AND ".join(f'"{word}"' for word in words.split())
    parts = [Part(match, float(" " in words), newest=True)]
    with store("The server and its build.", "Another one.") as db:
        rows = range(10, 10 + MOST)
        db.executemany("INSERT INTO chunk VALUES (?, 2, 0, 9)", [(row,) for row in rows])
        terms = "the server and build"
        db.executemany(
            "INSERT INTO body_index(rowid, terms) VALUES (?, ?)", [(row, terms) for row in rows]
        )
        old = Sight("r.n = 1", ())

        newest = search.chunks(db, parts, EVERY, 9)
        hidden = search.chunks(db, parts, old, 9)
        asked = legs.body(db, parse(db, words), old)

    assert [each.n for each in newest] == [2]
    assert hidden == []
    assert [each.n for each in asked] == [1]


def test_rare_words_count_by_themselves_beside_words_that_are_everywhere() -> None:
    parts = made({"kelvin": LONE - 1, "build": 3_000, "server": 4_000}).parts

    assert [part.match for part in parts] == [
        '"kelvin"',
        '"build" AND ("kelvin" OR "server")',
        '"server" AND ("kelvin" OR "build")',
    ]


def crowd(db: sqlite3.Connection) -> None:
    """Many notes about one thing, each of which holds a word that is not rare."""
    for number in range(4 * RARE):
        put(db, f"The server was built on a quiet morning, note {number}.")


def test_what_holds_a_single_common_word_is_found_when_little_else_is() -> None:
    with store() as db:
        crowd(db)
        rare = [put(db, f"Kelvin wrote remark {number} alone.").id for number in range(RARE + 1)]
        hidden = "r.title NOT LIKE 'Kelvin%'"

        asked = parse(db, "kelvin server")
        both = legs.card(db, asked, EVERY)
        without = legs.card(db, asked, Sight(hidden, ()))

    assert asked.plan.parts[0].among
    assert {each.n for each in both} == set(range(4 * RARE + 1, 4 * RARE + len(rare) + 1))
    assert {each.n for each in without} <= set(range(1, 4 * RARE + 1))
    assert without


def test_a_phrase_is_found_by_its_telling_words_and_proven_word_for_word() -> None:
    with store() as db:
        near = put(db, "The kettle was off the iron shelf by noon.").id
        right = put(db, "The kettle was on the iron shelf by noon.").id
        for number in range(60):
            put(db, f"A kettle and an iron shelf, lot {number}.")

        one = found(db, '"kettle was on the iron shelf"', explain=True)
        other = found(db, '"kettle was off the iron shelf"', explain=True)
        asked = parse(db, '"was on the iron shelf"')
        exact = legs.exact(db, asked, EVERY)

    assert (one[0], other[0]) == (right, near)
    assert len(exact) == 1


def test_a_phrase_whose_words_many_hold_is_found_where_it_is_seen() -> None:
    phrase = "a kettle on the iron shelf"
    with store() as db:
        for number in range(60):
            put(db, f"A kettle off the iron shelf, lot {number}.")
        put(db, f"It is {phrase}.")
        put(db, "Something else.", aliases=(phrase,))
        put(db, f"It is {phrase}, they said.", session_id="other")
        put(db, "Something other.", aliases=(phrase,), session_id="other")

        asked = parse(db, f'"{phrase}"')
        every = legs.exact(db, asked, EVERY)
        mine = legs.exact(db, asked, Sight("r.session_id <> 'other'", ()))

    assert {each.n for each in every} == {61, 62, 63, 64}
    assert [each.n for each in mine] == [61, 62]


def test_a_phrase_of_scattered_words_is_proven_though_many_hold_them() -> None:
    with store() as db:
        for number in range(60):
            put(db, f"The json of lot {number} is old.")
        right = put(db, "It is a test of json are, said the parrot.").id
        for number in range(60):
            put(db, f"A test and some json, lot {number}.")

        hits = found(db, '"test of json are"')

    assert hits[0] == right


def test_the_second_chunk_of_a_record_holds_the_phrase_that_its_first_only_resembles() -> None:
    filler = " ".join(f"filler{number}" for number in range(150))
    body = f"The shelf of iron under the kettle. {filler} The kettle on the iron shelf. {filler}"
    with store("Nothing of the kind.", body) as db:
        exact = legs.exact(db, parse(db, '"kettle on the iron shelf"'), EVERY)

    assert [each.n for each in exact] == [2]
    assert exact[0].start > 100


def test_the_best_chunk_of_a_record_holds_what_is_worth_most() -> None:
    filler = " ".join(f"filler{number}" for number in range(150))
    with store(f"The kettle is green. {filler} The kettle is of copper. {filler}") as db:
        copper = legs.best_chunk(db, 1, {"copper": 3.0, "kettl": 1.0})
        green = legs.best_chunk(db, 1, {"green": 3.0, "kettl": 1.0})
        none = legs.best_chunk(db, 1, {"walrus": 1.0})

    assert copper is not None
    assert green is not None
    assert green.start == 0 < copper.start
    assert none is None


def test_parts_of_several_bodies_are_read_at_once_and_in_order() -> None:
    long = "".join(f"{number:07d} " for number in range(2_000))
    with store(long, "short", "") as db:
        parts = [(2, 0, 3), (1, 4_000, 4_200), (1, 0, 10), (3, 0, 5), (1, 15_990, 20_000)]

        read = records.body_parts(db, parts)
        one_by_one = [records.body_text(db, *each) for each in parts]

    assert read == one_by_one
    assert read[1] == long[4_000:4_200]


def test_what_follows_is_told_for_each_record_of_its_own_session() -> None:
    with store() as db:
        kept = {}
        for number in range(6):
            moment = NOON - timedelta(hours=9 - number)
            session = "s1" if number < 4 else "s2"
            times = Times(recorded_at=moment, updated_at=moment, observed_at=moment)
            kept[number + 1] = put(db, f"Remark {number}.", session_id=session, times=times)

        following = search.after(db, kept, EVERY, 2)

    assert following == {1: [2, 3], 2: [3, 4], 3: [4], 4: [], 5: [6], 6: []}
