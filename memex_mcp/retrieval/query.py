"""A question taken apart: the terms to look for, how rare each is, and what must match verbatim."""

import base64
import hashlib
import re
import sqlite3
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from memex_mcp.errors import Invalid
from memex_mcp.model.query import Query
from memex_mcp.retrieval.pages import decoded
from memex_mcp.retrieval.plan import any_of, parts
from memex_mcp.store.index import document_frequency
from memex_mcp.store.index import size as size_of
from memex_mcp.store.migrations import get_meta
from memex_mcp.store.search import Part
from memex_mcp.text import words
from memex_mcp.text.fold import fold
from memex_mcp.text.names import LONGEST

MOST_TERMS = 32
"""Terms that are searched by, the rarest."""

_FEWEST = 4
_READ_CHARACTERS = 6_000
_LOOKED_UP = 600
_EXACT = 12
# Rarity is damped so that a store of three records does not call every word common.
_PRIOR = 200
_STOP_WORD = 1.0
_COMMON = 32
_REMEMBERED = 8_192
_BETWEEN = re.compile(r"[\s，。！？；：、…（）()「」『』“”\"',;!?]+")
_CURSOR = re.compile(r"(\d{1,6})\.([0-9a-f]{16})")

_common: dict[tuple[str, int, int, str], int] = {}


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
        parts: How the index is asked for them.
        fewest: How it is asked when that finds nothing; empty where it would be no other.
        exact: Quoted phrases and identifiers, folded.
        wording: Every term of the question with its rarity, stop words included.
        said: The same terms without their rarity.
        places: Which concept a term stands for.
        known: Terms of the concepts that the index holds anywhere.
        rarity: Sum over the concepts; never 0.
        weight: Sum over ``wording``; never 0.
    """

    concepts: tuple[Concept, ...]
    searched: tuple[str, ...]
    parts: tuple[Part, ...]
    fewest: tuple[Part, ...]
    exact: tuple[str, ...]
    wording: Mapping[str, float]
    said: frozenset[str]
    places: Mapping[str, int]
    known: frozenset[str]
    rarity: float
    weight: float

    def share(self, terms: Iterable[str]) -> float:
        """Share of the content that ``terms``, all said in the question, stand for, 0 to 1."""
        held = {self.places[term] for term in terms if term in self.places}
        return sum(self.concepts[place].rarity for place in held) / self.rarity

    def count(self, terms: Iterable[str]) -> int:
        """How many concepts ``terms`` stand for; a single Chinese character is none."""
        held = {self.places[term] for term in terms if term in self.places}
        return sum(not _is_character(self.concepts[place].forms[0]) for place in held)

    def wording_share(self, terms: Iterable[str]) -> float:
        """Share of everything said, weighted by rarity, 0 to 1."""
        return sum(self.wording[term] for term in terms) / self.weight


def ask(db: sqlite3.Connection, text: str) -> Asked:
    """Take one wording apart and look its terms up.

    Raises:
        Invalid: There is nothing in it but white space.
    """
    if not text.strip("\0 \t\r\n\u3000"):
        raise Invalid("query is empty", "Say in a few words what you are looking for.")
    read = _condensed(text)
    spelled = words.terms(read)
    content = words.query_terms(read)[:_LOOKED_UP]
    said = dict.fromkeys([*content, *[term.text for term in spelled[:_LOOKED_UP]]])
    # A stop word is not looked up: counting what is everywhere is what takes time.
    sought = dict.fromkeys([*content, *filter(_is_pair, said)])
    size, store = size_of(db), get_meta(db, "store_id") or ""
    counts = {term: _frequency(db, store, size, term) for term in sought}
    wording = dict.fromkeys(said, _STOP_WORD)
    wording |= {term: _rarity(count, size) for term, count in counts.items()}
    concepts = _concepts(spelled, counts, set(content), size)
    search_by = [*map(_widest(counts), concepts), *filter(_is_pair, said)]
    searched = _rarest(dict.fromkeys(search_by), counts)
    asked_by = parts(searched, counts, size)
    return Asked(
        concepts=concepts,
        searched=searched,
        parts=asked_by,
        fewest=(Part(any_of(searched[:_FEWEST])),) if len(asked_by) > 1 else (),
        exact=_exact(read, content),
        wording=wording,
        said=frozenset(wording),
        known=frozenset(term for term, count in counts.items() if count),
        places={form: place for place, each in enumerate(concepts) for form in each.forms},
        rarity=sum(concept.rarity for concept in concepts) or 1.0,
        weight=sum(wording.values()) or 1.0,
    )


def _condensed(text: str) -> str:
    """The text itself, or of a very long one its distinct words, names and long words first."""
    if len(text) <= _READ_CHARACTERS:
        return text
    distinct = list(dict.fromkeys(_BETWEEN.split(text)))
    distinct.sort(key=lambda word: (not _looks_like_name(word), -len(word)))
    kept: list[str] = []
    room = _READ_CHARACTERS
    for word in distinct:
        room -= min(len(word), LONGEST) + 1
        if room < 0:
            break
        kept.append(word[:LONGEST])
    return " ".join(kept)


def _looks_like_name(word: str) -> bool:
    return len(word) <= LONGEST and word.isascii() and not word.isalpha()


def _widest(counts: Mapping[str, int]) -> Callable[[Concept], str]:
    """Picks the form that finds most: the stem, which the index holds for every inflection."""
    return lambda concept: max(concept.forms, key=counts.__getitem__)


def _frequency(db: sqlite3.Connection, store: str, size: int, term: str) -> int:
    """How often a term occurs; 1 when half the index is gone and the other half has to do.

    SQLite counts a common term anew each time, so its count is kept while the store grows
    by a sixteenth; a rare one, which decides what is found, is never kept.
    """
    key = (store, size.bit_length(), size * 16 >> size.bit_length(), term)
    if (known := _common.get(key)) is not None:
        return known
    try:
        count = document_frequency(db, term)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            raise
        return 1
    if count >= _COMMON:
        if len(_common) >= _REMEMBERED:
            _common.clear()
        _common[key] = count
    return count


def _is_character(term: str) -> bool:
    return len(term) == 1 and not term.isascii()


def _is_pair(term: str) -> bool:
    """Whether the term is two characters of an unspaced script.

    Such a pair tells something even where each of its characters is a stop word.
    """
    return len(term) == 2 and not term.isascii()


def _rarest(sought: Iterable[str], counts: Mapping[str, int]) -> tuple[str, ...]:
    """Terms that occur, the rarest first."""
    found = [term for term in sought if counts[term]]
    return tuple(sorted(found, key=counts.__getitem__)[:MOST_TERMS])


def _concepts(
    spelled: Iterable[words.Term], counts: Mapping[str, int], content: Container[str], size: int
) -> tuple[Concept, ...]:
    places: dict[tuple[int, int], list[str]] = {}
    for term in spelled:
        if term.text in content:
            places.setdefault((term.start, term.end), []).append(term.text)
    forms = dict.fromkeys(tuple(dict.fromkeys(place)) for place in places.values())
    return tuple(Concept(each, _rarity(max(counts[form] for form in each), size)) for each in forms)


def _rarity(count: int, size: int) -> float:
    return max(0.1, log((size + _PRIOR) / (count + 1)))


def _exact(text: str, content: Sequence[str]) -> tuple[str, ...]:
    """Quoted phrases that are not only stop words, and identifiers, folded."""
    quoted = [each for each in words.quoted(text) if not set(content).isdisjoint(_terms(each))]
    phrases = [fold(each).strip() for each in (*quoted, *words.identifiers(text))]
    return tuple(dict.fromkeys(filter(None, phrases)))[:_EXACT]


def _terms(text: str) -> list[str]:
    return words.index_terms(text).split()


def fingerprint(query: Query) -> str:
    """Sixteen characters that tell one question, filters included, from another."""
    asked: list[object] = [query.text, query.path, query.family, query.scope, query.limit]
    asked += [query.variants, query.kinds, query.types, query.tags, query.include]
    asked += [query.as_of, query.believed_at]
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
    match = _CURSOR.fullmatch(decoded(query.cursor))
    if match is None or match[2] != fingerprint(query):
        raise Invalid(
            "cursor belongs to another question",
            "Repeat the query and its filters exactly as they were, or leave the cursor out.",
        )
    return int(match[1])
