"""When the matches are too thin to be an answer.

Single common words match something in any store, so a search for what is not there would
always come back with something.  The floor asks for evidence that does not depend on what
else was found: one of the best hits has to have it, or there is no answer.

The numbers were fitted by logistic regression on eleven public sets in English and Chinese,
each asked its own questions and those of the others; ``docs/recall.md`` has the curve.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log1p, sqrt

from memex_mcp.retrieval.evidence import Coverage

FIRST = 5
"""An answer rests on one of so many hits, the best."""

LONE = 0.33
"""Share of the question that a single word has to be to count as an answer."""

_WHOLE = 4.5
_WORDING = 6.0
_CLOSENESS = 6.0
_TITLE = 5.3
_PER_WORD = 0.8
_MOST_WORDS = 8
_ALONE = 1.7
_LENGTH = 0.3
_STRANGER = 1.5
_SIZE = 0.6
_USUAL_SIZE = 500
_LEAST_SIZE = 150
_MOST_SIZE = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """How much evidence is enough.

    Attributes:
        answer: For one of the best hits, or there is no answer.
        company: For any hit of an answer.
    """

    answer: float = 4.8
    company: float = -0.5


DEFAULT = Floor()


def evidence(coverage: Coverage) -> float:
    """How much speaks for a candidate.

    Long texts hold anybody's words, and the more there is in a store, the more of any
    question lies together somewhere by chance.
    """
    named = max(coverage.title, coverage.alias, coverage.question)
    return (
        _WHOLE * coverage.whole
        + _WORDING * coverage.wording
        + _CLOSENESS * coverage.closeness
        + _TITLE * sqrt(named)
        + _PER_WORD * min(coverage.count, _MOST_WORDS)
        - (_ALONE if coverage.count <= 1 else 0.0)
        - _LENGTH * log1p(coverage.length)
        - (_STRANGER if coverage.stranger else 0.0)
        - _SIZE * min(_MOST_SIZE, log((coverage.size + _LEAST_SIZE) / _USUAL_SIZE))
    )


def answers(coverages: Sequence[Coverage], floor: Floor = DEFAULT) -> bool:
    """Whether one of the best candidates is reason enough to answer; best first."""
    return any(
        evidence(each) >= floor.answer and (each.count > 1 or each.whole >= LONE)
        for each in coverages[:FIRST]
    )


def reachable(whole: float, count: int, floor: Floor = DEFAULT) -> bool:
    """Whether a candidate could be an answer that holds no more of the question than this."""
    return floor.answer <= 0 or count > 1 or whole >= LONE


def passes(coverage: Coverage, floor: Floor = DEFAULT) -> bool:
    """Whether a candidate may be shown in an answer."""
    return coverage.whole > 0 and evidence(coverage) >= floor.company
