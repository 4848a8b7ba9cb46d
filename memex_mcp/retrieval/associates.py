"""What is linked to the hits takes the places that they leave."""

import sqlite3
from collections.abc import Sequence

from memex_mcp.retrieval.evidence import NO_COVERAGE, load
from memex_mcp.retrieval.fuse import Found
from memex_mcp.retrieval.hits import LINK, Scored
from memex_mcp.retrieval.spread import spread
from memex_mcp.store.visible import Sight

SEEDS = 5
"""Hits whose links are followed, the best."""


def associates(
    db: sqlite3.Connection,
    ranked: Sequence[Scored],
    sight: Sight,
    places: int,
    besides: frozenset[int] = frozenset(),
) -> list[Scored]:
    """Records that links lead to from the best hits, for the record that shares no word.

    Args:
        db: Snapshot to read.
        ranked: All hits, best first; none of them is returned again.
        sight: What may appear.
        places: How many there is room for.
        besides: Rows that are not wanted either: they say what a hit says.

    Returns:
        Best first, each scored below the last hit.
    """
    if places <= 0 or not ranked:
        return []
    best, least = ranked[0].score or 1.0, ranked[-1].score
    known = besides.union(each.candidate.n for each in ranked)
    seeds = {each.candidate.n: each.score / best for each in ranked[:SEEDS]}
    found = spread(db, seeds, sight, most=places + len(known))
    new = [each for each in found if each.n not in known][:places]
    reached = {each.n: each.activation for each in new}
    return [
        Scored(each, NO_COVERAGE, 0.0, {LINK: least * reached[each.n]})
        for each in load(db, [Found(n) for n in reached])
    ]
