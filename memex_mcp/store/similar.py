"""Notes of one scope owner that say something close to a new one, or against it."""

import sqlite3

from memex_mcp.model.kinds import NoteType
from memex_mcp.model.query import Similar
from memex_mcp.model.record import Record
from memex_mcp.policy import sameness
from memex_mcp.store import index, records
from memex_mcp.text.words import query_terms

_SQL = """
SELECT r.n, r.id, r.title, r.type, min(f.score) AS score
FROM (SELECT rowid, bm25(body_index) AS score FROM body_index WHERE body_index MATCH ?
      ORDER BY score LIMIT 64) f
JOIN chunk c ON c.n = f.rowid
JOIN record r ON r.n = c.record_n
WHERE r.owner = ? AND r.kind = 'note' AND r.status IN ('active', 'disputed') AND r.id <> ?
GROUP BY r.n ORDER BY score LIMIT 5
"""


def compare(
    db: sqlite3.Connection, record: Record
) -> tuple[tuple[Similar, ...], tuple[Similar, ...]]:
    """The current notes most like ``record``: those that agree, then those that do not.

    Looks at the five notes of the same scope owner that share its rarest words.
    """
    frequency = {word: index.body_frequency(db, word) for word in query_terms(record.body)[:64]}
    shared = sorted(
        (word for word, count in frequency.items() if count > 1), key=lambda word: frequency[word]
    )
    if not shared:
        return (), ()
    match = " OR ".join(f'"{word}"' for word in shared[:8])
    close: list[Similar] = []
    against: list[Similar] = []
    for row in db.execute(_SQL, (match, record.owner, record.id)):
        body = records.body_text(db, row["n"])
        told = Similar(id=row["id"], title=row["title"])
        if NoteType(row["type"]) is record.type and sameness.contradicts(body, record.body):
            against.append(told)
        elif sameness.similarity(body, record.body) >= sameness.SIMILAR:
            close.append(told)
    return tuple(close), tuple(against)
