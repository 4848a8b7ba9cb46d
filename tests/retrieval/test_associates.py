"""A record that shares no word with the question is reached by its link, behind the hits."""

from dataclasses import replace

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Query, SearchAnswer
from memex_mcp.model.record import Draft
from memex_mcp.retrieval.tuning import DEFAULT

ZONES = ["amber", "birch", "cedar", "dune", "ebony", "fjord", "glade", "heath", "islet", "jetty"]


@pytest.fixture
def ids(memory: Memory, agent: Caller) -> dict[str, str]:
    """Pairs tied by a file that both name, each with a record that nothing ties to it."""
    written = {}
    for n, zone in enumerate(ZONES):
        file = f"`src/part{n}/boiler_{n}.py`"
        texts = {
            f"asked {n}": f"Everything in {zone} boils over when {file} is loaded twice.",
            f"tied {n}": f"Restarting helps, see {file}.",
            f"loose {n}": f"Restarting helps, see `docs/other{n}/page_{n}.md`.",
        }
        for name, text in texts.items():
            written[name] = memory.write(Draft(text=text), agent).id
    return written


def search(memory: Memory, agent: Caller, n: int, *, spread: bool = True) -> SearchAnswer:
    query = Query(text=f"the {ZONES[n]} zone", limit=8, max_tokens=9_000)
    return memory.search(query, agent, tuning=replace(DEFAULT, spread=spread))


def test_a_link_brings_what_no_word_finds(
    memory: Memory, agent: Caller, ids: dict[str, str]
) -> None:
    for n in range(len(ZONES)):
        hits = search(memory, agent, n).hits
        by_id = {hit.id: hit for hit in hits}

        assert hits[0].id == ids[f"asked {n}"]
        assert hits[0].via == "lexical"
        assert by_id[ids[f"tied {n}"]].via == "association"
        assert by_id[ids[f"tied {n}"]].matched_in == "association"
        assert ids[f"loose {n}"] not in by_id
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)


def test_without_it_words_alone_decide(memory: Memory, agent: Caller, ids: dict[str, str]) -> None:
    for n in range(len(ZONES)):
        hits = search(memory, agent, n, spread=False).hits

        assert hits[0].id == ids[f"asked {n}"]
        assert ids[f"tied {n}"] not in [hit.id for hit in hits]


def test_no_link_is_followed_from_nothing(
    memory: Memory, agent: Caller, ids: dict[str, str]
) -> None:
    answer = memory.search(Query(text="giraffe trombone"), agent)

    assert answer.hits == ()
    assert ids


def test_what_repeats_a_hit_does_not_come_back_by_its_link(memory: Memory, agent: Caller) -> None:
    text = "The parser of `src/lexer/scan_one.py` drops trailing white space in every file it reads"
    first = memory.write(Draft(text=f"{text}."), agent).id
    again = memory.write(Draft(text=f"{text} too."), agent).id
    other = memory.write(Draft(text="Ask Kim about `src/lexer/scan_one.py`."), agent).id

    hits = memory.search(Query(text="parser drops trailing white space"), agent).hits

    assert len({first, again} & {hit.id for hit in hits}) == 1
    assert [hit.via for hit in hits if hit.id == other] == ["association"]
