"""Several rankings of the same records become one, to choose what is looked at closely."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from memex_mcp.store.search import Found
from memex_mcp.values import dataclass

__all__ = ["Found", "Ranking", "fuse", "places", "pool", "relative"]

K = 60
"""The larger, the less first place is worth over tenth."""

FIRSTS = 8
"""Of each leg so many are looked at closely, whatever the others say."""

COMPANY = 0.5
"""What a row gains in the choice from the better of those next to it.

Next to a good match stands what was said before and after, which is worth more close up, where
neighbours lend to each other.  Measured: recall@5 gains a point and more in two sets of single
turns and half a point in one of long chats; the others move by two tenths at most.  Twice as much
gives the same, and to ask two rows away adds nothing.
"""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one leg found, best first.

    Attributes:
        weight: How much the ranking counts beside the others.
        leg: Which leg it was.
    """

    found: Sequence[Found]
    weight: float = 1.0
    leg: str = ""


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


def relative(rankings: Sequence[Ranking], leg: str) -> dict[int, float]:
    """What one leg thinks of each record beside the best it found, 0 to 1.

    Of several wordings the one counts by which the record does best, weighted.
    """
    shares: dict[int, float] = {}
    for ranking in rankings:
        if ranking.leg != leg or not ranking.found:
            continue
        best = max([found.score for found in ranking.found]) or 1.0
        for found in ranking.found:
            share = ranking.weight * found.score / best
            if share > shares.get(found.n, 0.0):
                shares[found.n] = share
    return shares


def pool(rankings: Sequence[Ranking], fused: Mapping[int, float], size: int) -> list[int]:
    """The best of each leg, then the best of all: two poor places must not crowd out a first.

    Legs take turns, so that the wordings of the question share the places.  Of the others what
    stands beside a good one comes first.
    """
    if len(fused) <= size:
        return list(fused)
    turns = zip_longest(*(ranking.found[:FIRSTS] for ranking in rankings))
    firsts = (found.n for turn in turns for found in turn if found is not None)
    score = fused.get
    # Rows are numbered as they were written: this is how a session goes, without asking for it.
    worth = {
        n: own + COMPANY * max(score(n - 1, 0.0), score(n + 1, 0.0)) for n, own in fused.items()
    }
    others = sorted(worth, key=worth.__getitem__, reverse=True)
    return list(dict.fromkeys([*firsts, *others]))[:size]


def places(rankings: Sequence[Ranking], chosen: Sequence[int]) -> list[Found]:
    """Each record with the chunk that the first ranking knows of, and its share verbatim."""
    by_row = [{found.n: found for found in ranking.found} for ranking in rankings]
    placed = []
    for n in chosen:
        known = [rows[n] for rows in by_row if n in rows]
        first = next((found for found in known if found.stop), known[0])
        share = max(found.share for found in known)
        placed.append(Found(n, first.start, first.stop, share=share))
    return placed
