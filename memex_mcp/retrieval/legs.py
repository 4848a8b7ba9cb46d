"""The legs of a recall, the only part that reads: each finds visible records by itself."""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memex_mcp.model.record import Record
from memex_mcp.model.times import to_ms
from memex_mcp.retrieval.fuse import Found
from memex_mcp.retrieval.query import Asked
from memex_mcp.store.records import body_text
from memex_mcp.store.visible import Sight
from memex_mcp.text.fold import fold
from memex_mcp.text.words import index_terms

DEPTH = 100
"""Records that a leg names at most."""

TITLE, CARD, ASKED = 2.0, 1.0, 1.5
"""Weights of the card's columns in bm25."""

REACH = 2
"""Records before and after in the same session that count as neighbours."""

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
# A record's chunks are numbered in a row, so this looks at none but its own.
_WITHIN = """
SELECT c.start, c.stop FROM body_index CROSS JOIN chunk AS c ON c.n = body_index.rowid
WHERE body_index MATCH ?
  AND body_index.rowid >= (SELECT min(n) FROM chunk WHERE record_n = ?)
  AND body_index.rowid <= (SELECT max(n) FROM chunk WHERE record_n = ?)
ORDER BY bm25(body_index) LIMIT 1"""
_AFTER = """
SELECT r.n FROM record AS r
WHERE r.workspace_id = ? AND r.session_id = ? AND (r.observed_at, r.id) > (?, ?)"""
_CARD_TEXT = """
SELECT title, summary, use_when, tags, aliases, questions, entities FROM record WHERE n = ?"""


def card(db: sqlite3.Connection, asked: Asked, sight: Sight) -> list[Found]:
    """Records whose title, card, aliases or questions share words with the question."""
    return _cards(db, _any_of(asked.searched), sight, DEPTH) if asked.searched else []


def body(db: sqlite3.Connection, asked: Asked, sight: Sight) -> list[Found]:
    """Records by their best chunk."""
    return _bodies(db, _any_of(asked.searched), sight, DEPTH) if asked.searched else []


def exact(db: sqlite3.Connection, asked: Asked, sight: Sight) -> list[Found]:
    """Records that hold the quoted phrases and identifiers of the question word for word.

    The index proposes, the original text decides.  Best are those that hold the most.
    """
    held: dict[int, tuple[int, Found]] = {}
    for phrase in asked.exact:
        for found in _holding(db, phrase, sight):
            count, first = held.get(found.n, (0, found))
            held[found.n] = (count + 1, first if first.stop else found)
    return [replace(found, share=count / len(asked.exact)) for count, found in _most(held)]


def best_chunk(db: sqlite3.Connection, n: int, terms: Sequence[str]) -> Found | None:
    """The chunk of one record that holds most of the terms; None when none holds any."""
    if not terms:
        return None
    row = db.execute(_WITHIN, (_any_of(terms), n, n)).fetchone()
    return None if row is None else Found(n, row[0], row[1])


def beside(
    db: sqlite3.Connection, records: Mapping[int, Record], sight: Sight
) -> dict[int, list[tuple[int, int]]]:
    """For each record those of the others that stand within two places of it in its session.

    Returns:
        Row number to the rows beside it, each with its distance, 1 or 2.
    """
    sizes = Counter((record.workspace_id, record.session_id) for record in records.values())
    near: dict[int, list[tuple[int, int]]] = {}
    for n, record in records.items():
        session = (record.workspace_id, record.session_id)
        if not record.session_id or sizes[session] < 2:
            continue
        moment = to_ms(record.times.observed_at)
        after = db.execute(
            f"{_AFTER} AND {sight.where} ORDER BY r.observed_at, r.id LIMIT ?",
            (*session, moment, record.id, *sight.params, REACH),
        )
        for distance, (other,) in enumerate(after.fetchall(), start=1):
            if other in records:
                near.setdefault(n, []).append((other, distance))
                near.setdefault(other, []).append((n, distance))
    return near


def _most(held: Mapping[int, tuple[int, Found]]) -> list[tuple[int, Found]]:
    return sorted(held.values(), key=lambda each: -each[0])


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


def _cards(db: sqlite3.Connection, match: str, sight: Sight, depth: int) -> list[Found]:
    rows = db.execute(f"{_CARD} WHERE {sight.where} LIMIT ?", (match, *sight.params, depth))
    return [Found(n) for (n,) in rows]


def _bodies(db: sqlite3.Connection, match: str, sight: Sight, depth: int) -> list[Found]:
    best: dict[int, Found] = {}
    rows = db.execute(f"{_BODY} WHERE {sight.where}", (match, *sight.params))
    for n, start, stop in rows:
        best.setdefault(n, Found(n, start, stop))
        if len(best) == depth:
            break
    rows.close()
    return list(best.values())


def _card_text(db: sqlite3.Connection, n: int) -> str:
    row = db.execute(_CARD_TEXT, (n,)).fetchone()
    return "\n".join(row)


def _any_of(terms: Sequence[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)
