"""A question taken apart: the terms to look for, how rare each is, and what must match verbatim."""

import base64
import binascii
import hashlib
import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log

from memex_mcp.errors import Invalid
from memex_mcp.model.query import Query
from memex_mcp.store.index import document_frequency
from memex_mcp.text import words
from memex_mcp.text.fold import fold

MOST_TERMS = 32
MOST_POSTINGS = 8_000
LEAST_TERMS = 4
"""This many terms are searched whatever they cost."""

_READ_CHARACTERS = 8_000
_LOOKED_UP = 1_000
_EXACT = 12
# Rarity is damped so that a store of three records does not call every word common.
_PRIOR = 200
_BETWEEN = re.compile(r"[\s，。！？；：、…（）()「」『』“”\"',;!?]+")
_CURSOR = re.compile(r"(\d{1,6})\.([0-9a-f]{16})")


@dataclass(frozen=True, slots=True)
class Concept:
    """One place in the question: a word with its stem, a character, a pair, a part of a name.

    Attributes:
        forms: Terms of which any one is enough.
        rarity: The fewer records hold it, the greater; never 0.
    """

    forms: tuple[str, ...]
    rarity: float


@dataclass(frozen=True, slots=True)
class Asked:
    """One wording of the question.

    Attributes:
        concepts: What an answer should hold, in text order.
        searched: Terms to search by, the rarest first; each occurs in the index.
        exact: Quoted phrases and identifiers, folded.
    """

    concepts: tuple[Concept, ...]
    searched: tuple[str, ...]
    exact: tuple[str, ...] = ()


def ask(db: sqlite3.Connection, text: str) -> Asked:
    """Take one wording apart and look its terms up.

    Raises:
        Invalid: There is nothing in it but white space.
    """
    if not text.strip("\0 \t\r\n\u3000"):
        raise Invalid("query is empty", "Say in a few words what you are looking for.")
    read = _condensed(text)
    wanted = words.query_terms(read)[:_LOOKED_UP]
    counts = {term: document_frequency(db, term) for term in wanted}
    records = _size(db)
    concepts = _concepts(read, counts, records)
    searched = _rarest({term: counts[term] for term in map(_widest(counts), concepts)})
    return Asked(concepts, searched, _exact(read))


def _condensed(text: str) -> str:
    """The text itself, or of a very long one its distinct words, names and long words first."""
    if len(text) <= _READ_CHARACTERS:
        return text
    distinct = list(dict.fromkeys(_BETWEEN.split(text)))
    distinct.sort(key=lambda word: (not _looks_like_name(word), -len(word)))
    kept: list[str] = []
    room = _READ_CHARACTERS
    for word in distinct:
        room -= min(len(word), words.LONGEST) + 1
        if room < 0:
            break
        kept.append(word[: words.LONGEST])
    return " ".join(kept)


def _looks_like_name(word: str) -> bool:
    return len(word) <= words.LONGEST and word.isascii() and not word.isalpha()


def _widest(counts: Mapping[str, int]) -> Callable[[Concept], str]:
    """Picks the form that finds most: the stem, which the index holds for every inflection."""
    return lambda concept: max(concept.forms, key=counts.__getitem__)


def _rarest(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Terms that occur, the rarest first, as many as the bounds on cost admit."""
    chosen: list[str] = []
    postings = 0
    for term in sorted((term for term in counts if counts[term]), key=counts.__getitem__):
        postings += counts[term]
        if len(chosen) == MOST_TERMS or (len(chosen) >= LEAST_TERMS and postings > MOST_POSTINGS):
            break
        chosen.append(term)
    return tuple(chosen)


def _concepts(text: str, counts: Mapping[str, int], size: int) -> tuple[Concept, ...]:
    places: dict[tuple[int, int], list[str]] = {}
    for term in words.terms(text):
        if term.text in counts:
            places.setdefault((term.start, term.end), []).append(term.text)
    forms = dict.fromkeys(tuple(dict.fromkeys(place)) for place in places.values())
    return tuple(
        Concept(each, log((size + _PRIOR) / (max(counts[form] for form in each) + 1)))
        for each in forms
    )


def _exact(text: str) -> tuple[str, ...]:
    phrases = [*words.quoted(text), *words.identifiers(text)]
    return tuple(dict.fromkeys(filter(None, (fold(phrase).strip() for phrase in phrases))))[:_EXACT]


def _size(db: sqlite3.Connection) -> int:
    (last,) = db.execute("SELECT coalesce(max(n), 0) FROM chunk").fetchone()
    return int(last)


def fingerprint(query: Query) -> str:
    """Sixteen characters that tell one question, filters included, from another."""
    asked = [query.text, *query.variants, *query.kinds, *query.types, *query.tags, *query.include]
    asked += [query.path, query.family, query.scope, query.as_of, query.believed_at, query.limit]
    digest = hashlib.sha256()
    for each in asked:
        digest.update(f"{each}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def write_cursor(query: Query, offset: int) -> str:
    """Name the page of this question's answer that begins with hit ``offset``."""
    plain = f"{offset}.{fingerprint(query)}"
    return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def read_offset(query: Query) -> int:
    """The hit that the query's cursor stands at; 0 without one.

    Raises:
        Invalid: The cursor was given to another question, or never given at all.
    """
    if not query.cursor:
        return 0
    try:
        raw = base64.urlsafe_b64decode(query.cursor.encode("ascii") + b"=" * (-len(query.cursor) % 4))
        match = _CURSOR.fullmatch(raw.decode("ascii"))
    except (binascii.Error, UnicodeError):
        match = None
    if match is None or match[2] != fingerprint(query):
        raise Invalid(
            "cursor belongs to another question",
            "Repeat the query and its filters exactly as they were, or leave the cursor out.",
        )
    return int(match[1])
