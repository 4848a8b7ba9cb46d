"""How the index is asked, so that common words cost little.

Ranking by bm25 costs most for each row that it ranks, merely reading which rows hold a word
costs a fiftieth of that.  Where many rows would have to be ranked, every row that holds a
rare word counts, and a common word counts only beside another word of the question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import log

from memex_mcp.store.search import MOST, Part
from memex_mcp.values import dataclass

ALONE = 1_200
"""Rows that words may have together to be found by a single one of them."""

AMPLE = 2_000
"""Rows that the rarest four of them may have."""

ENOUGH = 4
"""Words so rare that no others are needed; bm25 ranks what they find."""

COST = 2_000.0
"""Microseconds that the common words may cost, as estimated."""

LONE = 500
"""Rows that words may have together to count by themselves where not all can be ranked."""

RARE = 48
"""Rows that the rarest words have together before the others need company."""

SPARED = 150
"""Rows that it has to spare to rank none that holds a single common word."""

FEW = 16
"""Records that are found at least, if need be by asking for every word by itself."""

_REST = 4
_MOST_JOINT = 6
_MOST_LEFT_OUT = 4
# Microseconds for reading that a row holds a word, and for keeping a row that was found.
_READ = 0.035
_KEPT = 0.35


@dataclass(frozen=True, slots=True)
class Plan:
    """How the index is asked.

    Attributes:
        parts: Matches; a single one is ranked by bm25.
        enough: With fewer records than that the rest is asked for.
        rest: Matches that find more; empty where there is no more to find.
    """

    parts: tuple[Part, ...] = ()
    enough: int = 0
    rest: tuple[Part, ...] = ()


def plan(terms: Sequence[str], counts: Mapping[str, int], size: int) -> Plan:
    """Choose the matches that find what a question asks for.

    Args:
        terms: Terms to search by, the rarest first.
        counts: In how many rows each occurs.
        size: How many rows there are.
    """
    if not terms:
        return Plan()
    ample = _cheapest(terms, counts)
    if len(ample) >= min(ENOUGH, len(terms)):
        return _ranked(ample, counts)
    parts = _summed(terms, counts, size) if len(terms) > 1 else _lone(terms[0], counts)
    if any(part.newest for part in parts):
        # Most that the caller may see can be older than the newest of the store.
        return Plan(parts, FEW, tuple(replace(part, newest=False) for part in parts))
    return Plan(parts, 1, (Part(any_of(terms[:_REST])),)) if len(parts) > 1 else Plan(parts)


def _ranked(terms: Sequence[str], counts: Mapping[str, int]) -> Plan:
    """One match by any of the terms, ranked by bm25."""
    every = any_of(terms)
    among = _in_company(terms, counts)
    return Plan((Part(every, among=among),), FEW, (Part(every),)) if among else Plan((Part(every),))


def _lone(term: str, counts: Mapping[str, int]) -> tuple[Part, ...]:
    """One match by a single word, however common, ranked by bm25."""
    return (Part(any_of([term]), newest=counts[term] > MOST),)


def _summed(terms: Sequence[str], counts: Mapping[str, int], size: int) -> tuple[Part, ...]:
    """Many matches, each worth as much as its term is rare."""
    alone = terms[: _within(terms, counts, LONE)]
    # A character of an unspaced script tells little beside the pairs that hold it.
    common = [term for term in terms[len(alone) :] if len(term) > 1 or not alone]
    if not common:
        return (Part(any_of(alone)),)
    joint: list[str] = []
    for term in common[:_MOST_JOINT]:
        enough = len(joint) > 1 or bool(alone)
        if enough and _cost(alone, [*joint, term], counts, size) > COST:
            break
        joint.append(term)
    chosen = [*alone, *joint]
    worth = {term: log((size + 1) / (counts[term] + 0.5)) + 0.1 for term in terms}
    rarest = all_of(chosen[:2])
    if len(chosen) == len(joint) == 2:
        # Rows that hold one beside the other are the same from either end.
        both = worth[joint[0]] + worth[joint[1]]
        found = [Part(rarest, both, newest=counts[joint[0]] > MOST)]
    else:
        found = [Part(f'"{term}"', worth[term]) for term in alone]
        for term in joint:
            others = any_of([other for other in chosen if other != term])
            match = f'"{term}" AND ({others})'
            found.append(Part(match, worth[term], newest=counts[term] > MOST))
    if _expected(alone, joint, counts, size) > FEW:
        left_out = common[len(joint) :][:_MOST_LEFT_OUT]
        many = counts[chosen[0]] > MOST
        found += [Part(f'"{term}" AND {rarest}', worth[term], newest=many) for term in left_out]
    return tuple(found)


def any_of(terms: Sequence[str]) -> str:
    """Match rows that hold one of the terms at least."""
    return " OR ".join(f'"{term}"' for term in terms)


def all_of(terms: Sequence[str]) -> str:
    """Match rows that hold every term."""
    return " AND ".join(f'"{term}"' for term in terms)


def _in_company(terms: Sequence[str], counts: Mapping[str, int]) -> str:
    """Match rows that hold a rare word, or two of the others; empty where that spares little."""
    position = min(_within(terms, counts, RARE) + 1, len(terms))
    common = terms[position:]
    if sum(counts[term] for term in common) < SPARED:
        return ""
    joint = [term for term in common if len(term) > 1][:_MOST_JOINT]
    pairs = [
        f'("{term}" AND ({any_of(joint[place:])}))' for place, term in enumerate(joint[:-1], 1)
    ]
    return " OR ".join([any_of(terms[:position]), *pairs])


def _cheapest(terms: Sequence[str], counts: Mapping[str, int]) -> Sequence[str]:
    ample = _within(terms, counts, AMPLE)
    return terms[: min(ample, max(ENOUGH, _within(terms, counts, ALONE)))]


def _within(terms: Sequence[str], counts: Mapping[str, int], most: int) -> int:
    """How many of the rarest terms have so many rows together at most."""
    rows = 0
    for position, term in enumerate(terms):
        rows += counts[term]
        if rows > most:
            return position
    return len(terms)


def _cost(
    alone: Sequence[str], joint: Sequence[str], counts: Mapping[str, int], size: int
) -> float:
    """Estimate as if words stood together by chance only."""
    read = sum(counts[term] for term in (*alone, *joint))
    kept = sum(counts[term] * min(1.0, (read - counts[term]) / (size or 1)) for term in joint)
    return _READ * read * len(joint) + _KEPT * kept


def _expected(
    alone: Sequence[str], joint: Sequence[str], counts: Mapping[str, int], size: int
) -> float:
    """How many rows are found, as if words stood together by chance only."""
    by_themselves = sum(counts[term] for term in alone)
    pairs = sum(counts[one] * counts[two] for one, two in combinations(joint, 2))
    return by_themselves + pairs / (size or 1)
