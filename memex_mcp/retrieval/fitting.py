"""Which excerpts share the budget of a page, and how long each may be.

Sizes are tokens; a page is its excerpts one after the other, so their costs add up.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isnan

from memex_mcp.errors import Unavailable
from memex_mcp.llm.ports import Reranker
from memex_mcp.model.kinds import CURRENT
from memex_mcp.model.window import Excerpt
from memex_mcp.retrieval.diversify import Said, order
from memex_mcp.retrieval.evidence import terms_of
from memex_mcp.retrieval.excerpts import LONGEST, Source, block
from memex_mcp.text import tokens
from memex_mcp.text.fence import defused
from memex_mcp.values import dataclass

HIT = "hit"

SIZES = (120, 240, 480, LONGEST)
"""Tokens of each excerpt; the greatest at which all that fit at the first still fit."""

_SLACK = 8
_SHORTEST = 60
_CHEAPEST = 40


@dataclass(frozen=True, slots=True)
class Chosen:
    """What fits, in order, and how many of the others do not."""

    sources: tuple[Source, ...]
    excerpts: tuple[Excerpt, ...]
    left_out: int


def fitting(residents: Sequence[Source], hits: Sequence[Source], room: int, share: int) -> Chosen:
    """What fits at the smallest size: residents within their share, then every hit that does.

    What says the same as something before it is shown once.
    """
    chosen: list[tuple[Source, Excerpt]] = []
    left, theirs, out = room, room // share, 0
    for position, source in enumerate(residents):
        if theirs < _CHEAPEST:
            out += len(residents) - position
            break
        excerpt = source.excerpt(SIZES[0])
        if _repeats(source, excerpt, chosen):
            continue
        cost = _cost(excerpt)
        if cost > theirs:
            out += 1
            continue
        chosen.append((source, excerpt))
        left, theirs = left - cost, theirs - cost
    for source in hits:
        excerpt = source.excerpt(SIZES[0])
        if _repeats(source, excerpt, chosen):
            continue
        cost = _cost(excerpt)
        if cost > left:
            excerpt = source.excerpt(left - _cost(replace(excerpt, text="")) - _SLACK)
            cost = _cost(excerpt)
        if cost > left or (excerpt.more and len(excerpt.text) < _SHORTEST):
            out += 1
            continue
        chosen.append((source, excerpt))
        left -= cost
    return Chosen(tuple(one for one, _ in chosen), tuple(two for _, two in chosen), out)


def _repeats(source: Source, excerpt: Excerpt, chosen: Iterable[tuple[Source, Excerpt]]) -> bool:
    """Whether the record is there already, or nothing new would be read in its excerpt."""
    new = _said(source, excerpt)
    return any(
        source.record.id == other.record.id or len(order([_said(other, shown), new], limit=2)) == 1
        for other, shown in chosen
    )


def _said(source: Source, excerpt: Excerpt) -> Said:
    stale = source.expired or source.record.status not in CURRENT
    return Said(source.record, terms_of(excerpt.text), whole=True, stale=stale)


def grown(chosen: Chosen, room: int) -> Chosen:
    """The same records, all with the longest excerpts of one size that fit."""
    for size in SIZES[1:]:
        longer: list[Excerpt] = []
        left = room
        for source in chosen.sources:
            longer.append(source.excerpt(size))
            left -= _cost(longer[-1])
            if left < 0:
                return chosen
        chosen = replace(chosen, excerpts=tuple(longer))
    return chosen


def reranked(chosen: Chosen, question: str, reranker: Reranker) -> Chosen:
    """The same excerpts, hits in the order of a model; it can neither add nor drop one.

    Raises:
        Unavailable: The model failed.
    """
    first = [each for each in chosen.excerpts if each.why != HIT]
    hits = [each for each in chosen.excerpts if each.why == HIT]
    scores = reranker.rank(question, [each.text for each in hits]) if hits else ()
    if len(scores) != len(hits):
        raise Unavailable("the reranker gave another number of scores")
    worst = [(isnan(each), -each) for each in scores]
    places = sorted(range(len(hits)), key=worst.__getitem__)
    return replace(chosen, excerpts=(*first, *(hits[place] for place in places)))


def _cost(excerpt: Excerpt) -> int:
    # The number of an excerpt never has more digits than this one.
    return tokens.count(f"{defused(block(99, excerpt))}\n").tokens
