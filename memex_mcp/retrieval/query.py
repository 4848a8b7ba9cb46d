"""A question taken apart: the terms to look for, how rare each is, and what must match verbatim."""

import sqlite3
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from math import log

from memex_mcp.errors import Invalid
from memex_mcp.retrieval.condensed import condensed
from memex_mcp.retrieval.plan import Plan, plan
from memex_mcp.retrieval.sentences import Sentence, sentences
from memex_mcp.retrieval.telling import Telling, telling
from memex_mcp.store.index import document_frequency
from memex_mcp.store.index import size as size_of
from memex_mcp.store.migrations import get_meta
from memex_mcp.text import lazily, words
from memex_mcp.text.fold import fold
from memex_mcp.values import dataclass

MOST_TERMS = 32
"""Terms that are searched by, the rarest."""

_LOOKED_UP = 600
_EXACT = 12
# Rarity is damped so that a store of three records does not call every word common.
_PRIOR = 200
_STOP_WORD = 1.0
_COMMON = 32
_REMEMBERED = 8_192
_HARDLY = 20
_HAN = lazily.pattern("[\u3400-\u9fff]")
_LATIN = lazily.pattern("[A-Za-z]+")

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
        plan: How the index is asked for them.
        exact: Quoted phrases and identifiers, folded.
        wording: Every term of the question with its rarity, stop words included.
        said: The same terms without their rarity.
        places: Which concept a term stands for.
        known: Terms of the concepts that the index holds anywhere.
        telling: What else tells whether a text answers it.
        sentences: What it asks one by one; empty unless it is long.
        foreign: It is written in a script that the store hardly knows.
        unspaced: Most of it is Chinese.
        size: Chunks in the index.
        rarities: That of each concept.
        words: Places of the concepts that are words and no single character.
        rarity: Sum over the concepts; never 0.
        weight: Sum over ``wording``; never 0.
    """

    concepts: tuple[Concept, ...]
    searched: tuple[str, ...]
    plan: Plan
    exact: tuple[str, ...]
    wording: Mapping[str, float]
    said: frozenset[str]
    places: Mapping[str, int]
    known: frozenset[str]
    telling: Telling
    sentences: tuple[Sentence, ...]
    foreign: bool
    unspaced: bool
    size: int
    rarities: tuple[float, ...]
    words: frozenset[int]
    rarity: float
    weight: float

    def held(self, terms: Iterable[str]) -> frozenset[int]:
        """Places of the concepts that ``terms``, all said in the question, stand for."""
        return frozenset([self.places[term] for term in terms if term in self.places])

    def share(self, terms: Collection[str]) -> float:
        """Share of the content that ``terms`` stand for, 0 to 1."""
        return self.portion(self.held(terms)) if terms else 0.0

    def portion(self, held: Iterable[int]) -> float:
        """Share of the content that concepts are, 0 to 1."""
        return sum(map(self.rarities.__getitem__, held)) / self.rarity

    def content_share(self, held: frozenset[int]) -> float:
        """The same of the concepts that carry content."""
        told = held & self.telling.content
        return sum(map(self.rarities.__getitem__, told)) / self.telling.weight

    def count(self, held: frozenset[int]) -> int:
        """How many of the concepts are words; a single Chinese character is none."""
        return len(held & self.words)

    def wording_share(self, terms: Collection[str]) -> float:
        """Share of everything said, weighted by rarity, 0 to 1."""
        return sum([self.wording[term] for term in terms]) / self.weight


def ask(db: sqlite3.Connection, text: str, undated: str | None = None) -> Asked:
    """Take one wording apart and look its terms up.

    Args:
        db: Snapshot to look them up in.
        text: The wording.
        undated: The same without its dates, which no record is worse for not holding.

    Raises:
        Invalid: There is nothing in it but white space.
    """
    if not text.strip("\0 \t\r\n\u3000"):
        raise Invalid("query is empty", "Say in a few words what you are looking for.")
    read = condensed(text)
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
    han = 0 if read.isascii() else len(_HAN.findall(read))
    latin = len(_LATIN.findall(read))
    foreign = _other_language(db, han - latin, store, size)
    if foreign:
        # Only names are the same in both languages; what the store lacks says nothing then.
        concepts = tuple(each for each in concepts if any(counts[form] for form in each.forms))
        wording = {form: wording[form] for each in concepts for form in each.forms}
    search_by = [*map(_widest(counts), concepts), *filter(_is_pair, said)]
    searched = _rarest(dict.fromkeys(search_by), counts)
    if undated is not None and undated.strip() and undated != text:
        concepts, wording = _undated(concepts, wording, counts, undated)
    places = {form: place for place, each in enumerate(concepts) for form in each.forms}
    known = frozenset(term for term, count in counts.items() if count)
    rarities = tuple(each.rarity for each in concepts)
    return Asked(
        concepts=concepts,
        searched=searched,
        plan=plan(searched, counts, size),
        exact=_exact(read, content),
        wording=wording,
        said=frozenset(wording),
        known=known,
        telling=telling(undated or read, spelled, places, rarities, known),
        sentences=sentences(read, len(concepts), wording, counts),
        foreign=foreign,
        unspaced=han > latin,
        size=size,
        places=places,
        rarities=rarities,
        words=frozenset(
            place for place, each in enumerate(concepts) if not _is_character(each.forms[0])
        ),
        rarity=sum(rarities) or 1.0,
        weight=sum(wording.values()) or 1.0,
    )


def _undated(
    concepts: tuple[Concept, ...],
    wording: dict[str, float],
    counts: Mapping[str, int],
    undated: str,
) -> tuple[tuple[Concept, ...], dict[str, float]]:
    """Both without what no record holds of the dates; unchanged where nothing else is said."""
    left = words.term_set(undated) | {term for term, count in counts.items() if count}
    kept = tuple(each for each in concepts if not left.isdisjoint(each.forms))
    if not kept:
        return concepts, wording
    return kept, {term: rarity for term, rarity in wording.items() if term in left}


def _other_language(db: sqlite3.Connection, more_han: int, store: str, size: int) -> bool:
    """Whether a question is written in a script that the store hardly knows.

    The commonest words of English and Chinese tell what a store is written in; ``more_han``
    is by how many Chinese characters outnumber the Latin words of the question.
    """
    english = _frequency(db, store, size, "the") * _HARDLY > size
    chinese = _frequency(db, store, size, "的") * _HARDLY > size
    return (more_han > 0 and english and not chinese) or (more_han < 0 and chinese and not english)


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
    spelled = list(spelled)
    borders = _borders(spelled, counts)
    for term in spelled:
        if term.text in content and (term.start, term.end) not in borders:
            places.setdefault((term.start, term.end), []).append(term.text)
    forms = dict.fromkeys(tuple(dict.fromkeys(place)) for place in places.values())
    return tuple(Concept(each, _rarity(max(counts[form] for form in each), size)) for each in forms)


def _borders(spelled: Iterable[words.Term], counts: Mapping[str, int]) -> set[tuple[int, int]]:
    """Pairs of characters that no record holds, between two that some do: they are no word."""
    pairs = {term.start: term for term in spelled if _is_pair(term.text)}
    known = {start for start, term in pairs.items() if counts.get(term.text)}
    return {
        (term.start, term.end)
        for start, term in pairs.items()
        if start not in known and start - 1 in known and start + 1 in known
    }


def _rarity(count: int, size: int) -> float:
    return max(0.1, log((size + _PRIOR) / (count + 1)))


def _exact(text: str, content: Sequence[str]) -> tuple[str, ...]:
    """Quoted phrases that are not only stop words, and identifiers, folded."""
    quoted = [each for each in words.quoted(text) if not set(content).isdisjoint(_terms(each))]
    phrases = [fold(each).strip() for each in (*quoted, *words.identifiers(text))]
    return tuple(dict.fromkeys(filter(None, phrases)))[:_EXACT]


def _terms(text: str) -> list[str]:
    return words.index_terms(text).split()
