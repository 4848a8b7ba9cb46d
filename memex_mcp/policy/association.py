"""Which notes belong together without anybody saying so: those that name the same rare thing.

A name that many records hold says nothing about any two of them, so it ties none: that is
what keeps ``README.md`` from being the middle of everything.
"""

from collections.abc import Mapping

from memex_mcp.model.kinds import CURRENT, Kind, Relation
from memex_mcp.model.record import Record
from memex_mcp.text.fold import fold
from memex_mcp.values import dataclass

HOLDERS = 12
"""A name that more records of one scope owner hold is common, and ties none of them."""

MOST = 24
"""Automatic links that one record has at most."""

ALIKE = 0.5
"""Share of common tags (Jaccard index) from which two records are related."""

# Spans and checkpoints repeat the names of a session in every turn, which would make all of
# them common.
_ARCHIVES = frozenset({Kind.SPAN, Kind.CHECKPOINT})
_ENTITY, _TAG = "=", "#"
_TAGGED = 0.6


@dataclass(frozen=True, slots=True)
class Tie:
    """Why two records belong together, and how much; the same from either end."""

    relation: Relation
    weight: float


def names(record: Record) -> frozenset[str]:
    """What ties a record to others: its entities and tags, each marked as what it is.

    Empty for what is not current, and for archives: these are tied to nothing.
    """
    if record.kind in _ARCHIVES or record.status not in CURRENT:
        return frozenset()
    card = record.card
    entities = (fold(each).replace("\\", "/").removeprefix("./") for each in card.entities)
    return frozenset({*(_ENTITY + each for each in entities), *(_TAG + tag for tag in card.tags)})


def tie(mine: frozenset[str], theirs: frozenset[str], rare: frozenset[str]) -> Tie | None:
    """What ties two records, the stronger of the two reasons; None when nothing does.

    A shared rare entity is worth 0.5, and up to 0.4 more the larger a part of all their
    entities they share.  Shared tags are worth 0.6 times their Jaccard index.
    """
    shared = mine & theirs
    if _count(_ENTITY, shared & rare):
        part = _count(_ENTITY, shared) / _count(_ENTITY, mine | theirs)
        return Tie(Relation.SAME_ENTITY, 0.5 + 0.4 * part)
    tags = _count(_TAG, shared)
    # Most pairs share one tag of several: the union is counted for the others only.
    if not tags or tags < ALIKE * _count(_TAG, mine):
        return None
    alike = tags / _count(_TAG, mine | theirs)
    return Tie(Relation.RELATED, _TAGGED * alike) if alike >= ALIKE else None


def strongest(ties: Mapping[int, Tie]) -> dict[int, Tie]:
    """The ties worth keeping of those that one record could have, the newest first of equals."""
    ranked = sorted(ties.items(), key=lambda item: (-item[1].weight, -item[0]))
    return dict(ranked[:MOST])


def _count(mark: str, marked: frozenset[str]) -> int:
    return sum([name[0] == mark for name in marked])
