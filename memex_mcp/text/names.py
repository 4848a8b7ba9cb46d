"""How a written word becomes terms: whole, in part, and stemmed.

A term of a word is a range of it, so what an index holds can be shown in the text.
"""

import re
import threading
import unicodedata
from functools import lru_cache
from importlib import import_module

from memex_mcp.text import lazily
from memex_mcp.text.fold import fold

LONGEST = 64
"""Characters of a term; of a longer run the first ones count."""

# What may join two words into one name, at most four in a row: a/../b, C:\a, std::vector.
JOINT = r"[./\\:@_'’-]"
Piece = tuple[str, int, int]
"""A term, and where in the word it begins and ends."""

# A name comes apart at these, the strongest first; a contraction's ending is no part.
_STRONGER = (lazily.pattern("[^:@]+"), lazily.pattern(r"[^/\\]+"), lazily.pattern("[^.]+"))
_WEAKEST = lazily.pattern(r"['’](?:s|t|re|ve|ll|d|m)(?![^\W_])|([^\-_'’]+)", re.IGNORECASE)
_DOTS = 2
_LINE = lazily.pattern(r"(?::[0-9]+)+$")
_VERSION = lazily.pattern(r"[vV]?[0-9]+(?:\.[0-9]+)+")
_CAMEL = lazily.pattern("[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_DIGITS = lazily.pattern(r"\d+|\D+")
_BETWEEN_DIGITS = lazily.pattern(rf"(?<=\d){JOINT}+(?=\d)")
_JOINTS = lazily.pattern(rf"{JOINT}+")
_NAMED = {"c++": "cpp", "g++": "gpp", "c#": "csharp", "f#": "fsharp"}

# Unicode 3.2 is what every SQLite's tokenizer knows, and does not move with Python's version.
_known = unicodedata.ucd_3_2_0.category
# Signs that a writer may leave out: accents, Hebrew points, Arabic vowels.
_OPTIONAL = lazily.pattern(
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]+"
)
# Of a word that ends in none of these, Porter's rules leave every letter.
_ENDINGS = (
    *("e", "i", "s", "y", "al", "ant", "ator", "ed", "ent"),
    *("er", "ful", "ic", "ing", "ion", "ism", "ll", "ou"),
)
_porter = import_module("memex_mcp.text.snowball.porter_stemmer").PorterStemmer()
# A stemmer keeps the word it works on in itself, and requests run in threads.
_porter_lock = threading.Lock()


def word_pieces(word: str) -> tuple[Piece, ...]:
    """Give the terms of one word or joined name, by where they start, the longer first."""
    if len(word) <= LONGEST:
        return _kept_pieces(word)
    # A long run without joints is no word of any language, and is not taken apart.
    return ((joined(word), 0, len(word)),) if word.isalnum() else _pieces(word)


@lru_cache(maxsize=32_768)
def _kept_pieces(word: str) -> tuple[Piece, ...]:
    return _pieces(word)


def _pieces(word: str) -> tuple[Piece, ...]:
    if word.isascii() and word.isalpha() and (word.islower() or word.istitle()):
        # Nearly every word, and none of them comes apart.
        term = word.lower()
        stemmed, size = stem(term), len(word)
        return ((term, 0, size),) if stemmed == term else ((term, 0, size), (stemmed, 0, size))
    if word[-1] in "+#":
        bare = word.rstrip("+#")
        named = _NAMED.get(word.casefold())
        whole: tuple[Piece, ...] = ((named, 0, len(word)),) if named else ()
        return whole + word_pieces(bare)
    if word[-2:] in ("'s", "’s", "'S", "’S"):
        word = word[:-2]
    found: list[Piece] = []
    ranges, leaves = _ranges(word)
    for start, end in sorted(ranges, key=lambda span: (span[0], -span[1])):
        term = joined(word[start:end])
        if not term:
            continue
        found.append((term, start, end))
        if (start, end) in leaves and (stemmed := stem(term)) != term:
            found.append((stemmed, start, end))
    return tuple(found)


def _ranges(word: str) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Find every range of a word that is a term, and those that do not come apart further."""
    if word.isalnum():
        # Without joints a name can only come apart at its humps.
        parts = _humps(word, 0, len(word)) or [(0, len(word))]
        return {(0, len(word)), *parts}, set(parts)
    ranges: set[tuple[int, int]] = set()
    leaves: set[tuple[int, int]] = set()
    todo = [(0, len(word), 0)]
    while todo:
        start, end, depth = todo.pop()
        ranges.add((start, end))
        if depth <= _DOTS:
            ranges.update(_shorter(word, start, end, depth))
            found = _STRONGER[depth].finditer(word, start, end)
            todo += [(*match.span(), depth + 1) for match in found]
            continue
        for match in _WEAKEST.finditer(word, start, end):
            if match.group(1):
                parts = _humps(word, *match.span())
                ranges.add(match.span())
                ranges.update(parts)
                leaves.update(parts or [match.span()])
    return ranges, leaves


def _shorter(word: str, start: int, end: int, depth: int) -> list[tuple[int, int]]:
    """Find what else a name is called by: a path without line, 2.3 for v2.3.1."""
    if depth == 0 and (line := _LINE.search(word, start, end)):
        return [(start, line.start())] if line.start() > start else []
    if depth < _DOTS or not _VERSION.fullmatch(word, start, end):
        return []
    first = start + (word[start] in "vV")
    dots = [at for at in range(first, end) if word[at] == "."][1:4]
    return [(first, at) for at in [*dots, end]]


def _humps(word: str, start: int, end: int) -> list[tuple[int, int]]:
    """Take camelCase and letters with digits apart, unless that leaves crumbs of a hash."""
    piece = word[start:end]
    if len(piece) > LONGEST or (piece.islower() and piece.isalpha()):
        return []
    splitter = _CAMEL if piece.isascii() else _DIGITS
    parts = [match.span() for match in splitter.finditer(word, start, end)]
    crumbs = len(parts) > 3 and 4 * len(piece) < 7 * len(parts)
    return [] if len(parts) < 2 or crumbs else parts


def joined(name: str) -> str:
    """Write a name as one term: folded, joints gone, an x where they kept digits apart."""
    if name.isascii() and name.isalnum():
        return name[:LONGEST].lower()
    name = _JOINTS.sub("", _BETWEEN_DIGITS.sub("x", name[: 4 * LONGEST]))
    return safe(fold(name))[:LONGEST]


def safe(folded: str) -> str:
    """Spell out what FTS5's tokenizer would not take as a letter or digit."""
    if folded.isascii() and folded.isalnum():
        return folded
    folded = _OPTIONAL.sub("", folded)
    return "".join(c if _known(c)[0] in "LN" else _spelled(c) for c in folded)


def _spelled(character: str) -> str:
    """Give a letter or sign as u and its code point; separators give nothing."""
    kind = unicodedata.category(character)[0]
    return f"u{ord(character):04x}" if kind in "LNM" else ""


@lru_cache(maxsize=32_768)
def stem(term: str) -> str:
    """Give the Porter stem of an English word, and anything else as it is."""
    if len(term) < 3 or not (term.isascii() and term.isalpha() and term.endswith(_ENDINGS)):
        return term
    with _porter_lock:
        return str(_porter.stemWord(term)) or term
