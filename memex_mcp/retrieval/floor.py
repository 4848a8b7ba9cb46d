"""When the matches are too thin to be an answer.

Single common words match something in any store, so a search for what is not there would
always come back with something.  The floor asks for evidence that does not depend on what
else was found: one hit at least has to have it, or there is no answer.

The numbers were fitted by logistic regression on eight public sets in English and Chinese,
each asked its own questions and those of the others: at this floor fifteen of a hundred
foreign questions are answered, and three of a hundred own ones are not.
"""

from collections.abc import Iterable
from math import log1p, sqrt

from memex_mcp.retrieval.evidence import Coverage

ANSWER = 0.85
"""Evidence that the best hit needs."""

COMPANY = 0.4
"""Evidence that the others need."""

WHOLE = 0.6
"""Share of a question that is enough by itself, however short the question."""

LONE = 0.33
"""Share of the question that a single word has to be to count as an answer."""

_PER_WORD = 0.174
_MOST_WORDS = 10
_CLOSENESS = 1.96
_TITLE = 0.97
_LENGTH = 0.053


def evidence(coverage: Coverage) -> float:
    """How much speaks for a candidate; long texts hold anybody's words and count for less."""
    return (
        coverage.whole
        + _PER_WORD * min(coverage.count, _MOST_WORDS)
        + _CLOSENESS * coverage.closeness
        + _TITLE * sqrt(max(coverage.title, coverage.alias, coverage.question))
        - _LENGTH * log1p(coverage.length)
    )


def answers(coverages: Iterable[Coverage]) -> bool:
    """Whether one of the candidates is reason enough to answer."""
    return any(
        each.whole >= WHOLE or (evidence(each) >= ANSWER and (each.count > 1 or each.whole >= LONE))
        for each in coverages
    )


def reachable(whole: float, count: int) -> bool:
    """Whether a candidate could be an answer that holds no more of the question than this."""
    return whole >= LONE or count > 1


def passes(coverage: Coverage) -> bool:
    """Whether a candidate may be shown in an answer."""
    return coverage.whole > 0 and (coverage.whole >= WHOLE or evidence(coverage) >= COMPANY)
