"""The legs of a recall, the only part that reads: each finds visible records by itself."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from memex_mcp.model.record import Record
from memex_mcp.retrieval.fuse import Found
from memex_mcp.retrieval.plan import all_of
from memex_mcp.retrieval.query import Asked
from memex_mcp.store import search
from memex_mcp.store.records import body_parts, card_text
from memex_mcp.store.search import Part
from memex_mcp.store.visible import Sight
from memex_mcp.text.fold import fold
from memex_mcp.text.words import index_terms, query_terms

DEPTH = 60
"""Records that a leg names at most."""

REACH = 2
"""Records before and after in the same session that count as neighbours."""

_EXACT_DEPTH = 40
_MARGIN = 200
# Terms of a phrase that propose records, the rarest.
_TELLING = 4


def card(db: sqlite3.Connection, asked: Asked, sight: Sight) -> list[Found]:
    """Records whose title, card, aliases or questions share words with the question."""
    return _searched(search.cards, db, asked, sight)


def body(db: sqlite3.Connection, asked: Asked, sight: Sight) -> list[Found]:
    """Records by their best chunk."""
    return _searched(search.chunks, db, asked, sight)


def exact(db: sqlite3.Connection, asked: Asked, sight: Sight) -> list[Found]:
    """Records that hold the quoted phrases and identifiers of the question word for word.

    The index proposes, the original text decides.  Best are those that hold the most.
    """
    held: dict[int, tuple[int, Found]] = {}
    for phrase in asked.exact:
        for found in _holding(db, phrase, asked, sight):
            count, first = held.get(found.n, (0, found))
            held[found.n] = (count + 1, first if first.stop else found)
    return [found._replace(share=count / len(asked.exact)) for count, found in _most(held)]


def best_chunk(db: sqlite3.Connection, n: int, terms: Mapping[str, float]) -> Found | None:
    """The chunk of one record that holds terms worth most; None when none holds any."""
    if not terms:
        return None
    parts = [Part(f'"{term}"', worth) for term, worth in terms.items()]
    place = search.best_chunk(db, n, parts)
    return None if place is None else Found(n, *place)


def beside(
    db: sqlite3.Connection, records: Mapping[int, Record], sight: Sight
) -> dict[int, list[tuple[int, int]]]:
    """For each record those of the others that stand within two places of it in its session.

    Returns:
        Row number to the rows beside it, each with its distance, 1 or 2.
    """
    sizes = Counter((record.workspace_id, record.session_id) for record in records.values())
    in_company = {
        n: record
        for n, record in records.items()
        if record.session_id and sizes[record.workspace_id, record.session_id] > 1
    }
    near: dict[int, list[tuple[int, int]]] = {}
    if not in_company:
        return near
    for n, following in search.after(db, in_company, sight, REACH).items():
        for distance, other in enumerate(following, start=1):
            if other in records:
                near.setdefault(n, []).append((other, distance))
                near.setdefault(other, []).append((n, distance))
    return near


def _most(held: Mapping[int, tuple[int, Found]]) -> list[tuple[int, Found]]:
    return sorted(held.values(), key=lambda each: -each[0])


def _holding(db: sqlite3.Connection, phrase: str, asked: Asked, sight: Sight) -> list[Found]:
    terms = list(dict.fromkeys(index_terms(phrase).split()))
    if not terms:
        return []
    # To find the phrase itself, the index reads the list of each of its words to the end, and
    # those of stop words are the longest.  Where few rows hold the others, these are enough.
    telling = [term for term in asked.searched if term in terms][:_TELLING]
    for match in filter(None, (all_of(telling), _in_order(phrase))):
        proposed = search.holding(db, match, sight, _EXACT_DEPTH + 1)
        if len(proposed) <= _EXACT_DEPTH:
            return _proven(db, phrase, proposed)
    # Word for word finds nearly all; a phrase that ends inside a word needs the other.
    exactly = f'"{index_terms(phrase)}"'
    found = _proven(db, phrase, _proposed(db, exactly, sight))
    if found or len(terms) == 1:
        return found
    return _proven(db, phrase, _proposed(db, all_of(terms), sight))


def _in_order(phrase: str) -> str:
    """Match the words of a phrase in their order, stop words left out; empty for scattered ones."""
    content = frozenset(query_terms(phrase))
    runs = [list(run) for _, run in groupby(index_terms(phrase).split(), content.__contains__)]
    together = [run for run in runs if run[0] in content and len(run) > 1]
    return " AND ".join([f'"{" ".join(run)}"' for run in together])


def _proposed(db: sqlite3.Connection, match: str, sight: Sight) -> list[Found]:
    """The shortest that match: bm25 would read all positions twice."""
    parts = [Part(match, 1.0)]
    chunks = search.chunks(db, parts, sight, _EXACT_DEPTH, every=True)
    return [*chunks, *search.cards(db, parts, sight, _EXACT_DEPTH)]


def _proven(db: sqlite3.Connection, phrase: str, proposed: Sequence[Found]) -> list[Found]:
    """Those that hold the phrase, each once, by its body if that holds it."""
    found: dict[int, Found] = {}
    chunks = [each for each in proposed if each.stop]
    around = [(each.n, max(0, each.start - _MARGIN), each.stop + _MARGIN) for each in chunks]
    for each, text in zip(chunks, body_parts(db, around), strict=True):
        if each.n not in found and phrase in fold(text):
            found[each.n] = each
    for each in proposed:
        if not each.stop and each.n not in found and phrase in fold(card_text(db, each.n)):
            found[each.n] = each
    return list(found.values())


_Leg = Callable[[sqlite3.Connection, Sequence[Part], Sight, int], list[Found]]


def _searched(leg: _Leg, db: sqlite3.Connection, asked: Asked, sight: Sight) -> list[Found]:
    found = leg(db, asked.plan.parts, sight, DEPTH)
    if len(found) >= asked.plan.enough:
        return found
    return leg(db, asked.plan.rest, sight, DEPTH) or found
