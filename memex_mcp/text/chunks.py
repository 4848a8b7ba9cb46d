"""Long text in overlapping pieces, each small enough to be about one thing."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain

from memex_mcp.text import lazily
from memex_mcp.values import dataclass

# A word counts one; without spaces, two characters carry about as much as a word.
_HALF = (
    "\u1000-\u109f\u0e00-\u0eff\u1780-\u17ff\u2e80-\u9fff\ua000-\ua48c\uac00-\ud7a3\uf900-\ufaff"
)
_HALF_WORD = f"[{_HALF}\U00020000-\U000323af]"
# A run longer than any word (a base64 blob) is cut, so that no chunk grows without bound.
_LONGEST = 64
_WORD = lazily.pattern(rf"{_HALF_WORD}{{1,2}}|[^\W_{_HALF}\U00020000-\U000323af]{{1,{_LONGEST}}}")
# One letter for a letter or digit, a space for anything else: one letter is found fastest.
_ASCII_CLASS = bytes(ord("x" if chr(code).isalnum() and code < 128 else " ") for code in range(256))
_ASCII_WORD = re.compile(b"x++")
_Break = tuple[re.Pattern[str], str]
# Where a cut reads well, best first: after a blank line, a line, a sentence, a clause; and the
# characters of which it needs one, since to look for these costs next to nothing.
_BREAKS = (
    (lazily.pattern(r"\n[ \t]*\n\s*"), "\n"),
    (lazily.pattern(r"\n\s*"), "\n"),
    (
        lazily.pattern(r"(?<![.!?])[.!?]++[\"'”’)\]]*+\s+|[。！？；…]+[”’」』）]*\s*"),
        ".!?。！？；…",
    ),
    (lazily.pattern(r"[,;:，、：]\s*"), ",;:，、："),
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A range of a text, in characters: from start up to, not including, end."""

    start: int
    end: int


def chunks(text: str, size: int = 80, overlap: int = 20) -> list[Chunk]:
    """Cut a text into chunks of about `size` words that overlap by about `overlap`.

    Two characters of a script without spaces count as one word.  A cut goes to the end of a
    paragraph, line or sentence where one lies within the last `overlap` words of the chunk.

    Returns:
        Chunks in text order that cover the whole text; one, if the text has at most 1.5 times
        `size` words, and one empty chunk for an empty text.
    """
    words, breaks = _words(text), _breaks(text)
    # Less than half, so that every chunk begins after the one before it.
    overlap = min(overlap, (size - 1) // 2)
    found: list[Chunk] = []
    start = first = 0
    while len(words) - first > size * 3 // 2:
        end = _last_break(breaks, text, words[first + size - overlap], words[first + size])
        found.append(Chunk(start, end))
        following = bisect_left(words, end)
        first = following - overlap
        start = _first_break(breaks, text, words[first], words[following - overlap // 2])
        first = bisect_left(words, start)
    found.append(Chunk(start, len(text)))
    return found


def _words(text: str) -> list[int]:
    """Where each word begins."""
    if text.isascii():
        classes = text.encode().translate(_ASCII_CLASS)
        if b"x" * (_LONGEST + 1) not in classes:
            return [match.start() for match in _ASCII_WORD.finditer(classes)]
        runs = (range(*match.span(), _LONGEST) for match in _ASCII_WORD.finditer(classes))
        return list(chain.from_iterable(runs))
    return [match.start() for match in _WORD.finditer(text)]


def _breaks(text: str) -> list[_Break]:
    """The breaks that may lie anywhere in a text, each with the signs of it that do."""
    there = [
        (pattern, "".join([sign for sign in signs if sign in text])) for pattern, signs in _BREAKS
    ]
    return [(pattern, signs) for pattern, signs in there if signs]


def _last_break(breaks: list[_Break], text: str, low: int, high: int) -> int:
    """Find where to end: after the best break in a range, else at the word that ends it."""
    for pattern in _possible(breaks, text, low, high):
        ends = [match.end() for match in pattern.finditer(text, low, high)]
        if ends:
            return ends[-1]
    return high


def _first_break(breaks: list[_Break], text: str, low: int, high: int) -> int:
    """Find where to begin: after the best break in a range, else at the word that begins it."""
    for pattern in _possible(breaks, text, low, high):
        if match := pattern.search(text, low, high):
            return match.end()
    return low


def _possible(breaks: list[_Break], text: str, low: int, high: int) -> Iterator[re.Pattern[str]]:
    """The breaks that may lie in a range, best first."""
    for pattern, signs in breaks:
        for sign in signs:
            if text.find(sign, low, high) >= 0:
                yield pattern
                break
