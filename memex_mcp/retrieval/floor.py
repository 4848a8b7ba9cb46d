"""When the matches are too thin to be an answer.

Single common words match something in any store, so a search for what is not there would
always come back with something.  The floor asks for evidence that does not depend on what
else was found: one of the best hits has to have it, or there is no answer.

The numbers were fitted by logistic regression on thirteen public sets in English and Chinese,
each asked its own questions and, in each language, two thousand of the others;
``docs/recall.md`` has the curve.  Without blanks a question comes apart into other things than
words, so these have a second set of numbers for what they count.
"""

from collections.abc import Sequence
from math import log, log1p, sqrt

from memex_mcp.retrieval.evidence import Coverage
from memex_mcp.values import dataclass

FIRST = 5
"""An answer rests on one of so many hits, the best."""

LONE = 0.33
"""Share of the question that a single word has to be to count as an answer.

Of all of the question, or of what carries content in it: between question words and pairs that
lie across the border of two words, a name is less than a third of a short Chinese question.
"""

_NOTHING_ELSE = 0.95
_WORDING = 7.2
_TITLE = 6.9
_MOST_WORDS = 8
_MOST_CHARACTERS = 6
_PER_ROW = 0.76
_MOST_ROW = 4
_NAMED = 2.7
_MOST_CONCEPTS = 100
_ALONE = 0.9
_STRANGER = 2.8
_LOST = 2.1
_ACROSS = 1.5
_USUAL_SIZE = 500
_LEAST_SIZE = 150
_MOST_SIZE = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Worth:
    """What a question of one kind of script makes of what :class:`Coverage` counts."""

    whole: float
    closeness: float
    content: float
    per_word: float
    per_character: float
    per_concept: float
    length: float
    size: float
    besides: float
    unknown: float = 0.0


_SPACED = _Worth(
    whole=1.7,
    closeness=2.2,
    content=3.0,
    per_word=0.33,
    per_character=0.32,
    per_concept=0.0125,
    length=0.65,
    size=0.6,
    besides=-1.1,
)
_UNSPACED = _Worth(
    whole=4.4,
    closeness=2.7,
    content=3.9,
    per_word=0.2,
    per_character=0.27,
    per_concept=0.047,
    length=1.45,
    size=0.7,
    besides=1.45,
    unknown=2.5,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """How much evidence is enough.

    Attributes:
        answer: For one of the best hits, or there is no answer.
        company: For any hit of an answer.
    """

    answer: float = 2.8
    company: float = -4.0


DEFAULT = Floor()


def evidence(coverage: Coverage) -> float:
    """How much speaks for a candidate.

    Long texts hold anybody's words, and the more there is in a store, the more of any
    question lies together somewhere by chance.  Between two languages nothing but names can be
    shared, so fewer of them are enough.
    """
    worth = _UNSPACED if coverage.unspaced else _SPACED
    title = max(coverage.title, coverage.alias, coverage.question)
    return (
        worth.besides
        + worth.whole * coverage.whole
        + _WORDING * coverage.wording
        + worth.closeness * coverage.closeness
        + _TITLE * sqrt(title)
        + worth.content * coverage.content
        + worth.per_word * min(coverage.count, _MOST_WORDS)
        + worth.per_character * min(coverage.run, _MOST_CHARACTERS)
        + _PER_ROW * min(coverage.row, _MOST_ROW)
        + (_NAMED if coverage.named else 0.0)
        + worth.per_concept * min(coverage.breadth, _MOST_CONCEPTS)
        - (_ALONE if coverage.count <= 1 else 0.0)
        - worth.unknown * coverage.unknown
        - worth.length * log1p(coverage.length)
        - (_STRANGER if coverage.stranger else 0.0)
        - (_LOST if coverage.lost else 0.0)
        + (_ACROSS if coverage.across else 0.0)
        - worth.size * min(_MOST_SIZE, log((coverage.size + _LEAST_SIZE) / _USUAL_SIZE))
    )


def answers(coverages: Sequence[Coverage], floor: Floor = DEFAULT) -> bool:
    """Whether one of the best candidates is reason enough to answer; best first."""
    return any(evidence(each) >= floor.answer and able(each) for each in coverages[:FIRST])


def reachable(share: float, count: int, floor: Floor = DEFAULT, *, named: bool = False) -> bool:
    """Whether a candidate could be an answer that holds no more of the question than this.

    Args:
        share: Of the question or of its content, whichever is more.
        count: Words among what it holds.
        floor: The floor.
        named: A name is there that the question says.
    """
    if floor.answer <= 0 or count > 1:
        return True
    # Of two Chinese characters one is another word; it answers where nothing else is asked.
    return named or share >= LONE if count else share >= _NOTHING_ELSE


def able(coverage: Coverage) -> bool:
    """Whether it holds more than a word that is a small part of the question."""
    share = max(coverage.whole, coverage.content)
    return reachable(share, coverage.count, Floor(), named=coverage.named)


def passes(coverage: Coverage, floor: Floor = DEFAULT) -> bool:
    """Whether a candidate may be shown in an answer."""
    return coverage.whole > 0 and evidence(coverage) >= floor.company
