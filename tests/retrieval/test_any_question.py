"""Any string whatever is a question: it is answered or called empty, and never anything else."""

import pytest
from hypothesis import given, settings

from memex_mcp.errors import Invalid
from memex_mcp.model.kinds import State
from memex_mcp.retrieval import query
from memex_mcp.retrieval.render import render_search
from memex_mcp.text.words import query_terms
from tests.card import card
from tests.retrieval.using import ask, found, put, store
from tests.strategies import bodies

PORT = "The staging database listens on port 5433; NEAR the C:\\a\\b drive, E1234."


@card("query.any")
@pytest.mark.parametrize(
    "text",
    [
        '"',
        '""',
        '"unclosed port',
        "'; DROP TABLE record; --",
        "NEAR(staging port, 2)",
        "staging AND",
        "NOT port",
        "port*",
        "^staging",
        "title:port",
        "{title card}: port",
        "C:\\a\\b",
        "😀 port 👩\u200d👩\u200d👧",
        "port\x00staging",
        "\ud83d",
        "port \udc00",
        "“port”「staging」",
        "-port +staging ~database",
        "(((((port",
        "e\u0301" * 50,
        "p" * 100_000,
        "port " * 20_000,
        "数据库" * 30_000,
        "\\" * 1_000,
        "%_%",
        "?1 :name @x $y",
    ],
)
def test_no_question_breaks_a_search(text: str) -> None:
    with store(PORT) as db:
        answer = ask(db, text, variants=(text,), explain=True, open_top=True)

        assert answer.state in (State.OK, State.NO_MATCH)
        assert render_search(answer, nonce="0a1b2c3d")
        assert len(ask(db, "staging database port").hits) == 1


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\x00", "\u3000"])
def test_an_empty_question_is_refused(text: str) -> None:
    with store(PORT) as db:
        with pytest.raises(Invalid, match="empty"):
            ask(db, text)
        assert ask(db, text + "port").hits


@settings(max_examples=300)
@given(bodies(200), bodies(60))
def test_random_questions_never_fail(text: str, other: str) -> None:
    with store(PORT) as db:
        put(db, text)
        for asked in (text, other, f'"{other}"'):
            try:
                answer = ask(db, asked, variants=(other,), path=other, tags=(other,))
            except Invalid as error:
                assert "empty" in str(error)
            else:
                assert answer.state is not State.DEGRADED


def test_a_word_is_found_however_long_the_question_around_it_is() -> None:
    filler = " ".join(f"word{n}" for n in range(6_000))
    with store(PORT) as db:
        record = put(db, "The zeppelin-77 lands at noon.")

        long = f"{filler[:25_000]} zeppelin-77 {filler[25_000:]}"
        assert len(long) > 50_000
        assert found(db, long)[0] == record.id
        assert found(db, "zeppelin-77") == [record.id]


@card("query.bounded")
def test_a_search_is_made_with_the_rarest_words_and_with_few() -> None:
    with store(*[f"common word {n} and again common" for n in range(40)]) as db:
        put(db, "common zeppelin")

        asked = query.ask(db, "common zeppelin " + " ".join(f"word {n}" for n in range(40)))

        assert asked.searched[0] in ("zeppelin", "common", *map(str, range(40)))
        assert len(asked.searched) == query.MOST_TERMS
        assert "zeppelin" in asked.searched
        assert "absent" not in query.ask(db, "absent zeppelin").searched


def test_a_word_and_its_stem_are_one_concept() -> None:
    with store("He was running home.") as db:
        [running] = query.ask(db, "running").concepts
        phrase = query.ask(db, 'the "blue heron" of getUserById')

    assert set(running.forms) == set(query_terms("running"))
    assert len(running.forms) == 2
    assert phrase.exact == ("blue heron", "getuserbyid")
