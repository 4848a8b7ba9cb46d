"""How the dense leg and a reranker join in without taking anything away.

Both only ever add: a record that words found keeps its score at least, and a part of the
window belongs to what words found, whatever a model says.
"""

import math
from collections.abc import Collection, Mapping, Sequence

from memex_mcp.errors import Unavailable
from memex_mcp.retrieval.dense import DEPTH, Near

WEIGHT = 0.4
"""What one standard deviation of similarity is worth in those of the lexical score.

Measured on paraphrases, code, notes, conversations and questions in the other language: each
gains from 0.3 on; single turns of a conversation like less of it, paraphrases more.
"""

SPREAD = 0.25
"""Least standard deviation that lexical scores are taken to have.

Two or three scores that happen to agree say nothing of how much scores differ; in a full list
it is 0.26 to 0.4.
"""


def gains(
    scores: Mapping[int, float],
    lexical: Collection[int],
    near: Sequence[Near],
    weight: float = WEIGHT,
) -> dict[int, float]:
    """What each candidate gains by its meaning; never less than nothing.

    Scores and similarities are brought to one scale by their standard deviations, each over
    the best 50.  The least similar of the list gains nothing, as does what is not in it.  What
    words did not find starts where the last record stands that they found, so that similarity
    alone decides between the two.

    Args:
        scores: Row number to lexical score, of every candidate.
        lexical: The candidates that words found.
        near: What the dense leg found, nearest first.
        weight: See :data:`WEIGHT`.

    Returns:
        Row number to gain, in the unit of the scores, of those candidates that gain.
    """
    # Loading it takes longer than a hook, which has no model, can spare.
    from statistics import pstdev

    found = sorted((scores[n] for n in lexical if n in scores), reverse=True)[:DEPTH]
    spread = max(pstdev(found) if found else 0.0, SPREAD)
    first = near[:DEPTH]
    lowest = min((each.similarity for each in first), default=0.0)
    deviation = _deviation([each.similarity for each in first])
    known = frozenset(lexical)
    gained: dict[int, float] = {}
    for each in first:
        if each.n in scores:
            lifted = 0.0 if each.n in known or not found else max(0.0, found[-1] - scores[each.n])
            gained[each.n] = lifted + weight * spread * (each.similarity - lowest) / deviation
    return {n: gain for n, gain in gained.items() if gain > 0}


def reranked(ordered: Sequence[int], scores: Sequence[float]) -> list[int]:
    """Put candidates in the order of a reranker's scores; equal ones stay as they were.

    Raises:
        Unavailable: There is not one finite score for each candidate.
    """
    if len(scores) != len(ordered) or not all(map(math.isfinite, scores)):
        raise Unavailable("the reranker answered something else")
    ranked = sorted(zip(scores, ordered, strict=True), key=lambda pair: -pair[0])
    return [n for _, n in ranked]


def rule_hits(lexical: Sequence[int], verbatim: Collection[int], limit: int) -> list[int]:
    """The hits that have to stay in the window, best first.

    All that hold a phrase or identifier of the question word for word, and of the rest the
    best by words up to half of the window.  Where the model is good that costs half a point of
    hits in ten at most; where it is hostile, ten still hold what words alone found in five.

    Args:
        lexical: Row numbers in the order that words alone give.
        verbatim: Those that hold it word for word.
        limit: Size of the window.
    """
    exact = frozenset(verbatim)
    literal = [n for n in lexical if n in exact]
    others = [n for n in lexical if n not in exact]
    half = max(1, limit // 2)
    return [*literal, *others[: max(0, half - len(literal))]][:limit]


def guard(ordered: Sequence[int], rules: Sequence[int], limit: int) -> list[int]:
    """Bring the rule hits into the first ``limit`` places, whatever the order was.

    One that stands behind takes the last place that belongs to no other rule hit; among
    themselves all keep the order given.  Nothing is lost.

    Args:
        ordered: Row numbers in the order that a model gave, best first.
        rules: Those that have to be in the window; one that the model left out comes back.
        limit: Size of the window.
    """
    every = list(dict.fromkeys([*ordered, *rules]))
    needed = frozenset(list(dict.fromkeys(rules))[:limit])
    free = limit - len(needed)
    inside: set[int] = set(needed)
    for n in every:
        if free > 0 and n not in needed:
            inside.add(n)
            free -= 1
    return [n for n in every if n in inside] + [n for n in every if n not in inside]


def _deviation(values: Sequence[float]) -> float:
    """Standard deviation; 1 where all values are the same, whose differences are 0 anyway."""
    if not values:
        return 1.0
    from statistics import fmean

    mean = fmean(values)
    return math.sqrt(fmean((value - mean) ** 2 for value in values)) or 1.0
