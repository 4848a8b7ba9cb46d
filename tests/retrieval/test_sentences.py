"""A long question, sentence by sentence."""

import pytest

from memex_mcp.retrieval.query import ask as parse
from memex_mcp.retrieval.rerank import Weights
from memex_mcp.retrieval.sentences import LONG, sentences
from tests.card import card
from tests.retrieval.using import ask, put, store

ASIDE = (
    "今天天气真好，阳光明媚，公园里的湖水很清，鸭子游来游去，老奶奶在喂鸽子，画面温馨。"
    "昨天的电影情节精彩，结局出人意料，得再看一遍才行，朋友们都推荐过这部片子。"
)
POINT = "等等，我想问：网关的证书多久换一次？"


@card("recall.sentences")
def test_a_record_that_answers_one_sentence_beats_those_that_hold_words_of_all() -> None:
    with store() as db:
        wanted = put(db, "网关的证书一年换一次。").id
        for _ in range(3):
            put(db, "公园里的鸭子和鸽子，老奶奶在喂，昨天的电影情节精彩，朋友们推荐过，湖水很清。")

        answer = ask(db, ASIDE + POINT, explain=True)
        parts = {hit.id: hit.parts for hit in answer.hits}[wanted]
        short = ask(db, POINT, explain=True).hits[0].parts

    assert answer.hits[0].id == wanted
    assert parts is not None
    assert short is not None
    assert parts["sentence"] > 0.3 * Weights().sentence
    assert short["sentence"] == 0


def test_only_a_long_question_of_several_sentences_comes_apart() -> None:
    with store("网关的证书一年换一次。", "公园里的鸭子。") as db:
        asked = {
            text: parse(db, text) for text in (ASIDE + POINT, ASIDE.replace("。", "，"), POINT)
        }

    assert [len(each.concepts) >= LONG for each in asked.values()] == [True, True, False]
    assert [bool(each.sentences) for each in asked.values()] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("One gateway moved. Two gateways stayed? Yes", 2, id="blanks behind them"),
        pytest.param("gateway.example.com moved the gateway", 0, id="a name with dots"),
    ],
)
def test_a_sentence_ends_where_a_blank_follows_and_weighs_enough(text: str, count: int) -> None:
    wording = dict.fromkeys(("gateway", "gateways", "moved", "stayed", "two", "one"), 3.0)

    assert len(sentences(text, LONG, wording, {})) == count


def test_what_no_record_holds_does_not_weaken_a_sentence() -> None:
    wording = {"gateway": 5.0, "lantern": 8.0, "moved": 5.0}
    [known, _] = sentences("gateway lantern moved. gateway moved.", LONG, wording, {"lantern": 0})

    assert known.worth == {"gateway": 5.0, "moved": 5.0}
    assert known.answered(frozenset(known.worth), frozenset(known.worth)) == 1.0
    assert known.answered(frozenset({"gateway"}), frozenset({"gateway", "opens"})) == (
        pytest.approx((0.5 + 1 / 3) / 2)
    )
