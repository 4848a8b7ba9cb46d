"""Meaning joins in with words: what it adds, what it may not add, and what it never takes."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memex_mcp.errors import Unavailable
from memex_mcp.llm.ports import Reranker
from memex_mcp.model.kinds import Kind, Scope, State, Status
from memex_mcp.model.query import Query
from memex_mcp.model.record import Record
from memex_mcp.retrieval.aids import Aids, Meaning
from memex_mcp.retrieval.dense import Near
from memex_mcp.retrieval.meaning import Neighbourhood
from memex_mcp.retrieval.recall import recall
from memex_mcp.retrieval.tuning import DEFAULT
from memex_mcp.store.vectors import Space
from tests.card import card
from tests.llm.offline import Noise, Words, unit
from tests.make import NOON, make_caller
from tests.retrieval import using
from tests.retrieval.meant import MODEL, ask, embed, ids, place, space_of
from tests.retrieval.using import change, put, store

HERON = "The heron nests by the lake."
OTHERS = ("Queues drain slowly on Mondays.", "Invoices are paid within a month.")
WORDS_ONLY = replace(DEFAULT, legs=DEFAULT.legs - {"dense"})
DAY = timedelta(days=1)


@card("meaning.found")
@pytest.mark.parametrize("question", ["tall wading bird", "苍鹭"])
def test_what_shares_no_word_with_the_question_is_found_by_its_meaning(question: str) -> None:
    with store(*OTHERS) as db:
        heron = put(db, HERON)
        embed(db)

        answer = ask(db, question, explain=True)
        by_words = using.ask(db, question)

    (hit,) = answer.hits
    assert (hit.id, hit.via, hit.matched_in, hit.snippet) == (heron.id, "meaning", "body", HERON)
    assert answer.state is State.OK
    assert hit.parts is not None
    assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-9)
    assert hit.parts["dense"] > 0
    assert (by_words.state, by_words.hits) == (State.NO_MATCH, ())


def test_a_hit_of_words_says_so_and_is_explained_with_its_meaning() -> None:
    with store(*OTHERS) as db:
        put(db, HERON)
        embed(db)

        (hit,) = ask(db, "where the heron nests", explain=True).hits

    assert hit.via == "lexical"
    assert hit.parts is not None
    assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-9)


def test_a_topic_that_is_absent_stays_unanswered() -> None:
    with store(HERON, *OTHERS) as db:
        embed(db)

        absent = ask(db, "trombone choir rehearsal")
        there = ask(db, "wading bird")

    assert (absent.state, absent.hits) == (State.NO_MATCH, ())
    assert len(there.hits) == 1


def test_similarity_answers_from_its_floor_on_and_brings_company() -> None:
    space = Space("placed", 3)
    near = {"One.": (0.41, 0.91, 0.0), "Two.": (0.16, 0.98, 0.0), "Three.": (0.14, 0.99, 0.0)}
    with store("One.", "Two.", "Three.") as db:
        place(db, space, {end: unit(point) for end, point in near.items()})

        def shown(most: float) -> list[str]:
            point = unit((1.0, most, 0.0))
            aids = Aids(Meaning(space, point))
            answer = recall(db, Query(text="zebra"), make_caller(), NOON, aids=aids)
            return [hit.snippet for hit in answer.hits]

        assert shown(0.0) == ["One.", "Two."]
        assert shown(-0.02) == []


def test_an_answer_has_no_strangers_in_its_company() -> None:
    space = Space("placed", 2)
    with store("Zebras cross the road.", "Zebras sleep.", *OTHERS) as db:
        points = {"road.": (1.0, 0.0), "sleep.": unit((0.1, 0.99))}
        place(db, space, points | {"Mondays.": unit((0.12, 0.99)), "month.": unit((0.2, 0.98))})
        aids = Aids(Meaning(space, (1.0, 0.0)))
        answer = recall(db, Query(text="where zebras cross"), make_caller(), NOON, aids=aids)
        alone = recall(db, Query(text="where zebras cross"), make_caller(), NOON)

    shown = [hit.snippet for hit in answer.hits]
    assert shown[0] == "Zebras cross the road."
    assert OTHERS[1] in shown
    assert OTHERS[0] not in shown
    assert {hit.id for hit in alone.hits} <= {hit.id for hit in answer.hits}


def test_what_words_found_too_little_of_is_no_company_either() -> None:
    space = Space("placed", 2)
    with store("Zebras cross the road.", *OTHERS) as db:
        points = {"road.": (1.0, 0.0), "Mondays.": unit((0.12, 0.99)), "month.": unit((0.2, 0.98))}
        place(db, space, points)
        question = Query(text="do queues, invoices or an umbrella bother the trombone choir")
        aids = Aids(Meaning(space, (1.0, 0.0)))
        answer = recall(db, question, make_caller(), NOON, aids=aids)

        assert [hit.snippet for hit in answer.hits] == ["Zebras cross the road.", OTHERS[1]]
        assert recall(db, question, make_caller(), NOON).hits == ()
        assert answer.hits[1].via == "lexical"


def test_what_repeats_a_hit_of_words_does_not_come_back_by_its_meaning() -> None:
    space = Space("placed", 2)
    said = (
        "The staging database of the northern office listens on its own port behind the old"
        " gateway while every nightly backup of both warehouses in the harbour town, which the"
        " archive keeps for thirty days beside the ledgers of the former branch, finishes"
    )
    with store(*OTHERS) as db:
        first = put(db, f"{said} quickly.", title="Staging")
        put(db, f"{said} promptly.", title="Staging")
        place(db, space, {"quickly.": unit((0.3, 0.95)), "promptly.": (1.0, 0.0)})
        question = Query(text="where the staging database listens")
        aids = Aids(Meaning(space, (1.0, 0.0)))

        alone = recall(db, question, make_caller(), NOON)
        answer = recall(db, question, make_caller(), NOON, aids=aids)

    assert ids(alone) == ids(answer) == [first.id]


def test_only_what_may_be_shown_is_read() -> None:
    near = [Near(n, 0, 9, 1 - n / 10) for n in range(10)]
    there = Neighbourhood(near, 0.9, 0.6)

    assert [found.n for found in there.beside({1}, 10)] == [0, 2, 3, 4]
    assert [found.n for found in there.beside({1}, 3)] == [0, 2]


def test_what_the_meaning_brings_in_lends_nothing_to_its_neighbours() -> None:
    def turn(minute: int, body: str) -> Record:
        at = NOON + timedelta(minutes=minute)
        return put(db, body, kind=Kind.SPAN, scope=Scope.SESSION, observed_at=at)

    with store() as db:
        turn(0, "A heron stands there.")
        beside = turn(1, "The lake freezes in winter.")
        embed(db)
        question = "which wading bird likes the lake in winter"

        (alone,) = using.ask(db, question, explain=True).hits
        hits = {hit.id: hit for hit in ask(db, question, explain=True).hits}

    assert alone.id == beside.id
    assert alone.parts is not None
    parts = hits[beside.id].parts
    assert parts is not None
    assert {**parts, "dense": 0.0} == {**alone.parts, "dense": 0.0}
    # It is lent something itself.
    (other,) = (hit for hit in hits.values() if hit.id != beside.id)
    assert other.parts is not None
    assert other.parts["neighbour"] > 0


def test_a_question_in_another_language_needs_less() -> None:
    space = Space("placed", 2)
    with store(HERON, *(f"The queue {n} drains slowly." for n in range(30))) as db:
        place(db, space, {HERON: unit((0.2, 0.98))})
        aids = Aids(Meaning(space, (1.0, 0.0)))

        def found(text: str) -> int:
            return len(recall(db, Query(text=text), make_caller(), NOON, aids=aids).hits)

        assert found("zebra crossing") == 0
        assert found("鸟在哪里筑巢") == 1


def test_while_the_noise_is_unknown_meaning_alone_answers_nothing() -> None:
    with store(HERON, *OTHERS) as db:
        embed(db)
        assert len(ask(db, "wading bird").hits) == 1
        db.execute("UPDATE vector_model SET mean = NULL, deviation = NULL")

        assert ask(db, "wading bird").hits == ()
        assert len(ask(db, "where the heron nests").hits) == 1


HIDDEN = [
    pytest.param({"workspace_id": "w2"}, {}, id="other workspace"),
    pytest.param({"scope": Scope.SESSION, "session_id": "s2"}, {}, id="other session"),
    pytest.param({"status": Status.ARCHIVED}, {}, id="archived"),
    pytest.param({"status": Status.CANDIDATE}, {}, id="candidate"),
    pytest.param({"status": Status.SUPERSEDED}, {}, id="superseded"),
    pytest.param({"expires_at": NOON}, {}, id="expired"),
    pytest.param({"valid_to": NOON - DAY}, {}, id="no longer true"),
    pytest.param({}, {"kinds": (Kind.SPAN,)}, id="filtered by kind"),
    pytest.param({}, {"tags": ("ops",)}, id="filtered by tag"),
    pytest.param({}, {"path": "src"}, id="filtered by path"),
    pytest.param({}, {"after": NOON + DAY}, id="filtered by time"),
    pytest.param({}, {"as_of": NOON - DAY}, id="not yet true"),
]


@card("meaning.visible")
@pytest.mark.parametrize(("fields", "filters"), HIDDEN)
def test_meaning_never_shows_what_is_hidden(
    fields: dict[str, Any], filters: dict[str, Any]
) -> None:
    with store(*OTHERS) as db:
        # The vector is there, whatever became of the record.
        hidden = put(db, HERON, **{"valid_from": NOON, **fields})
        embed(db)
        assert ids(ask(db, "wading bird", include=("retracted",), **filters)) == []
        assert hidden.id not in ids(ask(db, "where the heron nests", **filters))

        seen = put(db, f"{HERON} Truly.", valid_from=NOON)
        embed(db)

        found = ids(ask(db, "wading bird"))
        assert seen.id in found
        # What only a filter hid is there without it.
        assert (hidden.id in found) is (not fields)


def test_what_was_retracted_after_it_was_embedded_is_not_found() -> None:
    with store(*OTHERS) as db:
        heron = put(db, HERON)
        embed(db)
        assert ids(ask(db, "wading bird")) == [heron.id]

        db.execute("UPDATE record SET status = 'retracted' WHERE id = ?", (heron.id,))

        assert ids(ask(db, "wading bird")) == []
        assert ids(ask(db, "wading bird", include=("retracted",))) == [heron.id]


def test_a_stranger_learns_nothing_from_meaning() -> None:
    with store() as db:
        put(db, HERON)
        embed(db)

        stranger = ask(db, "wading bird", make_caller("w2", "s2"))
        owner = ask(db, "wading bird")

    assert (stranger.state, stranger.hits, stranger.hint) == (State.EMPTY_ARCHIVE, (), None)
    assert len(owner.hits) == 1


def test_the_hint_names_the_filter_that_hides_what_only_its_meaning_finds() -> None:
    with store(*OTHERS) as db:
        put(db, HERON)
        embed(db)

        answer = ask(db, "wading bird", kinds=(Kind.SPAN,))

    assert answer.state is State.FILTERED
    assert "kinds" in str(answer.hint)


class Backwards(Words):
    """Finds most alike what has least in common."""

    def vector(self, text: str) -> Sequence[float]:
        numbers = list(super().vector(text))
        return numbers if text.count("\n") else unit([-number for number in numbers])


class Same(Words):
    """Finds everything alike."""

    def vector(self, text: str) -> Sequence[float]:
        return unit([1.0] * self.dimensions)


HOSTILE: list[Callable[[], Words]] = [Noise, Backwards, Same]
PLACES = ("Oslo", "Lima", "Cairo", "Quito", "Hanoi", "Tunis", "Sofia", "Minsk", "Turin", "Porto")


def crowd(chance: random.Random) -> list[str]:
    """Statements that share some words, a few of them with a name that stands alone."""
    words = ("staging", "database", "port", "release", "branch", "queue", "lake", "heron", "token")
    return [
        f"In {PLACES[n % 10]} the {' '.join(chance.sample(words, 5))} is number {n}"
        f"{f' by rule XK-{n}' if n % 9 == 0 else ''}."
        for n in range(60)
    ]


@card("meaning.union")
@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda model: model.__name__)
def test_no_embedder_pushes_what_words_found_best_off_the_page(hostile: type[Words]) -> None:
    chance = random.Random(11)
    moved = 0
    with store(*crowd(chance)) as db:
        model = hostile()
        embed(db, model)
        for round_ in range(30):
            limit = chance.choice((3, 8, 10))
            words = chance.sample(("staging", "port", "heron"), 2)
            text = f"{chance.choice(PLACES)} {' '.join(words)}"
            if round_ % 3 == 0:
                text += f' "rule XK-{9 * chance.randrange(6)}"'
            alone = using.ask(db, text, limit=limit)
            with_model = ask(db, text, model=model, limit=limit)

            scores = {hit.id: hit.score for hit in alone.hits}
            page = ids(with_model)
            rules = [hit.id for hit in alone.hits if hit.matched_in == "exact"]
            rules += [each for each in ids(alone) if each not in rules]
            exact = sum(hit.matched_in == "exact" for hit in alone.hits)
            assert set(rules[: max(limit // 2, exact)]) <= set(page)
            assert all(hit.score >= scores.get(hit.id, 0.0) - 1e-9 for hit in with_model.hits)
            assert len(page) == len(set(page)) <= limit
            moved += page != ids(alone)
    # Same tells no record from another, so it moves none of those that words found.
    assert moved or hostile is Same


def test_without_its_vector_the_question_is_answered_by_words_and_the_answer_says_so() -> None:
    with store(HERON, *OTHERS) as db:
        embed(db)
        aids = Aids(Meaning(space_of(MODEL)))

        def asked(text: str) -> tuple[State, tuple[str, ...], list[str]]:
            answer = recall(db, Query(text=text), make_caller(), NOON, aids=aids)
            return answer.state, answer.skipped, [hit.snippet for hit in answer.hits]

        assert asked("where the heron nests") == (State.DEGRADED, ("meaning leg",), [HERON])
        assert asked("wading bird") == (State.DEGRADED, ("meaning leg",), [])
        whole = ask(db, "where the heron nests")
    assert (whole.state, whole.skipped) == (State.OK, ())


def test_the_leg_can_be_switched_off() -> None:
    with store(HERON, *OTHERS) as db:
        embed(db)

        off = ask(db, "where the heron nests", tuning=WORDS_ONLY)
        alone = using.ask(db, "where the heron nests")
        nothing = ask(db, "wading bird", tuning=WORDS_ONLY)

    assert off == alone
    assert (nothing.hits, nothing.skipped) == ((), ())


def test_a_store_that_holds_no_vector_answers_by_words() -> None:
    with store(HERON, *OTHERS) as db:
        assert ask(db, "where the heron nests") == using.ask(db, "where the heron nests")
        assert ask(db, "wading bird").hits == ()
        embed(db)
        assert len(ask(db, "wading bird").hits) == 1


def test_a_statement_is_shown_once_however_it_was_found() -> None:
    with store(*OTHERS) as db:
        put(db, HERON)
        put(db, HERON, scope=Scope.SESSION)
        embed(db)

        assert len(ask(db, "wading bird").hits) == 1
        assert len(ask(db, "where the heron nests").hits) == 1


def test_the_pages_of_an_answer_hold_every_record_once() -> None:
    with store(*OTHERS) as db:
        made = [put(db, f"A heron stands in {place_}.") for place_ in PLACES]
        embed(db)
        seen: list[str] = []
        cursor = None
        for _ in range(9):
            answer = ask(db, "wading bird", limit=3, cursor=cursor)
            seen += ids(answer)
            cursor = answer.next_cursor
            if cursor is None:
                break

    assert sorted(seen) == sorted(record.id for record in made)


def test_earlier_knowledge_is_found_by_what_has_not_changed_since() -> None:
    early = {"recorded_at": NOON - 9 * DAY, "updated_at": NOON - 9 * DAY}
    with store() as db:
        same = put(db, HERON, **early)
        changed = put(db, "Queues drain slowly.", **early)
        change(db, changed, NOON - DAY, body="The heron eats frogs.")
        embed(db)

        assert ids(ask(db, "wading bird", believed_at=NOON - 5 * DAY)) == [same.id]
        assert len(ids(ask(db, "wading bird"))) == 2


class Upside:
    """Puts the best last."""

    def rank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return [float(place_) for place_ in range(len(texts))]


class Fewer:
    def rank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return [1.0]


class Down:
    def rank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        raise Unavailable("the reranker is down")


class Nonsense:
    def rank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return [float("nan")] * len(texts)


class Likes:
    def __init__(self, word: str) -> None:
        self.word = word
        self.asked = ""

    def rank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked = question
        return [float(self.word in text) for text in texts]


def reranked(
    text: str, reranker: Reranker, limit: int = 4
) -> tuple[list[str], list[str], set[str]]:
    """The order of words, that of a reranker, and what was skipped."""
    chance = random.Random(3)
    with store(*crowd(chance)) as db:
        query = Query(text=text, limit=limit)
        plain = recall(db, query, make_caller(), NOON)
        turned = recall(db, query, make_caller(), NOON, aids=Aids(reranker=reranker))
    return ids(plain), ids(turned), set(turned.skipped)


def test_no_reranker_pushes_what_words_found_best_off_the_page() -> None:
    plain, turned, skipped = reranked('Oslo staging "rule XK-0"', Upside())

    assert set(plain[:2]) <= set(turned)
    assert turned != plain
    assert skipped == set()


def test_a_reranker_orders_what_it_reads() -> None:
    likes = Likes("Lima")
    plain, turned, _ = reranked("staging database port", likes, 8)

    assert likes.asked == "staging database port"
    assert turned != plain
    assert len(turned) == len(set(turned)) == len(plain)


@pytest.mark.parametrize("broken", [Fewer(), Down(), Nonsense()], ids=["fewer", "down", "nonsense"])
def test_a_reranker_that_fails_is_named_and_costs_no_hit(broken: Reranker) -> None:
    plain, turned, skipped = reranked("staging database port", broken)

    assert turned == plain
    assert skipped == {"rerank"}
