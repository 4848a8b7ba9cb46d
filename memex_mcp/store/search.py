"""What the full-text index finds: rows, best first, that a sight admits."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memex_mcp.model.record import Record
from memex_mcp.model.times import to_ms
from memex_mcp.store.visible import Sight
from memex_mcp.values import dataclass

TITLE, CARD, ASKED = 2.0, 1.0, 1.5
"""Weights of the card's columns in bm25."""

MOST = 8_000
"""Rows of a match that count at most: what more of them hold hardly tells one from another."""

# The limit keeps SQLite from joining before it ranks: it reads rows best first and looks at
# each record only until there are enough.
_RANKED = """
WITH f AS (
  SELECT rowid AS n, -{bm25} AS score FROM {table} WHERE {table} MATCH ?{among}
  ORDER BY score DESC LIMIT -1
)"""
_RANKED_NEWEST = """
WITH f AS (
  SELECT n, score FROM (
    SELECT rowid AS n, -{bm25} AS score FROM {table} WHERE {table} MATCH ?
    ORDER BY rowid DESC LIMIT {most}
  ) ORDER BY score DESC LIMIT -1
)"""
# The plus keeps SQLite from asking the index anew for each of these rows.
_AMONG = " AND +rowid IN (SELECT rowid FROM {table} WHERE {table} MATCH ?)"
_SUMMED = """
WITH f AS (
  SELECT n, total / {size} AS score
  FROM (SELECT n, sum(worth) AS total FROM ({parts}) GROUP BY n){sizes}
  ORDER BY score DESC, n DESC LIMIT -1
)"""
_PART = "SELECT rowid AS n, ? AS worth FROM {table} WHERE {table} MATCH ?"
_NEWEST = f"SELECT n, worth FROM ({_PART} ORDER BY rowid DESC LIMIT {MOST})"
_CARD = "SELECT r.n, f.score FROM f CROSS JOIN record AS r ON r.n = f.n"
_BODY = """SELECT r.n, c.start, c.stop, f.score
FROM f CROSS JOIN chunk AS c ON c.n = f.n CROSS JOIN record AS r ON r.n = c.record_n"""
_HOLDING_BODY = """SELECT r.n, c.start, c.stop
FROM body_index AS f CROSS JOIN chunk AS c ON c.n = f.rowid
CROSS JOIN record AS r ON r.n = c.record_n WHERE f.body_index MATCH ?"""
_HOLDING_CARD = """SELECT r.n FROM card_index AS f CROSS JOIN record AS r ON r.n = f.rowid
WHERE f.card_index MATCH ?"""
# Of two chunks that hold the same words the shorter one says more about them.
_SIZE = {"card_index": ("", "1"), "body_index": (" JOIN chunk USING (n)", "(650.0 + stop - start)")}
_BM25 = {
    "card_index": f"bm25(card_index, {TITLE}, {CARD}, {ASKED})",
    "body_index": "bm25(body_index)",
}
# A record's chunks are numbered in a row, so this looks at none but its own.  Nothing is left to
# bm25, which would count how rare each word is in all the others.
_WITHIN = "SELECT min(n), max(n) FROM chunk WHERE record_n = ?"
_CHUNK = """
SELECT c.start, c.stop FROM (
  SELECT n, sum(worth) AS total FROM ({parts}) GROUP BY n
) AS f CROSS JOIN chunk AS c ON c.n = f.n
ORDER BY f.total / (650.0 + c.stop - c.start) DESC, c.n LIMIT 1"""
# Each record with the next ones of its session, all in one statement.  The moments are given,
# since of an earlier version they are not those of the row.
_AFTER = """
SELECT o.n, (
  SELECT json_group_array(n) FROM (
    SELECT r.n FROM record AS r
    WHERE r.workspace_id = o.workspace_id AND r.session_id = o.session_id
      AND (r.observed_at, r.id) > (asked.value, o.id) AND {where}
    ORDER BY r.observed_at, r.id LIMIT {most}
  )
) FROM json_each(?) AS asked CROSS JOIN record AS o ON o.n = asked.key"""


@dataclass(frozen=True, slots=True)
class Part:
    """One match of the index.

    Attributes:
        match: Expression of FTS5.
        worth: What a row gains that it matches; rows rank by the sum over the parts.  0 leaves
            it to bm25, of a match that stands alone.
        among: Expression that a row has to match as well to be ranked by bm25; empty for none.
        newest: Of the rows that match only the ``MOST`` newest count.
    """

    match: str
    worth: float = 0.0
    among: str = ""
    newest: bool = False


class Found(NamedTuple):
    """One record that a match of the index found; a tuple, since a search makes hundreds.

    Attributes:
        n: Row number of the record.
        start: Where the matching chunk begins in the body, in characters.
        stop: Where it ends; 0 when the match lies outside the body.
        score: The higher the better; scores of two matches do not compare.
        share: Share of the question's phrases and identifiers that stand there word for word.
    """

    n: int
    start: int = 0
    stop: int = 0
    score: float = 0.0
    share: float = 0.0


def cards(db: sqlite3.Connection, parts: Sequence[Part], sight: Sight, depth: int) -> list[Found]:
    """Records by their cards, best first, ``depth`` at most."""
    if not parts:
        return []
    best, matches = _best("card_index", parts)
    sql = f"{_CARD} WHERE {sight.where} LIMIT ?"
    rows = db.execute(f"{best} {sql}", (*matches, *sight.params, depth))
    return [Found(n, score=score) for n, score in rows]


def holding(db: sqlite3.Connection, match: str, sight: Sight, depth: int) -> list[Found]:
    """Chunks and cards that match, in no order, ``depth`` of either at most.

    To rank what many rows hold takes a hundred times as long as to find some of them.
    """
    values = (match, *sight.params, depth)
    found = db.execute(f"{_HOLDING_BODY} AND {sight.where} LIMIT ?", values).fetchall()
    found += db.execute(f"{_HOLDING_CARD} AND {sight.where} LIMIT ?", values)
    return [Found(*row) for row in found]


def chunks(
    db: sqlite3.Connection, parts: Sequence[Part], sight: Sight, depth: int, *, every: bool = False
) -> list[Found]:
    """Records by their best chunk, best first, ``depth`` at most; or every chunk by itself."""
    if not parts:
        return []
    best, matches = _best("body_index", parts)
    found: dict[object, Found] = {}
    sql = f"{_BODY} WHERE {sight.where}"
    rows = db.execute(f"{best} {sql}", (*matches, *sight.params))
    for n, start, stop, score in rows:
        key = (n, start) if every else n
        if key not in found:
            found[key] = Found(n, start, stop, score)
            if len(found) == depth:
                break
    rows.close()
    return list(found.values())


def best_chunk(db: sqlite3.Connection, n: int, parts: Sequence[Part]) -> tuple[int, int] | None:
    """Where the chunk of one record that matches best begins and ends."""
    within = tuple(db.execute(_WITHIN, (n,)).fetchone())
    part = f"{_PART.format(table='body_index')} AND rowid BETWEEN ? AND ?"
    sql = _CHUNK.format(parts=" UNION ALL ".join([part] * len(parts)))
    values = [value for each in parts for value in (each.worth, each.match, *within)]
    row = db.execute(sql, values).fetchone()
    return None if row is None else (int(row[0]), int(row[1]))


def after(
    db: sqlite3.Connection, records: Mapping[int, Record], sight: Sight, most: int
) -> dict[int, list[int]]:
    """For each record the rows of what was observed next in its session."""
    moments = {n: to_ms(each.times.observed_at) for n, each in records.items()}
    sql = _AFTER.format(where=sight.where, most=most)
    rows = db.execute(sql, (*sight.params, json.dumps(moments)))
    return {n: json.loads(following) for n, following in rows}


def latest(db: sqlite3.Connection, sight: Sight, *, skip: int, limit: int) -> list[int]:
    """Row numbers of what the sight admits, the last observed first; ``skip`` of them left out."""
    rows = db.execute(
        f"SELECT r.n FROM record AS r WHERE {sight.where}"
        " ORDER BY r.observed_at DESC, r.id DESC LIMIT ? OFFSET ?",
        (*sight.params, limit, skip),
    )
    return [int(n) for (n,) in rows]


def _best(table: str, parts: Sequence[Part]) -> tuple[str, list[object]]:
    """Rows of an index as table ``f``, best first, and the values for its question marks."""
    first = parts[0]
    if not first.worth and first.newest:
        return _RANKED_NEWEST.format(table=table, bm25=_BM25[table], most=MOST), [first.match]
    if not first.worth:
        among = _AMONG.format(table=table) if first.among else ""
        best = _RANKED.format(table=table, bm25=_BM25[table], among=among)
        return best, [first.match, first.among] if among else [first.match]
    each = " UNION ALL ".join(
        [(_NEWEST if part.newest else _PART).format(table=table) for part in parts]
    )
    sizes, size = _SIZE[table]
    best = _SUMMED.format(parts=each, sizes=sizes, size=size)
    return best, [value for part in parts for value in (part.worth, part.match)]
