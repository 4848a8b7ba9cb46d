"""A store in memory with vectors, and how it is asked with a model."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memex_mcp.llm.unrelated import noise_of
from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Query, SearchAnswer
from memex_mcp.retrieval.aids import Aids, Meaning
from memex_mcp.retrieval.recall import recall
from memex_mcp.retrieval.tuning import DEFAULT, Tuning
from memex_mcp.store import vectors
from memex_mcp.store.vectors import Noise, Space
from tests.llm.offline import Concepts, Words
from tests.make import NOON, make_caller

MODEL = Concepts()


def space_of(model: Words) -> Space:
    return Space(model.name, model.dimensions)


def embed(db: sqlite3.Connection, model: Words = MODEL) -> None:
    """Give every chunk its vector, and the space its noise."""
    space = space_of(model)
    pieces = vectors.pending(db, space, 10_000)
    vectors.claim(db, space, Noise(*noise_of(model)))
    vectors.put(db, space, pieces, {each.content: model.vector(each.text) for each in pieces})


def place(db: sqlite3.Connection, space: Space, points: Mapping[str, Sequence[float]]) -> None:
    """Put the chunks whose text ends so where a test wants them; noise is 0 ± 0.1."""
    pieces = vectors.pending(db, space, 10_000)
    vectors.claim(db, space, Noise(0.0, 0.1))
    made = {
        each.content: point
        for each in pieces
        for end, point in points.items()
        if each.text.endswith(end)
    }
    vectors.put(db, space, [each for each in pieces if each.content in made], made)


def ask(
    db: sqlite3.Connection,
    text: str,
    caller: Caller | None = None,
    *,
    model: Words = MODEL,
    tuning: Tuning = DEFAULT,
    **over: Any,
) -> SearchAnswer:
    """Search at noon as an agent of workspace ``w1``, with the question's meaning."""
    aids = Aids(Meaning(space_of(model), model.vector(text)))
    query = replace(Query(text=text), **over)
    return recall(db, query, caller or make_caller(), NOON, tuning, aids)


def ids(answer: SearchAnswer) -> list[str]:
    return [hit.id for hit in answer.hits]
