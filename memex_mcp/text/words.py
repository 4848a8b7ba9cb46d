"""Text into index terms, one way for records and for questions.

A term is letters and digits only, at most 64 of them, so FTS5's unicode61 takes it as it is.
Spaced scripts give words; scripts without spaces give characters and overlapping pairs::

    running             as written and stemmed: running run
    getUserById         getuserbyid get user by id; get_user_by_id gives the same
    src/a/b.py:42       srcabpy42 srcabpy src a bpy b py 42
    v2.3.1              v2x3x1 v2 v 2x3x1 2x3 2 3 1; the x keeps it apart from v2.31
    重跑gen-itgc后      重 重跑 跑 genitgc gen itgc 后

A letter or vowel sign that unicode61 would not take goes in as ``u`` and its code point.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from operator import add

from memex_mcp.text import lazily
from memex_mcp.text.fold import fold, level
from memex_mcp.text.names import LONGEST, Piece, safe, word_pieces
from memex_mcp.text.runs import ASCII_WORD, PLAIN, UNIT, WORD
from memex_mcp.text.stop import CHINESE, CHINESE_ASKED, CHINESE_PAIRS, ENGLISH
from memex_mcp.values import dataclass

ANALYZER_VERSION = f"1/{unicodedata.unidata_version}"
"""Names the rules and the Unicode tables that decide which terms a text has.

The number is raised whenever a text would give other terms; the index is then built anew.
"""

_UNTELLING = CHINESE | CHINESE_PAIRS | CHINESE_ASKED
_MOST_IDENTIFIERS = 64
_LONGEST_IDENTIFIER = 256
_MOST_KEPT = 65_536
_MOST_TOKENS = 32_768
# What may follow a word without a blank, and is part of none.
_CLOSING = ".,;:!?)]}\"'"

_LETTER = r"[^\W\d_]"
_IDENTIFIER = lazily.pattern(
    rf"""
    (?=.*{_LETTER}) .*\w [/\\_@-] \w.*      # a path, a branch, snake_case, kebab-case, an address
    | (?=.*{_LETTER}) .*\w (?:::|:\\) \w.*  # std::vector, a drive
    | .*{_LETTER}{{2}}\.\w.* | .*\w\.{_LETTER}{{2}}.*   # a dotted name, a file
    | v?\d+(?:\.\d+)+\w*                  # a version
    | \d{{4}}-\d\d-\d\d                 # a day
    | (?!(?:19|20)\d\d$) \d{{4,}}           # a port, the number of an issue; not a year
    | .*[a-z][A-Z].*                      # camelCase
    | (?:E|SIG)[A-Z]{{3,}}                # ECONNRESET, SIGKILL
    | (?!\d+(?:st|nd|rd|th|s)$) \w*(?:{_LETTER}\d|\d{_LETTER})\w*   # E1234, sha256
    | \w(?:\+\+|\#)                       # C++
    """,
    re.VERBOSE,
)
_POSSESSIVE = lazily.pattern(r"['’][sS]$")
_QUOTED = lazily.pattern(
    r"""
    "([^"\n]{1,300})" | (?<!\w)'([^'\n]{1,300})'(?!\w) | “([^”\n]{1,300})” | ‘([^’\n]{1,300})’(?!\w)
    | 「([^」\n]{1,300})」 | 『([^』\n]{1,300})』 | 《([^》\n]{1,300})》 | `([^`\n]{1,300})`
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Term:
    """One index term and where it came from.

    Attributes:
        text: The term: letters and digits, at most 64.
        start: First character in the original text.
        end: One past the last character in the original text.
    """

    text: str
    start: int
    end: int


def terms(text: str, among: Collection[str] | None = None) -> list[Term]:
    """Give the index terms of a text with their places, ordered by where they start.

    Args:
        text: Any text.
        among: Give these terms only; every term when left out.
    """
    flat, starts, ends = level(text)
    walked = _walk(flat) if among is None else _walk_among(flat, among)
    found: list[Term] = []
    for at, pieces in walked:
        if starts is None or ends is None:
            found.extend([Term(term, at + a, at + b) for term, a, b in pieces])
        else:
            found.extend([Term(term, starts[at + a], ends[at + b - 1]) for term, a, b in pieces])
    return found


def index_terms(text: str) -> str:
    """Give the terms of a text, in the order of `terms`, as one string for FTS5."""
    return " ".join(_spelt_terms(text))


def term_set(text: str) -> frozenset[str]:
    """Give the distinct index terms of a text."""
    return frozenset(_spelt_terms(text))


def terms_among(text: str, among: frozenset[str]) -> frozenset[str]:
    """Give those of some terms that a text has; quicker than :func:`term_set`."""
    return among.intersection(_spelt_terms(text))


def query_terms(text: str) -> list[str]:
    """Give the terms a question is searched by, each once, in text order.

    Stop and question words are left out, unless the question has no other.
    """
    flat, _, _ = level(text)
    kept: dict[str, None] = {}
    every: dict[str, None] = {}
    for _, run, word in _written(flat):
        said, whole = _said_run(run) if run else _said_word(word)
        kept.update(dict.fromkeys(said))
        every.update(dict.fromkeys(whole))
    return list(kept or every)


def is_identifier(word: str) -> bool:
    """Tell whether a word is a name that counts exactly as written.

    Such are camelCase, snake_case, kebab-case, dotted names, paths, versions, error codes and
    words of letters and digits.
    """
    return len(word) <= _LONGEST_IDENTIFIER and _IDENTIFIER.fullmatch(word) is not None


def identifiers(text: str) -> list[str]:
    """Give the names in a text, whole and folded, each once, in text order, at most 64."""
    flat, _, _ = level(text)
    found: dict[str, None] = {}
    for _, _, written in _written(flat):
        word = _POSSESSIVE.sub("", written)
        if word and is_identifier(word):
            found[fold(word)] = None
            if len(found) == _MOST_IDENTIFIERS:
                break
    return list(found)


def quoted(text: str) -> list[str]:
    """Give the phrases that a text puts in quotation marks, title marks or backticks, each once."""
    phrases = [next(filter(None, groups)).strip() for groups in _QUOTED.findall(text)]
    return list(dict.fromkeys(filter(None, phrases)))


def _written(flat: str) -> Iterator[tuple[int, str, str]]:
    """Give where each unspaced run or word begins, and it; the other of the two is empty."""
    if flat.isascii():
        return ((match.start(), "", match[0]) for match in ASCII_WORD.finditer(flat))
    return ((match.start(), match[1] or "", match[2] or "") for match in WORD.finditer(flat))


def _walk(flat: str) -> Iterator[tuple[int, Iterable[Piece]]]:
    """Give the pieces of each word or unspaced run, with where it begins."""
    for start, run, word in _written(flat):
        yield start, _run_pieces(run) if run else word_pieces(word)


def _walk_among(flat: str, among: Collection[str]) -> Iterator[tuple[int, Iterable[Piece]]]:
    """Give those pieces only that are wanted; most words, which have none, cost next to nothing."""
    telling = frozenset(among)
    found, at = flat.split(), 0
    void = {each for each in set(found) if each.isascii() and telling.isdisjoint(_TOKENS[each])}
    for token in found:
        at = flat.find(token, at)
        for start, run, word in () if token in void else _written(token):
            kept = _run_among(run, telling) if run else _kept(word_pieces(word), telling)
            yield at + start, kept
        at += len(token)


def _kept(pieces: Iterable[Piece], among: frozenset[str]) -> list[Piece]:
    return [piece for piece in pieces if piece[0] in among]


def _run_among(run: str, among: frozenset[str]) -> list[Piece]:
    """Give the wanted characters and pairs of an unspaced run."""
    if not PLAIN.fullmatch(run):
        return _kept(_run_pieces(run), among)
    found = enumerate(_run_terms(run))
    return [(term, i // 2, i // 2 + len(term)) for i, term in found if term in among]


def _spelt_terms(text: str) -> Iterator[str]:
    flat, _, _ = level(text)
    spelt = _TOKENS.__getitem__ if flat.isascii() else _token_terms
    return chain.from_iterable(map(spelt, flat.split()))


def _token_terms(token: str) -> Iterable[str]:
    if token.isascii():
        return _TOKENS[token]
    parts = (_run_terms(run) if run else _KEPT[word] for run, word in WORD.findall(token))
    return chain.from_iterable(parts)


def _spelt(word: str) -> tuple[str, ...]:
    if len(word) > LONGEST and word.isascii() and word.encode().isalnum():
        # A blob without joints is not taken apart, so its rest need not be looked at.
        return (word[:LONGEST].lower(),)
    return tuple([term for term, _, _ in word_pieces(word)])


class _Spelt(dict[str, tuple[str, ...]]):
    """Words as terms; a dictionary answers from C what a cached function takes a call for."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        spelt = _spelt(word)
        if len(word) <= LONGEST:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[word] = spelt
        return spelt


_KEPT = _Spelt()


class _Tokens(dict[str, tuple[str, ...]]):
    """What stands between blanks as terms: no word goes on behind a blank, and few are new."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        if len(token) > LONGEST and token.encode().isalnum():
            return (token[:LONGEST].lower(),)
        bare = token.rstrip(_CLOSING)
        if bare != token:
            # Kept once, however the sentence goes on.
            return self[bare]
        words = ASCII_WORD.findall(token)
        if len(words) == 1:
            spelt = _KEPT[words[0]]
        else:
            spelt = tuple(chain.from_iterable(map(_KEPT.__getitem__, words)))
        if len(token) <= LONGEST:
            if len(self) >= _MOST_TOKENS:
                self.clear()
            self[token] = spelt
        return spelt


_TOKENS = _Tokens()


def _run_terms(run: str) -> Sequence[str]:
    """Give characters and pairs of an unspaced run; the quick way to `_run_pieces`."""
    if not PLAIN.fullmatch(run):
        return [term for term, _, _ in _run_pieces(run)]
    found = [run[-1]] * (2 * len(run) - 1)
    found[:-1:2] = run[:-1]
    found[1::2] = map(add, run, run[1:])
    return found


def _run_pieces(run: str) -> list[Piece]:
    units = [(_unit(m.group()), m.start(), m.end()) for m in UNIT.finditer(run)]
    units = [unit for unit in units if unit[0]]
    found: list[Piece] = []
    for (one, start, end), (two, _, beyond) in pairwise(units):
        found += [(one, start, end), ((one + two)[:LONGEST], start, beyond)]
    return found + units[-1:]


@lru_cache(maxsize=16_384)
def _unit(written: str) -> str:
    return safe(fold(written))[:LONGEST]


def _said_run(run: str) -> tuple[Sequence[str], Sequence[str]]:
    every = [term for term, _, _ in _run_pieces(run)]
    return [term for term in every if term not in _UNTELLING], every


@lru_cache(maxsize=16_384)
def _said_word(word: str) -> tuple[Sequence[str], Sequence[str]]:
    pieces = word_pieces(word)
    return tuple(_telling_words(pieces)), tuple(term for term, _, _ in pieces)


def _telling_words(pieces: Iterable[Piece]) -> list[str]:
    """Leave out the parts of a word that are stop words, with their stems."""
    # The word as written stands before its stem; "willing" is no stop word for its "will".
    written: dict[tuple[int, int], str] = {}
    for term, start, end in pieces:
        written.setdefault((start, end), term)
    return [term for term, start, end in pieces if written[start, end] not in ENGLISH]
