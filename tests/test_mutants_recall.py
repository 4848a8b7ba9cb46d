"""What is found and in which order, by what it would be without each step."""

from contextlib import closing
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind, Scope, State, Status
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from memex_mcp.retrieval import legs, recall, rerank
from memex_mcp.retrieval.diversify import Said, order
from memex_mcp.retrieval.fuse import Found, Ranking, fuse
from memex_mcp.store import index, records
from memex_mcp.store.visible import sight
from tests.make import NOON, make_caller, make_db, make_record
from tests.using import HERON, QUESTION, many, search


def test_a_rephrasing_finds_what_the_question_does_not(memory: Memory, agent: Caller) -> None:
    written = memory.write(HERON, agent)

    assert search(memory, agent, "zebra crossing").hits == ()
    [hit] = search(memory, agent, "zebra crossing", variants=(QUESTION,)).hits
    assert hit.id == written.id
    [better] = search(memory, agent).hits
    assert better.score > hit.score
    late = ("nothing",) * 6
    assert search(memory, agent, "zebra crossing", variants=(*late, QUESTION)).hits == ()


def test_a_single_common_word_is_no_answer(memory: Memory, agent: Caller) -> None:
    many(memory, agent)
    # Every word is on record, but each of them somewhere else.
    for other in ("The kangaroo gate opens early.", "An umbrella hangs behind the old door."):
        memory.write(Draft(text=other), agent)
    memory.write(Draft(text="The trombone choir meets weekly in the small hall."), agent)

    thin = search(memory, agent, "staging kangaroo umbrella trombone")
    assert (thin.state, thin.hits) == (State.NO_MATCH, ())
    assert len(search(memory, agent, "staging database").hits) == 6


def test_two_rankings_that_agree_beat_one(memory: Memory) -> None:
    one, two, three = Found(1), Found(2), Found(3)

    assert list(fuse([Ranking([one, two]), Ranking([two])])) == [2, 1]
    assert list(fuse([Ranking([one]), Ranking([three], weight=0.5)])) == [1, 3]
    assert fuse([Ranking([two]), Ranking([two], weight=0.5), Ranking([])]) == {2: 1.0}
    assert list(fuse([Ranking([three, one, two])])) == [3, 1, 2]


@pytest.mark.parametrize("name", [field.name for field in fields(rerank.Features)])
def test_every_feature_raises_the_score(name: str) -> None:
    plain = rerank.Features(body=0.5)
    better = replace(plain, **{name: 1.0})

    assert sum(rerank.parts_of(better).values()) > sum(rerank.parts_of(plain).values())


def test_age_halves_and_use_helps_within_their_bounds() -> None:
    half = timedelta(days=rerank.HALF_LIFE_DAYS[Kind.NOTE])

    assert rerank.recency(Kind.NOTE, NOON, NOON) == 1.0
    assert rerank.recency(Kind.NOTE, NOON + half, NOON) == 1.0
    assert 0.7 < rerank.recency(Kind.NOTE, NOON - half / 2, NOON) < 0.71
    assert rerank.recency(Kind.NOTE, NOON - 9 * half, NOON) == rerank.OLDEST
    assert (rerank.usage(0), rerank.usage(20), rerank.usage(999)) == (0.0, 1.0, 1.0)
    assert 0 < rerank.usage(1) < rerank.usage(2) < 1


def test_a_neighbour_gains_from_the_best_near_it_by_distance() -> None:
    scores = {1: 4.0, 2: 1.0, 3: 2.0}
    weights = rerank.Weights(neighbour=0.5)

    gains = rerank.from_neighbours(scores, {2: [(1, 1), (3, 1)], 3: [(1, 2)], 1: []}, weights)

    assert gains == {2: 2.0, 3: 1.0}


def test_what_the_caller_does_not_see_stands_between_no_two_neighbours() -> None:
    def at(minute: int, **over: Any) -> tuple[int, str]:
        record = make_record(
            scope=Scope.SESSION, observed_at=NOON + timedelta(minutes=minute), **over
        )
        return records.insert(db, record), record.id

    with closing(make_db()) as db:
        first, hidden = at(0), at(1, status=Status.ARCHIVED)
        last = at(2)
        known = {n: records.by_number(db, n) for n, _ in (first, last)}
        seen = sight(make_caller(), at=NOON)
        every = sight(make_caller(), at=NOON, statuses=tuple(Status))

        assert legs.beside(db, known, seen) == {first[0]: [(last[0], 1)], last[0]: [(first[0], 1)]}
        assert legs.beside(db, known, every)[first[0]] == [(last[0], 2)]
        assert hidden[0] not in legs.beside(db, known, every)


def test_one_statement_in_two_scopes_is_one_hit(memory: Memory, agent: Caller) -> None:
    memory.write(HERON, agent)
    memory.write(replace(HERON, scope=Scope.SESSION), agent)
    other = memory.write(Draft(text="The staging database listens on port 6543."), agent)

    hits = search(memory, agent).hits
    assert len(hits) == 2
    assert other.id in {hit.id for hit in hits}


def test_what_is_current_comes_first_and_sessions_take_turns() -> None:
    def said(name: str, *, stale: bool = False, **over: Any) -> Said:
        record = make_record(body=name, **over)
        return Said(record, frozenset({name}), whole=True, stale=stale)

    turn: dict[str, Any] = {"kind": Kind.SPAN, "scope": Scope.SESSION}
    turns = [said(f"turn {n}", **turn) for n in "abc"]
    other = said("theirs", session_id="s2", **turn)
    note = said("note", scope=Scope.SESSION)

    assert order([said("old", stale=True), said("new")], 4) == [1, 0]
    assert order([*turns, other, note], 4) == [0, 1, 3, 4, 2]
    assert order([*turns, other, note], 8) == [0, 1, 2, 3, 4]
    words = frozenset("abcdefghijklmnopqrst")
    alike = [Said(make_record(body=body), words, whole=True) for body in ("one", "two")]
    assert order(alike, 4) == [0]
    assert order(alike, 4, everything=True) == [0, 1]
    assert order([alike[0], replace(alike[1], terms=words | {"not"})], 4) == [0, 1]
    assert order([alike[0], replace(alike[1], terms=words - {"t"} | {"7"})], 4) == [0, 1]
    assert order([alike[0], replace(alike[1], whole=False)], 4) == [0, 1]


def test_notes_of_one_session_wait_for_nobody() -> None:
    notes = [make_record(body=text, scope=Scope.SESSION) for text in ("a", "b", "c")]
    notes.append(make_record(body="d", scope=Scope.SESSION, session_id="s2"))

    said = [Said(note, frozenset(note.body), whole=True) for note in notes]

    assert order(said, 4) == [0, 1, 2, 3]


def test_what_was_replaced_comes_after_what_replaced_it(memory: Memory, agent: Caller) -> None:
    old = memory.write(HERON, agent)
    new = memory.write(Draft(text="The database for staging is gone.", supersedes=old.id), agent)

    answer = search(memory, agent, HERON.text, include=("superseded",))

    assert [hit.id for hit in answer.hits] == [new.id, old.id]
    assert answer.hits[0].score < answer.hits[1].score


def test_what_expired_since_was_believed_before() -> None:
    hour = timedelta(hours=1)
    with closing(make_db()) as db:
        record = make_record(expires_at=NOON + hour)
        index.add(db, records.insert(db, record), record)

        def ids(**over: Any) -> list[str]:
            query = replace(Query(text="release branch Thursdays"), **over)
            answer = recall.recall(db, query, make_caller(), NOON + 2 * hour)
            return [hit.id for hit in answer.hits]

        assert ids() == []
        assert ids(believed_at=NOON) == [record.id]
        assert ids(believed_at=NOON + hour) == []


def test_only_what_stands_there_word_for_word_counts_as_exact(
    memory: Memory, agent: Caller
) -> None:
    memory.write(HERON, agent)

    def where(text: str) -> str:
        [hit] = search(memory, agent, text).hits
        return hit.matched_in

    assert where('"staging database"') == "exact"
    assert where('"database staging"') != "exact"
    assert where('"blue heron"') == "exact"
    assert where('"heron blue"') != "exact"
