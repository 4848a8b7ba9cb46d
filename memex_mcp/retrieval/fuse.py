"""Several rankings of the same records become one."""

from collections.abc import Sequence
from dataclasses import dataclass

K = 60
"""The larger, the less first place is worth over tenth."""


@dataclass(frozen=True, slots=True)
class Found:
    """One record as one leg found it.

    Attributes:
        n: Row number of the record.
        start: Where the matching chunk begins in the body, in characters.
        stop: Where it ends; 0 when the match lies outside the body.
        share: Share of the question's phrases and identifiers that stand there word for word.
    """

    n: int
    start: int = 0
    stop: int = 0
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one leg found, best first.

    Attributes:
        weight: How much the ranking counts beside the others.
    """

    found: Sequence[Found]
    weight: float = 1.0


def fuse(rankings: Sequence[Ranking], *, k: int = K) -> dict[int, float]:
    """Merge rankings by weighted reciprocal rank.

    A record gains ``weight / (k + rank)`` in every ranking that holds it, rank counting
    from 1.  The sum is divided by what first place everywhere would give.

    Returns:
        Row number to score, 0 to 1, best first.  Ties keep the order in which legs found
        them.

    Source:
        Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion Outperforms Condorcet and
        Individual Rank Learning Methods", SIGIR 2009; k = 60 is theirs.
    """
    best = sum(ranking.weight for ranking in rankings if ranking.found) / (k + 1)
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, found in enumerate(ranking.found, start=1):
            scores[found.n] = scores.get(found.n, 0.0) + ranking.weight / (k + rank) / best
    return dict(sorted(scores.items(), key=lambda item: -item[1]))
