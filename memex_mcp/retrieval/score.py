"""Candidates in, scores out."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memex_mcp.retrieval import floor, legs
from memex_mcp.retrieval.dates import Range, closeness
from memex_mcp.retrieval.evidence import Candidate, Coverage, cover
from memex_mcp.retrieval.floor import DEFAULT as FLOOR
from memex_mcp.retrieval.floor import Floor
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
from memex_mcp.values import dataclass

AGREEMENT = 0.5
"""What each other wording adds to the share of the question that a record holds."""

VARIANT = 0.8
"""What a match with a rephrasing is worth beside one with the question itself."""


@dataclass(frozen=True, slots=True)
class Given:
    """What the legs think of one record, each 0 to 1; ``exact`` is the share held verbatim."""

    card: float = 0.0
    body: float = 0.0
    exact: float = 0.0


def above_floor(scored: Sequence[Scored], enough: Floor = FLOOR) -> list[Scored]:
    """Those with enough evidence; none when not even the best have enough for an answer.

    What holds a phrase or identifier of the question word for word always has.

    Args:
        scored: Best first.
        enough: The floor.
    """
    coverages = [each.coverage for each in scored]
    if not any(each.exact for each in scored) and not floor.answers(coverages, enough):
        return []
    return [each for each in scored if each.exact or floor.passes(each.coverage, enough)]


def answerable(wordings: Sequence[Asked], enough: Floor = FLOOR) -> bool:
    """Whether the index holds enough of a question for any record to be above the floor."""
    return any(asked.known and (asked.exact or _reachable(asked, enough)) for asked in wordings)


def _reachable(asked: Asked, enough: Floor) -> bool:
    held = asked.held(asked.known)
    named = bool(asked.telling.names)
    share = max(asked.portion(held), asked.content_share(held))
    return floor.reachable(share, asked.count(held), enough, named=named)


def rate(
    candidate: Candidate,
    wordings: Sequence[Asked],
    given: Given,
    *,
    at: datetime,
    said: Sequence[Range] = (),
    weights: Weights = DEFAULT,
) -> Scored:
    """Score one candidate by the wording that it answers best."""
    found, worth = _best(candidate, wordings)
    record = candidate.record
    features = Features(
        card=given.card,
        body=given.body,
        coverage=worth * found.whole,
        wording=worth * found.wording,
        closeness=worth * found.closeness,
        sentence=worth * found.sentence,
        title=worth * found.title,
        asked=worth * max(found.alias, found.question),
        exact=given.exact,
        date=closeness(said, record.times.observed_at, record.times.valid_from),
        subject=worth * found.subject,
        timed=worth * found.timed,
        recency=recency(record.kind, record.times.observed_at, at),
        usage=usage(record.opened_count),
        salience=record.salience,
        confidence=record.confidence,
    )
    return Scored(candidate, found, given.exact, parts_of(features, weights))


def _best(candidate: Candidate, wordings: Sequence[Asked]) -> tuple[Coverage, float]:
    rated = [
        (cover(asked, candidate), VARIANT if position else 1.0)
        for position, asked in enumerate(wordings)
    ]
    best, worth = max(rated, key=lambda each: each[0].whole * each[1])
    if len(rated) == 1:
        return best, worth
    # What other wordings find in the same record confirms it.
    others = [each for each, _ in rated if each is not best]
    whole = best.whole + AGREEMENT * sum([each.whole for each in others])
    wording = best.wording + AGREEMENT * sum([each.wording for each in others])
    return replace(best, whole=min(1.0, whole), wording=min(1.0, wording)), worth


def with_neighbours(
    db: sqlite3.Connection,
    scored: Sequence[Scored],
    sight: Sight,
    weights: Weights = DEFAULT,
    strange: Collection[int] = (),
) -> list[Scored]:
    """Add what each gains from its neighbours in the session; best first.

    Rows in ``strange``, which the meaning brought in, lend nothing: the scores of the others
    must not depend on it.
    """
    records = {each.candidate.n: each.candidate.record for each in scored}
    near = legs.beside(db, records, sight)
    lenders = [each for each in scored if each.candidate.n not in strange]
    # What stands word for word in a record says nothing about those beside it.
    scores = {each.candidate.n: each.score - each.parts["exact"] for each in lenders}
    gains = from_neighbours(scores, near, weights)
    ranked = [
        replace(each, parts={**each.parts, "neighbour": gains[each.candidate.n]})
        if each.candidate.n in gains
        else each
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
