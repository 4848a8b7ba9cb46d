"""Whether two notes say something close to each other, or the opposite."""

from collections.abc import Iterable
from functools import lru_cache

from memex_mcp.text import lazily
from memex_mcp.text.fold import fold
from memex_mcp.text.words import query_terms

_NEGATION = lazily.pattern(
    r"\b(?:not|no|never|none|without|cannot|don'?t|doesn'?t|didn'?t|won'?t|isn'?t|aren'?t|"
    r"mustn'?t|shouldn'?t|disable[ds]?|avoid|stop)\b|不再|不要|不能|不用|不会|不是|没有|禁止|停用|不|没|勿"
)
_VALUE = lazily.pattern(r"[a-z]*\d[\w.:/-]*|\"[^\"]+\"|`[^`]+`")

SIMILAR = 0.5
"""Share of common words from which two notes are told to be similar."""

OPPOSED = 0.6
"""Share of common words, values and negations left out, from which a difference in
these makes a contradiction."""


def overlap(left: Iterable[str], right: Iterable[str]) -> float:
    """Jaccard index of two word sets; 0 when either is empty."""
    a, b = set(left), set(right)
    return len(a & b) / len(a | b) if a and b else 0.0


def similarity(left: str, right: str) -> float:
    """Share of content words that two texts have in common, 0 to 1."""
    return overlap(_content(left), _content(right))


@lru_cache(maxsize=32)
def _content(text: str) -> frozenset[str]:
    """The content words of a text; one text is compared with several."""
    return frozenset(query_terms(text))


def contradicts(left: str, right: str) -> bool:
    """Whether two short texts say the same of the same thing, but for a value or a *not*.

    A hint for the writer, never a ground to refuse or hide anything.
    """
    a, b = fold(left), fold(right)
    values_a, values_b = set(_VALUE.findall(a)), set(_VALUE.findall(b))
    negated_a, negated_b = bool(_NEGATION.search(a)), bool(_NEGATION.search(b))
    if values_a == values_b and negated_a == negated_b:
        return False
    return similarity(_plain(a), _plain(b)) >= OPPOSED


def _plain(text: str) -> str:
    return _NEGATION.sub(" ", _VALUE.sub(" ", text))
