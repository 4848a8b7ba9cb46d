"""When matches are an answer, and when they are only words."""

from dataclasses import replace
from typing import Any

import pytest

from memex_mcp.retrieval import floor
from memex_mcp.retrieval.evidence import Coverage
from memex_mcp.retrieval.floor import Floor
from memex_mcp.retrieval.fuse import Found, Ranking, relative
from memex_mcp.retrieval.query import ask as parse
from memex_mcp.retrieval.score import VARIANT
from tests.retrieval.using import ask, found, put, store

HALF = Coverage(
    count=2,
    length=200,
    whole=0.5,
    wording=0.4,
    closeness=0.1,
    title=0.2,
    about=0.0,
    alias=0.0,
    question=0.0,
    body=0.5,
    size=500,
)


@pytest.mark.parametrize("name", ["whole", "wording", "closeness", "title", "alias", "question"])
def test_every_share_of_the_question_is_evidence(name: str) -> None:
    better: dict[str, Any] = {name: 0.9}

    assert floor.evidence(replace(HALF, **better)) > floor.evidence(HALF)


def test_more_words_are_evidence_and_long_texts_and_large_stores_take_some_away() -> None:
    plain = floor.evidence(HALF)

    assert floor.evidence(replace(HALF, count=3)) > plain
    assert floor.evidence(replace(HALF, count=1)) < plain - 1
    assert floor.evidence(replace(HALF, length=2_000)) < plain
    assert floor.evidence(replace(HALF, size=5_000)) < plain
    assert floor.evidence(replace(HALF, size=10_000_000)) == (
        floor.evidence(replace(HALF, size=1_000_000))
    )
    assert floor.evidence(replace(HALF, stranger=True)) < plain


def test_a_question_without_blanks_is_weighed_by_what_it_comes_apart_into() -> None:
    long = replace(HALF, unspaced=True, breadth=60, whole=0.3, unknown=0.6)

    # A share of many pairs is worth more than the same share of few words.
    assert floor.evidence(long) - floor.evidence(replace(long, breadth=10)) > (
        floor.evidence(replace(long, unspaced=False))
        - floor.evidence(replace(long, unspaced=False, breadth=10))
    )
    with store("松鸦是鸦科的鸟。", "The parser keeps the field.") as db:
        kinds = [parse(db, text).unspaced for text in ("松鸦属于什么科目", "a parser 的 field")]

    assert kinds == [True, False]


def test_what_tells_more_than_words_is_evidence() -> None:
    plain = floor.evidence(HALF)
    better: list[dict[str, Any]] = [
        {"named": True},
        {"content": 0.9},
        {"run": 4},
        {"row": 3},
        {"across": True},
    ]
    worse: list[dict[str, Any]] = [{"lost": True}, {"stranger": True}]
    unspaced = replace(HALF, unspaced=True)

    assert all(floor.evidence(replace(HALF, **each)) > plain for each in better)
    assert all(floor.evidence(replace(HALF, **each)) < plain for each in worse)
    # Of English the share of everything said holds what no record knows already.
    assert floor.evidence(replace(unspaced, unknown=0.5)) < floor.evidence(unspaced)
    assert floor.evidence(replace(HALF, unknown=0.5)) == plain


def test_one_character_of_two_is_no_evidence_unless_nothing_else_is_asked() -> None:
    with store("开端很顺利，大家都很高兴。", "路口的开端", "猫在屋顶上。") as db:
        port = found(db, "端口")
        start = found(db, "开端")
        cat = found(db, "猫")

    assert port == []
    assert start
    assert len(cat) == 1


def test_one_of_the_best_has_to_answer() -> None:
    poor = replace(HALF, whole=0.1, wording=0.1, title=0.0, closeness=0.0)
    enough = Floor(answer=floor.evidence(HALF))

    assert floor.answers([poor] * 4 + [HALF], enough)
    assert not floor.answers([poor] * 5 + [HALF], enough)
    assert not floor.answers([], enough)


def test_a_single_word_answers_only_as_a_good_part_of_the_question() -> None:
    enough = Floor(answer=0.0)
    lone = replace(HALF, count=1, content=0.3)

    assert floor.answers([replace(lone, whole=0.34)], enough)
    assert floor.answers([replace(lone, whole=0.3, content=0.34)], enough)
    assert not floor.answers([replace(lone, whole=0.3)], enough)
    assert floor.answers([replace(HALF, whole=0.3)], enough)


def test_company_needs_less_and_something_of_the_question() -> None:
    weak = replace(HALF, whole=0.2, wording=0.2, title=0.0)

    assert floor.passes(weak)
    assert not floor.passes(weak, Floor(company=99.0))
    assert not floor.passes(replace(weak, whole=0.0), Floor(company=-99.0))


def test_a_leg_is_heard_by_what_it_thinks_of_the_best() -> None:
    question = Ranking([Found(1, score=8.0), Found(2, score=4.0)], 1.0, "body")
    variant = Ranking([Found(2, score=3.0), Found(3, score=1.5)], 0.5, "body")
    cards = Ranking([Found(1, score=2.0)], 1.0, "card")

    assert relative([question, variant, cards], "body") == {1: 1.0, 2: 0.5, 3: 0.25}
    assert relative([question, variant, cards], "card") == {1: 1.0}
    assert relative([question], "exact") == {}


def test_a_question_that_names_a_stranger_needs_more() -> None:
    with store("Melanie and her kids painted a sunset.", "Tim watched a series.") as db:
        known = parse(db, "When did Melanie paint it?")
        stranger = parse(db, "When did Joanna paint it?")
        shouted = parse(db, "When Did Joanna Paint")

    assert [each.telling.stranger for each in (known, stranger, shouted)] == [False, True, False]


def test_a_question_in_another_language_is_answered_by_the_names_it_shares() -> None:
    texts = [f"The parser of the client keeps the field number {n}." for n in range(30)]
    with store(*texts) as db:
        wanted = put(db, "The gateway of ACME-77 is owned by the platform team.").id

        named = found(db, "谁负责 ACME-77 的网关？")
        nameless = found(db, "谁负责支付平台的网关？")
        english = found(db, "Who owns the ACME-77 gateway?")

    assert named == [wanted]
    assert nameless == []
    assert english[0] == wanted


def test_two_characters_that_are_no_word_do_not_weaken_a_question() -> None:
    with store("松鸦是鸦科的鸟。", "它属于什么科目，大家都知道。") as db:
        asked = parse(db, "松鸦属于什么科目")
        forms = {form for concept in asked.concepts for form in concept.forms}

    assert {"松鸦", "属于", "科目"} <= forms
    assert "鸦属" not in forms


def test_a_long_number_and_a_day_are_found_word_for_word() -> None:
    with store("Deep in the log stands 40086.", "It was moved on 2027-02-15.") as db:
        number = ask(db, "where does 40086 come from?").hits
        day = ask(db, "What happened on 2027-02-15?").hits
        year = ask(db, "What happened in 2031?").hits

    assert [hit.matched_in for hit in number] == ["exact"]
    assert [hit.matched_in for hit in day] == ["exact"]
    assert year == ()


def test_wordings_that_agree_confirm_a_record() -> None:
    with store() as db:
        both = put(db, "The harbour crane is greased by the night watch.").id
        put(db, "The harbour office opens at nine and closes at five on weekdays.")
        variants = ("harbour crane machine", "crane upkeep")

        answer = ask(db, "who maintains lifting gear", variants=variants, explain=True)
        alone = ask(db, "who maintains lifting gear", variants=variants[:1], explain=True)

    assert answer.hits[0].id == both
    parts, fewer = answer.hits[0].parts, alone.hits[0].parts
    assert parts is not None
    assert fewer is not None
    assert parts["coverage"] > fewer["coverage"]


def test_a_match_with_a_rephrasing_is_worth_less_than_one_with_the_question() -> None:
    with store("The harbour crane is greased by the night watch.") as db:
        asked = ask(db, "harbour crane", explain=True).hits[0].parts
        varied = ask(db, "giraffe", variants=("harbour crane",), explain=True).hits[0].parts

    assert asked is not None
    assert varied is not None
    assert varied["coverage"] == pytest.approx(VARIANT * asked["coverage"])
    assert 0 < varied["body"] < asked["body"]
