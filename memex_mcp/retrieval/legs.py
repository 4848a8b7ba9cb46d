"""The legs of a recall, the only part that reads: each finds visible records by itself."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from memex_mcp.model.record import Record
from memex_mcp.retrieval.fuse import Found
from memex_mcp.retrieval.plan import all_of
from memex_mcp.retrieval.query import Asked
from memex_mcp.store import search
from memex_mcp.store.records import body_text, card_text
from memex_mcp.store.search import Part
from memex_mcp.store.visible import Sight
from memex_mcp.text.fold import fold
from memex_mcp.text.words import index_terms

DEPTH = 100
"""Records that a leg names at most."""

REACH = 2
"""Records before and after in the same session that count as neighbours."""

_EXACT_DEPTH = 40
_MARGIN = 200


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
        for found in _holding(db, phrase, sight):
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


def _holding(db: sqlite3.Connection, phrase: str, sight: Sight) -> list[Found]:
    terms = index_terms(phrase).split()
    if not terms:
        return []
    # Word for word finds nearly all; a phrase that ends inside a word needs the other.
    # Nothing is gained by ranking them, and bm25 would read all positions twice.
    found = _proven(db, phrase, Part(f'"{" ".join(terms)}"', 1.0), sight)
    if found or len(terms) == 1:
        return found
    return _proven(db, phrase, Part(all_of(list(dict.fromkeys(terms)))), sight)


def _proven(db: sqlite3.Connection, phrase: str, part: Part, sight: Sight) -> list[Found]:
    match = [part]
    found: dict[int, Found] = {}
    for each in search.chunks(db, match, sight, _EXACT_DEPTH):
        around = body_text(db, each.n, max(0, each.start - _MARGIN), each.stop + _MARGIN)
        if phrase in fold(around):
            found[each.n] = each
    for each in search.cards(db, match, sight, _EXACT_DEPTH):
        if each.n not in found and phrase in fold(card_text(db, each.n)):
            found[each.n] = each
    return list(found.values())


_Leg = Callable[[sqlite3.Connection, Sequence[Part], Sight, int], list[Found]]


def _searched(leg: _Leg, db: sqlite3.Connection, asked: Asked, sight: Sight) -> list[Found]:
    found = leg(db, asked.plan.parts, sight, DEPTH)
    if len(found) >= asked.plan.enough:
        return found
    return leg(db, asked.plan.rest, sight, DEPTH) or found
