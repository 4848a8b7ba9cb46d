"""The lines of transcripts that records stand for, kept beside them to the byte."""

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from json import dumps

from memex_mcp.errors import Damaged
from memex_mcp.model.times import from_ms, to_ms
from memex_mcp.model.turn import Envelope, Role

_AS_IS = "surrogateescape"
_COLUMNS = "role, type, at, start, stop, sha256, masked, data"


def add(db: sqlite3.Connection, record_id: str, lines: Sequence[Envelope]) -> int:
    """Put lines behind those that a record has; returns how many.

    What the record holds already is left out, told by the hash of its original bytes.
    """
    if not lines:
        return 0
    n, following = _end(db, record_id)
    sql = "SELECT sha256 FROM event WHERE record_n = ?"
    known = {str(row[0]) for row in db.execute(sql, (n,))} if following else set()
    fresh = [line for line in lines if line.sha256 not in known]
    db.executemany(
        f"INSERT INTO event(record_n, seq, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(n, seq, *_values(line)) for seq, line in enumerate(fresh, start=following)],
    )
    return len(fresh)


def of(db: sqlite3.Connection, record_id: str) -> tuple[Envelope, ...]:
    """The lines of a record in their order; none when there is no such record.

    Raises:
        Damaged: A line cannot be read.
    """
    return tuple(_envelope(row) for row in _rows(db, record_id))


def known(db: sqlite3.Connection, owner: str, hashes: Iterable[str]) -> set[str]:
    """Those of some lines that a record of this owner stands for."""
    rows = db.execute(
        "SELECT DISTINCT e.sha256 FROM json_each(?) AS asked"
        " JOIN event AS e ON e.sha256 = asked.value JOIN record AS r ON r.n = e.record_n"
        " WHERE r.owner = ?",
        (dumps(list(hashes)), owner),
    )
    return {str(row[0]) for row in rows}


def _rows(db: sqlite3.Connection, record_id: str) -> list[sqlite3.Row]:
    return db.execute(
        f"SELECT {_COLUMNS} FROM event WHERE record_n = (SELECT n FROM record WHERE id = ?)"
        " ORDER BY seq",
        (record_id,),
    ).fetchall()


def _end(db: sqlite3.Connection, record_id: str) -> tuple[int, int]:
    """Row number of a record, and the place behind its last line."""
    row = db.execute(
        "SELECT n, (SELECT coalesce(max(seq) + 1, 0) FROM event WHERE record_n = n)"
        " FROM record WHERE id = ?",
        (record_id,),
    ).fetchone()
    return int(row[0]), int(row[1])


def _values(line: Envelope) -> tuple[object, ...]:
    at = None if line.at is None else to_ms(line.at)
    data = zlib.compress(line.data.encode("utf-8", _AS_IS), 6)
    marks = (line.role.value, line.type, at, line.start, line.stop)
    return (*marks, line.sha256, int(line.masked), data)


def _envelope(row: sqlite3.Row) -> Envelope:
    role, type_, at, start, stop, sha256, masked, data = row
    try:
        text = zlib.decompress(data).decode("utf-8", _AS_IS)
    except zlib.error as error:
        raise Damaged("a line of a transcript cannot be read", "Run memex-mcp doctor.") from error
    return Envelope(
        role=Role(role),
        type=type_,
        at=None if at is None else from_ms(at),
        start=start,
        stop=stop,
        data=text,
        sha256=sha256,
        masked=bool(masked),
    )
