"""Reads the vectors of a space for a ranking, with the sight that decides what takes part."""

import json
import sqlite3
from collections.abc import Iterator, Sequence

from memex_mcp.store.visible import Sight
from memex_mcp.values import dataclass

_AT_ONCE = 2_000
# CROSS JOIN keeps the order of the tables: the chunks named first, the record looked up.
_NAMED = """
SELECT c.n, r.n, c.start, c.stop
FROM json_each(?) AS named CROSS JOIN chunk AS c ON c.n = named.value
CROSS JOIN record AS r ON r.n = c.record_n"""
_EVERY = """
FROM record AS r JOIN chunk AS c ON c.record_n = r.n
JOIN chunk_vector AS v ON v.chunk_n = c.n AND v.model_id = ?"""


@dataclass(frozen=True, slots=True)
class Place:
    """A chunk that a sight admits: its number, its record's row, its range in the body."""

    chunk: int
    n: int
    start: int
    stop: int


def token(db: sqlite3.Connection) -> int:
    """A number that is another after every change of any vector, in any file."""
    return int(db.execute("SELECT token FROM vector_state").fetchone()[0])


def contents(db: sqlite3.Connection, model: int) -> list[tuple[int, int]]:
    """Every chunk of the snapshot that has a vector, by number, and the number of its text."""
    sql = "SELECT chunk_n, content FROM chunk_vector WHERE model_id = ? ORDER BY chunk_n"
    return [(row[0], row[1]) for row in db.execute(sql, (model,))]


def stored(
    db: sqlite3.Connection, model: int, wanted: Sequence[int]
) -> Iterator[tuple[int, bytes]]:
    """The vectors of some texts, as they are packed."""
    for start in range(0, len(wanted), _AT_ONCE):
        yield from db.execute(
            "SELECT content, data FROM vector"
            " WHERE model_id = ? AND content IN (SELECT value FROM json_each(?))",
            (model, json.dumps(wanted[start : start + _AT_ONCE])),
        )


def admitted(db: sqlite3.Connection, chunks: Sequence[int], sight: Sight) -> list[Place]:
    """Those of some chunks that the sight admits, in the order in which they are named."""
    rows = db.execute(
        f"{_NAMED} WHERE {sight.where} ORDER BY named.key", (json.dumps(chunks), *sight.params)
    )
    return [Place(*row) for row in rows]


def every(db: sqlite3.Connection, model: int, sight: Sight) -> list[Place]:
    """Every chunk that has a vector and that the sight admits."""
    sql = f"SELECT c.n, r.n, c.start, c.stop {_EVERY} WHERE {sight.where}"
    return [Place(*row) for row in db.execute(sql, (model, *sight.params))]


def streamed(db: sqlite3.Connection, model: int, sight: Sight) -> Iterator[tuple[Place, bytes]]:
    """The same with their vectors, as they are packed."""
    sql = (
        f"SELECT c.n, r.n, c.start, c.stop, w.data {_EVERY}"
        " JOIN vector AS w ON w.model_id = v.model_id AND w.content = v.content"
        f" WHERE {sight.where}"
    )
    for *place, data in db.execute(sql, (model, *sight.params)):
        yield Place(*place), data
