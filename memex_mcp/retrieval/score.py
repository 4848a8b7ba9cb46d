"""Candidates in, the scored ones that pass the floor out."""

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


def rate(
    candidate: Candidate, wordings: Sequence[Asked], *, fused: float, exact: float, at: datetime
) -> Scored | None:
    """Score one candidate by the wording it answers best; None when it is below the floor."""
    coverage, worth = _best(candidate, wordings)
    if coverage is None and not exact:
        return None
    found = coverage or cover(wordings[0], candidate)
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


def _best(candidate: Candidate, wordings: Sequence[Asked]) -> tuple[Coverage | None, float]:
    best: Coverage | None = None
    best_worth = 0.0
    for position, asked in enumerate(wordings):
        worth = VARIANT if position else 1.0
        found = cover(asked, candidate)
        if not floor.passes(asked, found):
            continue
        if best is None or worth * found.whole > best_worth * best.whole:
            best, best_worth = found, worth
    return best, best_worth


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
