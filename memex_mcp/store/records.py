"""Rows of ``record`` and the pages of their bodies.

Reads by a caller take the :class:`~memex_mcp.store.visible.Sight` that decides what it
sees.  Nothing here opens or ends a transaction.
"""

import json
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime

from memex_mcp.errors import Conflict, Damaged, NotFound
from memex_mcp.model.kinds import Status, Tier
from memex_mcp.model.record import Record
from memex_mcp.model.times import to_ms
from memex_mcp.store.fields import from_fields, to_fields
from memex_mcp.store.rows import COLUMNS, NAMES, from_row, values
from memex_mcp.store.visible import Sight, storable

__all__ = [
    "COLUMNS",
    "PAGE",
    "body_parts",
    "body_text",
    "by_id",
    "by_number",
    "card_text",
    "count",
    "find_by_dedupe",
    "find_by_value",
    "from_fields",
    "from_row",
    "get",
    "insert",
    "number",
    "observe",
    "page",
    "remove",
    "some",
    "tally",
    "to_fields",
    "touch_opened",
    "update",
]

PAGE = 4_096
"""Characters of body text in one compressed page."""

# Bodies are kept as they came, lone surrogates too.
_AS_IS = "surrogatepass"

_SELECT = f"SELECT {COLUMNS} FROM record AS r"
_CARD_TEXT = """
SELECT title, summary, use_when, tags, aliases, questions, entities FROM record WHERE n = ?"""
# Pages were longer once: the first one wanted is the last that does not begin too late.
_PAGES = """
SELECT start, data FROM body WHERE record_n = ?
  AND start >= (SELECT max(start) FROM body WHERE record_n = ? AND start <= ?)
  AND start < ? ORDER BY start"""
_PARTS = """
SELECT asked.key, b.start, b.data FROM json_each(?) AS asked CROSS JOIN body AS b
WHERE b.record_n = asked.value ->> 0 AND b.start < asked.value ->> 2
  AND b.start >= (
    SELECT max(start) FROM body
    WHERE record_n = asked.value ->> 0 AND start <= asked.value ->> 1
  )
ORDER BY asked.key, b.start"""
_INSERT = f"INSERT INTO record({', '.join(NAMES)}) VALUES ({', '.join('?' * len(NAMES))})"
_UPDATE = f"UPDATE record SET {', '.join(f'{name} = ?' for name in NAMES)} WHERE n = ?"


def insert(db: sqlite3.Connection, record: Record) -> int:
    """Add a record with its body; returns its row number.

    Raises:
        Conflict: The id, or the dedupe key within the owner, is taken.
    """
    n = int(_execute(db, _INSERT, values(record)).lastrowid or 0)
    _write_body(db, n, record.body)
    return n


def update(db: sqlite3.Connection, record: Record) -> int:
    """Replace the row with this id, and its body if ``body_sha256`` differs; returns the number.

    The earlier version is lost unless it was kept as a revision before.

    Raises:
        NotFound: No record has this id.
        Conflict: The dedupe key is taken within the owner.
    """
    row = db.execute("SELECT n, body_sha256 FROM record WHERE id = ?", (record.id,)).fetchone()
    if row is None:
        raise NotFound(f"no record {record.id}")
    n, digest = int(row[0]), row[1]
    _execute(db, _UPDATE, (*values(record), n))
    if digest != record.body_sha256:
        db.execute("DELETE FROM body WHERE record_n = ?", (n,))
        _write_body(db, n, record.body)
    return n


def remove(db: sqlite3.Connection, record_id: str) -> None:
    """Delete a record's row, with its body and all that hangs on the row."""
    db.execute("DELETE FROM record WHERE id = ?", (record_id,))


def get(
    db: sqlite3.Connection, record_id: str, sight: Sight, *, with_body: bool = True
) -> Record | None:
    """The record with this id if the sight admits it."""
    row = db.execute(
        f"{_SELECT} WHERE r.id = ? AND {sight.where}", (storable(record_id), *sight.params)
    ).fetchone()
    if row is None:
        return None
    return from_row(row, body_text(db, row[0]) if with_body else "")


def find_by_value(db: sqlite3.Connection, value_key: str, owner: str) -> list[Record]:
    """Every record of the owner that states this value, of any status, newest first."""
    rows = db.execute(
        f"{_SELECT} WHERE r.value_key = ? AND r.owner = ? ORDER BY r.id DESC", (value_key, owner)
    ).fetchall()
    return [from_row(row, body_text(db, row[0])) for row in rows]


def find_by_dedupe(db: sqlite3.Connection, dedupe_key: str, owner: str) -> Record | None:
    """The owner's record with this dedupe key, of any status."""
    row = db.execute(
        f"{_SELECT} WHERE r.owner = ? AND r.dedupe_key = ?", (owner, dedupe_key)
    ).fetchone()
    return None if row is None else from_row(row, body_text(db, row[0]))


def page(
    db: sqlite3.Connection, sight: Sight, *, before_id: str | None, limit: int
) -> list[Record]:
    """Up to ``limit`` records, newest first by id, without their bodies.

    The next page begins before the last id of this one, whatever was written since.
    """
    # "~" sorts after every id.
    before = "~" if before_id is None else storable(before_id)
    rows = db.execute(
        f"{_SELECT} WHERE {sight.where} AND r.id < ? ORDER BY r.id DESC LIMIT ?",
        (*sight.params, before, limit),
    )
    return [from_row(row) for row in rows]


def body_text(db: sqlite3.Connection, n: int, start: int = 0, stop: int | None = None) -> str:
    """Characters ``start`` to ``stop`` of a body; reads the pages they lie on and no other."""
    begin, end = max(start, 0), 1 << 62 if stop is None else stop
    rows = db.execute(_PAGES, (n, n, begin, end)).fetchall()
    return _cut([(first, data) for first, data in rows], begin, end)


def body_parts(db: sqlite3.Connection, parts: Sequence[tuple[int, int, int]]) -> list[str]:
    """Of several bodies, by row number, the characters ``start`` to ``stop``; in one read."""
    pages: list[list[tuple[int, bytes]]] = [[] for _ in parts]
    for position, first, data in db.execute(_PARTS, (json.dumps(parts),)):
        pages[position].append((first, data))
    return [_cut(each, start, stop) for each, (_, start, stop) in zip(pages, parts, strict=True)]


def number(db: sqlite3.Connection, record_id: str) -> int | None:
    """Row number of a record, whoever may see it."""
    row = db.execute("SELECT n FROM record WHERE id = ?", (storable(record_id),)).fetchone()
    return None if row is None else int(row[0])


def by_id(
    db: sqlite3.Connection, record_id: str, bodies: Mapping[str, str] | None = None
) -> Record | None:
    """The record with this id, whoever may see it, with its body: one of these, or as stored."""
    row = db.execute(f"{_SELECT} WHERE r.id = ?", (storable(record_id),)).fetchone()
    if row is None:
        return None
    known = bodies.get(row["body_sha256"]) if bodies else None
    return from_row(row, body_text(db, row[0]) if known is None else known)


def some(db: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Record]:
    """The records in some rows, whoever may see them, without their bodies."""
    marks = ", ".join("?" * len(numbers))
    rows = db.execute(f"{_SELECT} WHERE r.n IN ({marks})", numbers)
    return {row[0]: from_row(row) for row in rows}


def card_text(db: sqlite3.Connection, n: int) -> str:
    """The card of the record in a row, a line for each of its fields."""
    return "\n".join(db.execute(_CARD_TEXT, (n,)).fetchone())


def by_number(db: sqlite3.Connection, n: int) -> Record:
    """The record in a row, whoever may see it, with its body.

    Raises:
        NotFound: There is no such row.
    """
    row = db.execute(f"{_SELECT} WHERE r.n = ?", (n,)).fetchone()
    if row is None:
        raise NotFound("the record is gone")
    return from_row(row, body_text(db, n))


def count(db: sqlite3.Connection, sight: Sight) -> dict[str, int]:
    """How many records the sight admits, by tier; both tiers are always there."""
    rows = db.execute(
        f"SELECT r.tier, count(*) FROM record AS r WHERE {sight.where} GROUP BY r.tier",
        sight.params,
    )
    return {tier.value: 0 for tier in Tier} | {tier: int(records) for tier, records in rows}


def tally(
    db: sqlite3.Connection, owners: Sequence[str], statuses: Sequence[Status]
) -> dict[str, int]:
    """How many records some owners have under some statuses, by tier; expired ones count too.

    Kept up by triggers, so that it costs the same whatever the size of the store.
    """
    rows = db.execute(
        "SELECT tier, sum(records) FROM tally"
        " WHERE owner IN (SELECT value FROM json_each(?))"
        " AND status IN (SELECT value FROM json_each(?)) GROUP BY tier",
        (json.dumps(list(owners)), json.dumps(list(statuses))),
    )
    return {tier.value: 0 for tier in Tier} | {tier: int(records) for tier, records in rows}


def touch_opened(db: sqlite3.Connection, record_id: str, at: datetime) -> None:
    """Count one opening; the version stays."""
    db.execute(
        "UPDATE record SET opened_count = opened_count + 1, last_opened_at = ? WHERE id = ?",
        (to_ms(at), record_id),
    )


def observe(db: sqlite3.Connection, record_id: str, times: int = 1) -> None:
    """Count that the same value was written again; the version stays."""
    db.execute("UPDATE record SET observations = observations + ? WHERE id = ?", (times, record_id))


def _execute(db: sqlite3.Connection, sql: str, values: tuple[object, ...]) -> sqlite3.Cursor:
    try:
        return db.execute(sql, values)
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorname != "SQLITE_CONSTRAINT_UNIQUE":
            raise
        raise Conflict(
            "a record with this id or dedupe key exists", "Read it, then revise it by its id."
        ) from error


def _write_body(db: sqlite3.Connection, n: int, body: str) -> None:
    db.executemany(
        "INSERT INTO body(record_n, start, data) VALUES (?, ?, ?)",
        [
            (n, start, zlib.compress(body[start : start + PAGE].encode("utf-8", _AS_IS), 1))
            for start in range(0, len(body), PAGE)
        ],
    )


def _cut(pages: Sequence[tuple[int, bytes]], begin: int, end: int) -> str:
    """Characters of a body, from the pages that they lie on."""
    text = "".join([_unpack(data) for _, data in pages])
    first = pages[0][0] if pages else 0
    return text[max(begin - first, 0) : max(end - first, 0)]


def _unpack(data: bytes) -> str:
    try:
        return zlib.decompress(data).decode("utf-8", _AS_IS)
    except zlib.error as error:
        raise Damaged("a body cannot be read", "Run memex-mcp doctor.") from error
