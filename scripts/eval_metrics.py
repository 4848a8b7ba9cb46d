"""Measures over gold groups: is the labelled evidence among the first hits?

Gold is a list of groups.  A group is one piece of evidence and names the records that are
equally good for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import log2

DEPTH = 10
CUTS = (1, 5, 10)
NAMES = (
    *(f"{name}@{cut}" for name in ("any", "all", "recall") for cut in CUTS),
    "mrr@10",
    "ndcg@10",
)

Gold = Sequence[Sequence[str]]
Figures = Mapping[str, float]


def score(ranked: Sequence[str], gold: Gold) -> dict[str, float]:
    """Measure one answer.

    Args:
        ranked: Records, best first; only the first ten count, and each of them once.
        gold: At least one group.

    Returns:
        ``any@k``: some evidence among the first k; ``all@k``: all of it; ``recall@k``: which
        share of it; ``mrr@10``: one over the place of the first; ``ndcg@10``: gain where a
        place brings new evidence, discounted by place, over that of the best order.
    """
    found: set[int] = set()
    held = [0]
    places: list[int] = []
    for place, name in enumerate(list(dict.fromkeys(ranked))[:DEPTH], start=1):
        new = {number for number, group in enumerate(gold) if name in group} - found
        if new:
            found |= new
            places.append(place)
        held.append(len(found))
    told: dict[str, float] = {}
    for cut in CUTS:
        hits = held[min(cut, len(held) - 1)]
        told[f"any@{cut}"] = float(hits > 0)
        told[f"all@{cut}"] = float(hits == len(gold))
        told[f"recall@{cut}"] = hits / len(gold)
    told["mrr@10"] = 1 / places[0] if places else 0.0
    ideal = _gain(range(1, min(len(gold), DEPTH) + 1))
    told["ndcg@10"] = min(1.0, _gain(places) / ideal)
    return told


def first_place(ranked: Sequence[str], gold: Gold) -> int:
    """Place of the first evidence among the first ten; 0 when there is none."""
    wanted = {name for group in gold for name in group}
    for place, name in enumerate(list(dict.fromkeys(ranked))[:DEPTH], start=1):
        if name in wanted:
            return place
    return 0


def of_places(places: Sequence[int]) -> dict[str, float]:
    """The measures that need no more than the place of the first evidence."""
    count = len(places) or 1
    told = {f"any@{cut}": sum(0 < place <= cut for place in places) / count for cut in CUTS}
    told["mrr@10"] = sum(1 / place for place in places if place) / count
    return told


def mean(rows: Sequence[Figures]) -> dict[str, float]:
    """Means of all measures that the first row has; none of no rows."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]} if rows else {}


def evenly(count: int, wanted: int) -> list[int]:
    """At most ``wanted`` positions out of ``count``, evenly spaced from the first on."""
    if count <= wanted:
        return list(range(count))
    step = count / wanted
    return [int(number * step) for number in range(wanted)]


def _gain(places: Iterable[int]) -> float:
    return sum(1 / log2(place + 1) for place in places)
