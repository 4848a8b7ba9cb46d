"""A few lines of a body around the place that says most about the question."""

from collections.abc import Mapping, Sequence

from memex_mcp.retrieval.pages import border_after, border_before
from memex_mcp.text.words import Term, query_terms, terms

LENGTH = 240
"""Characters of a snippet, marks not counted."""

MARK = "…"
_LEAD_IN = 60
_SCANNED = 200_000


def snippet(
    text: str, worth: Mapping[str, float], *, before: bool, after: bool, length: int = LENGTH
) -> str:
    """Cut the window with the greatest worth of distinct terms out of a text.

    Args:
        text: Part of a body, or all of it.
        worth: Terms to show, with their rarity.
        before: The body goes on in front of ``text``.
        after: The body goes on behind it.
        length: Characters to show at most.

    Returns:
        One line; ``…`` marks where the body goes on.
    """
    start, stop = window(text, worth, length=length, before=before)
    line = " ".join(text[start:stop].split())
    lead = MARK if line and (start > 0 or before) else ""
    return f"{lead}{line}{MARK if line and (stop < len(text) or after) else ''}"


def window(
    text: str, worth: Mapping[str, float], *, length: int, before: bool = False
) -> tuple[int, int]:
    """Where the best window of at most ``length`` characters begins and ends.

    Args:
        text: Part of a body, or all of it.
        worth: Terms to show, with their rarity.
        length: Characters of the window.
        before: The text begins anywhere, perhaps inside a word.
    """
    if len(text) <= length:
        return 0, len(text)
    first, last = _densest(terms(text, worth), worth, length)
    # Centred, with at most a line of what comes before.
    lead_in = min((length - (last - first)) // 2, _LEAD_IN)
    start = max(0, min(first - lead_in, len(text) - length))
    if start or before:
        start = _word_border(text, start, first)
    stop = border_before(text, min(start + length, len(text)), max(last, start + 1))
    return start, stop


def best_place(text: str, question: str) -> int:
    """Where in a text the best match for a question begins; 0 when it holds none of it."""
    worth = dict.fromkeys(query_terms(question), 1.0)
    return _densest(terms(text[:_SCANNED], worth), worth, LENGTH)[0]


def _word_border(text: str, low: int, high: int) -> int:
    """The first border of a word from ``low`` on, at most at ``high``."""
    for at in range(max(low, 1), high):
        if text[at - 1].isspace() or text[at - 1] in "。！？；，、":
            return at
    return min(border_after(text, low), high) if low < high else high


def _densest(found: Sequence[Term], worth: Mapping[str, float], length: int) -> tuple[int, int]:
    """The stretch of at most ``length`` characters whose distinct terms are worth most."""
    best, chosen = 0.0, (0, 0)
    inside: dict[str, int] = {}
    total, left = 0.0, 0
    for term in found:
        inside[term.text] = inside.get(term.text, 0) + 1
        total += worth[term.text] if inside[term.text] == 1 else 0.0
        while term.end - found[left].start > length and found[left] is not term:
            gone = found[left].text
            inside[gone] -= 1
            total -= worth[gone] if not inside[gone] else 0.0
            left += 1
        if total > best + 1e-9:
            best, chosen = total, (found[left].start, term.end)
    first, last = chosen
    return first, min(last, first + length)
