"""Candidates in, scores out."""

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime

from memex_mcp.retrieval import floor, legs
from memex_mcp.retrieval.evidence import Candidate, Coverage, cover
from memex_mcp.retrieval.hits import Scored
from memex_mcp.retrieval.query import Asked
from memex_mcp.retrieval.rerank import (
    DEFAULT,
    Features,
    Weights,
    from_neighbours,
    parts_of,
    recency,
    usage,
)
from memex_mcp.store.visible import Sight

VARIANT = 0.8
"""What a match with a rephrasing is worth beside one with the question itself."""


def above_floor(scored: Sequence[Scored]) -> list[Scored]:
    """Those with enough evidence; none when not even the best has enough for an answer.

    What holds a phrase or identifier of the question word for word always has.
    """
    if not any(each.exact for each in scored) and not floor.answers(
        each.coverage for each in scored
    ):
        return []
    return [each for each in scored if each.exact or floor.passes(each.coverage)]


def answerable(wordings: Sequence[Asked]) -> bool:
    """Whether the index holds enough of a question for any record to be above the floor."""
    return any(
        asked.known
        and (asked.exact or floor.reachable(asked.share(asked.known), asked.count(asked.known)))
        for asked in wordings
    )


def rate(
    candidate: Candidate, wordings: Sequence[Asked], *, fused: float, exact: float, at: datetime
) -> Scored:
    """Score one candidate by the wording that it answers best."""
    found, worth = _best(candidate, wordings)
    record = candidate.record
    features = Features(
        fused=fused,
        coverage=worth * found.whole,
        wording=worth * found.wording,
        closeness=worth * found.closeness,
        title=worth * found.title,
        asked=worth * max(found.alias, found.question),
        exact=exact,
        recency=recency(record.kind, record.times.observed_at, at),
        usage=usage(record.opened_count),
        salience=record.salience,
        confidence=record.confidence,
    )
    return Scored(candidate, found, exact, parts_of(features))


def _best(candidate: Candidate, wordings: Sequence[Asked]) -> tuple[Coverage, float]:
    rated = [
        (cover(asked, candidate), VARIANT if position else 1.0)
        for position, asked in enumerate(wordings)
    ]
    return max(rated, key=lambda each: each[0].whole * each[1])


def with_neighbours(
    db: sqlite3.Connection, scored: Sequence[Scored], sight: Sight, weights: Weights = DEFAULT
) -> list[Scored]:
    """Add what each gains from its neighbours in the session; best first."""
    records = {each.candidate.n: each.candidate.record for each in scored}
    near = legs.beside(db, records, sight)
    gains = from_neighbours({each.candidate.n: each.score for each in scored}, near, weights)
    ranked = [
        Scored(
            each.candidate,
            each.coverage,
            each.exact,
            {**each.parts, "neighbour": gains.get(each.candidate.n, 0.0)},
        )
        for each in scored
    ]
    return sorted(ranked, key=lambda each: (-each.score, each.candidate.record.id))


def worth_of(wordings: Sequence[Asked]) -> Mapping[str, float]:
    """What it is worth to show each term: its rarity, halved for rephrasings."""
    worth: dict[str, float] = {}
    for position, asked in enumerate(wordings):
        share = 0.5 if position else 1.0
        for concept in asked.concepts:
            for form in concept.forms:
                worth[form] = max(worth.get(form, 0.0), share * concept.rarity)
    return worth
