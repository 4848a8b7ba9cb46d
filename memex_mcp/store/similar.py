"""Notes of one scope owner that say something close to a new one, or against it."""

import sqlite3
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind, NoteType
from memex_mcp.model.query import Similar
from memex_mcp.model.record import Record
from memex_mcp.policy import sameness
from memex_mcp.store import index, records
from memex_mcp.store.visible import sight
from memex_mcp.text.words import query_terms

_WORDS = 8
_POSTINGS = 2_000
_NOTES = 5

# The limit inside keeps SQLite from joining before it ranks.
_SQL = """
SELECT r.n, r.id, r.title, r.type FROM (
  SELECT rowid AS n, bm25(body_index) AS worse
  FROM body_index WHERE body_index MATCH ? ORDER BY worse LIMIT -1
) AS f CROSS JOIN chunk AS c ON c.n = f.n CROSS JOIN record AS r ON r.n = c.record_n
WHERE r.owner = ? AND r.id <> ? AND """


def compare(
    db: sqlite3.Connection, record: Record, caller: Caller, at: datetime
) -> tuple[tuple[Similar, ...], tuple[Similar, ...]]:
    """The notes most like ``record`` that its writer sees: those that agree, those that do not.

    Looks at the five notes of the same scope owner that share its rarest words.
    """
    words = _shared(db, record)
    if not words:
        return (), ()
    seen = sight(caller, kinds=(Kind.NOTE,), at=at)
    match = " OR ".join(f'"{word}"' for word in words)
    rows = db.execute(_SQL + seen.where, (match, record.owner, record.id, *seen.params))
    nearest: dict[str, sqlite3.Row] = {}
    for row in rows:
        nearest.setdefault(row["id"], row)
        if len(nearest) == _NOTES:
            break
    rows.close()
    close: list[Similar] = []
    against: list[Similar] = []
    for row in nearest.values():
        body = records.body_text(db, row["n"])
        told = Similar(id=row["id"], title=row["title"])
        if NoteType(row["type"]) is record.type and sameness.contradicts(body, record.body):
            against.append(told)
        elif sameness.similarity(body, record.body) >= sameness.SIMILAR:
            close.append(told)
    return tuple(close), tuple(against)


def _shared(db: sqlite3.Connection, record: Record) -> list[str]:
    """The rarest words that other notes have too, as many as are cheap to look up."""
    frequency = {word: index.body_frequency(db, word) for word in query_terms(record.body)[:64]}
    chosen: list[str] = []
    left = _POSTINGS
    for word in sorted(frequency, key=lambda word: frequency[word]):
        if frequency[word] < 2:
            continue
        left -= frequency[word]
        if len(chosen) == _WORDS or (chosen and left < 0):
            break
        chosen.append(word)
    return chosen
