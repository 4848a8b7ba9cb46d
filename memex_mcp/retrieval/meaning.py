"""What records mean joins in with what words found, and takes nothing away."""

import math
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from memex_mcp.errors import Unavailable
from memex_mcp.llm.ports import Reranker
from memex_mcp.retrieval import blend
from memex_mcp.retrieval.aids import Meaning
from memex_mcp.retrieval.dense import Near, nearest
from memex_mcp.retrieval.fuse import Found
from memex_mcp.retrieval.hits import Scored
from memex_mcp.store import vectors
from memex_mcp.store.visible import Sight
from memex_mcp.values import dataclass

LEG = "dense"
"""The leg, and what a record gains by it among the parts of its score."""

Order = Callable[[Sequence[Scored]], list[Scored]]
"""Sorts out what is said twice, and lets sessions take turns; best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """How similar a record has to be to be shown for its meaning alone.

    In standard deviations above the similarity of texts that have nothing in common, since
    every model has a scale of its own.

    Attributes:
        answer: For one record, or there is no answer, unless words give one.
        company: For any record of an answer.
        answer_across: The first, for a question in another language than the store's, which
            hardly a word can answer.
        company_across: The second, likewise.
    """

    answer: float = 4.0
    company: float = 1.5
    answer_across: float = 1.25
    company_across: float = 0.5

    def floor(self, *, across: bool) -> tuple[float, float]:
        """What an answer needs, and what its company."""
        if across:
            return self.answer_across, self.company_across
        return self.answer, self.company


DEFAULT = Similar()


@dataclass(frozen=True, slots=True)
class Worded:
    """What words alone make of a question.

    Attributes:
        ranked: Every candidate, best first.
        strange: Rows of those that the meaning brought in.
        passed: Those above the floor, of what words found.
        best: The page as it would be without a model.
    """

    ranked: Sequence[Scored]
    strange: Collection[int]
    passed: Sequence[Scored]
    best: Sequence[Scored]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The records nearest to a question.

    Attributes:
        near: Nearest first.
        answer: Similarity from which one of them is an answer by itself.
        company: Similarity from which it may stand in an answer.
    """

    near: Sequence[Near]
    answer: float
    company: float

    def beside(self, known: Collection[int], most: int) -> list[Found]:
        """Those of the nearest that may be shown and are not known yet, by their nearest chunk."""
        return [
            Found(each.n, each.start, each.stop)
            for each in self.near[:most]
            if each.n not in known and each.similarity >= self.company
        ]

    def shown(self, *, answered: bool) -> set[int]:
        """Rows that may be shown for their meaning, if words ``answered`` or if not."""
        if not answered and not any(each.similarity >= self.answer for each in self.near):
            return set()
        return {each.n for each in self.near if each.similarity >= self.company}


def around(
    db: sqlite3.Connection, meaning: Meaning, sight: Sight, floor: tuple[float, float]
) -> Neighbourhood | None:
    """What lies near a question; None when that cannot be told now.

    Args:
        db: Snapshot to read.
        meaning: The question.
        sight: What may be found at all.
        floor: Standard deviations above the noise that an answer and its company need.
    """
    if meaning.vector is None:
        return None
    try:
        noise = vectors.noise(db, meaning.space)
        near = nearest(db, meaning.vector, meaning.space, sight)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            raise
        return None
    # While nobody knows what similarity means, none is enough.
    least = [noise.above(each) if noise else math.inf for each in floor]
    return Neighbourhood(near, *least)


def joined(
    worded: Worded, there: Neighbourhood, weight: float, limit: int, order: Order
) -> list[Scored]:
    """The page of words and the neighbourhood as one, best first.

    Every hit of words keeps its score at least, and its part of the first ``limit`` places.
    """
    meant = there.shown(answered=bool(worded.best))
    scores = {_row(each): each.score for each in worded.ranked}
    lexical = scores.keys() - worded.strange
    gained = blend.gains(scores, lexical, there.near, weight)
    page = {_row(each) for each in worded.best}
    repeated = {_row(each) for each in worded.passed} - page
    shown = [
        _lifted(each, gained)
        for each in worded.ranked
        if _row(each) in page or (_row(each) in meant and _row(each) not in repeated)
    ]
    shown.sort(key=lambda each: (-each.score, each.candidate.record.id))
    return guarded(order(shown), [_lifted(each, gained) for each in worded.best], limit)


def reranked(
    hits: Sequence[Scored], best: Sequence[Scored], question: str, reranker: Reranker, limit: int
) -> list[Scored]:
    """Hits in the order of a reranker, which pushes none that words found off the page.

    Raises:
        Unavailable: The reranker cannot be used, or answered something else.
    """
    first, rest = hits[: 2 * limit], hits[2 * limit :]
    texts = [f"{each.candidate.record.card.title}\n{each.candidate.text}" for each in first]
    try:
        order = blend.reranked([*map(_row, first)], reranker.rank(question, texts))
    except (TypeError, ValueError) as error:
        raise Unavailable("the reranker answered something else") from error
    rows = {_row(each): each for each in first}
    return guarded([*(rows[n] for n in order), *rest], best, limit)


def guarded(hits: Sequence[Scored], best: Sequence[Scored], limit: int) -> list[Scored]:
    """Hits with those of the page of words that have to stay in the first places."""
    rows: Mapping[int, Scored] = {_row(each): each for each in (*best, *hits)}
    exact = [_row(each) for each in best if each.exact]
    rules = blend.rule_hits([*map(_row, best)], exact, limit)
    return [rows[n] for n in blend.guard([*map(_row, hits)], rules, limit)]


def _lifted(scored: Scored, gained: Mapping[int, float]) -> Scored:
    return replace(scored, parts={**scored.parts, LEG: gained.get(_row(scored), 0.0)})


def _row(scored: Scored) -> int:
    return scored.candidate.n
