"""Activation along links: what belongs to a hit although it shares no word with the question."""

import sqlite3
from collections.abc import Mapping

from memex_mcp.store import associations
from memex_mcp.store.visible import Sight
from memex_mcp.values import dataclass

HOPS = 2
DECAY = 0.35

_FRONTIER = 100


@dataclass(frozen=True, slots=True)
class Associate:
    """A record that links lead to.

    Attributes:
        n: Its row.
        activation: What arrives there; of several ways the best one.
        via_n: Row of the seed that it comes from.
    """

    n: int
    activation: float
    via_n: int


def spread(
    db: sqlite3.Connection,
    seeds: Mapping[int, float],
    sight: Sight,
    *,
    hops: int = HOPS,
    decay: float = DECAY,
    most: int = 8,
) -> list[Associate]:
    """Follow the links of some records, both ways.

    What arrives after ``h`` hops is the seed's activation times the weights on the way times
    ``decay`` to the power of ``h``.  Ways compete, they never add up.  Contradictions and
    successions are not walked, and neither is anything through a record that the sight hides
    or that everything is linked to.

    Args:
        db: Snapshot to read in.
        seeds: Rows to start from, with their activation.
        sight: What may appear and conduct.
        hops: Links in a row; 0 finds nothing.
        decay: What one hop leaves over.
        most: How many to return.

    Returns:
        Best first, the newest of equals; no seed is among them.
    """
    found: dict[int, Associate] = {}
    frontier = {n: Associate(n, activation, n) for n, activation in seeds.items()}
    for _ in range(hops):
        # What cannot come among the best is not followed; no weight is above 1.
        least = _best(found)[most - 1].activation if len(found) >= most else 0.0
        frontier = {n: each for n, each in frontier.items() if each.activation * decay > least}
        frontier = _hop(db, frontier, sight, decay)
        for n, each in frontier.items():
            if n not in seeds and (n not in found or each.activation > found[n].activation):
                found[n] = each
    return _best(found)[:most]


def _hop(
    db: sqlite3.Connection, frontier: Mapping[int, Associate], sight: Sight, decay: float
) -> dict[int, Associate]:
    """Where one more link leads, by the best way."""
    if not frontier:
        return {}
    walked = {each.n: each for each in _best(frontier)[:_FRONTIER]}
    reached: dict[int, Associate] = {}
    for step in associations.beside(db, walked, sight):
        origin = walked[step.here]
        activation = origin.activation * step.weight * decay
        known = reached.get(step.there)
        if known is None or activation > known.activation:
            reached[step.there] = Associate(step.there, activation, origin.via_n)
    return reached


def _best(found: Mapping[int, Associate]) -> list[Associate]:
    return sorted(found.values(), key=lambda each: (-each.activation, -each.n))
