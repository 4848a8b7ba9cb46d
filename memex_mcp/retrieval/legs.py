"""The legs of a recall, the only part that reads: each finds visible records by itself."""

import sqlite3
from collections.abc import Iterable, Sequence

from memex_mcp.retrieval.fuse import Found, Ranking
from memex_mcp.retrieval.query import Asked
from memex_mcp.store.records import body_text
from memex_mcp.store.visible import Sight
from memex_mcp.text.fold import fold
from memex_mcp.text.words import index_terms

DEPTH = 200
"""Records that a leg names at most."""

TITLE, CARD, ASKED = 2.0, 1.0, 1.5
"""Weights of the card's columns in bm25."""

_EXACT_DEPTH = 40
_MARGIN = 200

# The limit inside keeps SQLite from joining before it ranks: it reads rows best first and
# looks at each record only until there are enough.
_CARD = f"""
SELECT r.n FROM (
  SELECT rowid AS n, bm25(card_index, {TITLE}, {CARD}, {ASKED}) AS worse
  FROM card_index WHERE card_index MATCH ? ORDER BY worse LIMIT -1
) AS f CROSS JOIN record AS r ON r.n = f.n"""
_BODY = """
SELECT r.n, c.start, c.stop FROM (
  SELECT rowid AS n, bm25(body_index) AS worse
  FROM body_index WHERE body_index MATCH ? ORDER BY worse LIMIT -1
) AS f CROSS JOIN chunk AS c ON c.n = f.n CROSS JOIN record AS r ON r.n = c.record_n"""
_CARD_TEXT = """
SELECT title, summary, use_when, tags, aliases, questions, entities FROM record WHERE n = ?"""


def lexical(db: sqlite3.Connection, asked: Asked, sight: Sight, weight: float) -> list[Ranking]:
    """Rank by words, once over the cards and once over the bodies."""
    if not asked.searched:
        return []
    return [card(db, asked, sight, weight), body(db, asked, sight, weight)]


def card(db: sqlite3.Connection, asked: Asked, sight: Sight, weight: float = 1.0) -> Ranking:
    """Records whose title, card, aliases or questions share words with the question."""
    return Ranking("card", weight, tuple(_cards(db, _any_of(asked.searched), sight, DEPTH)))


def body(db: sqlite3.Connection, asked: Asked, sight: Sight, weight: float = 1.0) -> Ranking:
    """Records by their best chunk."""
    return Ranking("body", weight, tuple(_bodies(db, _any_of(asked.searched), sight, DEPTH)))


def exact(db: sqlite3.Connection, asked: Asked, sight: Sight, weight: float = 1.0) -> Ranking:
    """Records that hold the quoted phrases and identifiers of the question word for word.

    The index proposes, the original text decides.  Best are those that hold the most.
    """
    held: dict[int, tuple[int, Found]] = {}
    for phrase in asked.exact:
        for found in _holding(db, phrase, sight):
            count, first = held.get(found.n, (0, found))
            held[found.n] = (count + 1, first if first.stop else found)
    ranked = sorted(held.values(), key=lambda each: -each[0])
    return Ranking("exact", weight, tuple(found for _, found in ranked))


def _holding(db: sqlite3.Connection, phrase: str, sight: Sight) -> list[Found]:
    match = " AND ".join(f'"{term}"' for term in dict.fromkeys(index_terms(phrase).split()))
    if not match:
        return []
    found: dict[int, Found] = {}
    for each in _bodies(db, match, sight, _EXACT_DEPTH):
        around = body_text(db, each.n, max(0, each.start - _MARGIN), each.stop + _MARGIN)
        if phrase in fold(around):
            found[each.n] = each
    for each in _cards(db, match, sight, _EXACT_DEPTH):
        if each.n not in found and phrase in fold(_card_text(db, each.n)):
            found[each.n] = each
    return list(found.values())


def _cards(db: sqlite3.Connection, match: str, sight: Sight, depth: int) -> Iterable[Found]:
    rows = db.execute(f"{_CARD} WHERE {sight.where} LIMIT ?", (match, *sight.params, depth))
    return [Found(n) for (n,) in rows]


def _bodies(db: sqlite3.Connection, match: str, sight: Sight, depth: int) -> Iterable[Found]:
    best: dict[int, Found] = {}
    rows = db.execute(f"{_BODY} WHERE {sight.where}", (match, *sight.params))
    for n, start, stop in rows:
        best.setdefault(n, Found(n, start, stop))
        if len(best) == depth:
            break
    rows.close()
    return best.values()


def _card_text(db: sqlite3.Connection, n: int) -> str:
    row = db.execute(_CARD_TEXT, (n,)).fetchone()
    return "\n".join(row)


def _any_of(terms: Sequence[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)
