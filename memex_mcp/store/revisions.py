"""Every earlier version of a record, whole.  The current one is the record itself."""

import json
import sqlite3
import zlib
from datetime import datetime

from memex_mcp.errors import Conflict
from memex_mcp.model.kinds import Author, Status
from memex_mcp.model.record import Record, Revision
from memex_mcp.model.times import from_ms, to_ms
from memex_mcp.store.fields import from_fields, to_fields
from memex_mcp.store.visible import Sight

_VERSION = "SELECT fields, body FROM revision AS r"


def keep(db: sqlite3.Connection, old: Record, ended_at: datetime) -> None:
    """Keep a version, with its body, that is about to be replaced.

    It was current from its ``updated_at`` until ``ended_at``, exclusive.

    Raises:
        Conflict: That version was kept before.
    """
    fields = json.dumps(to_fields(old), ensure_ascii=False, separators=(",", ":"))
    body = zlib.compress(old.body.encode("utf-8", "surrogatepass"), 1)
    began_at = to_ms(old.times.updated_at)
    try:
        db.execute(
            "INSERT INTO revision(record_id, version, began_at, ended_at, owner, fields, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (old.id, old.version, began_at, to_ms(ended_at), old.owner, fields, body),
        )
    except sqlite3.IntegrityError as error:
        raise Conflict("someone revised the record first", "Read it again, then retry.") from error


def remove(db: sqlite3.Connection, record_id: str) -> None:
    """Delete every earlier version."""
    db.execute("DELETE FROM revision WHERE record_id = ?", (record_id,))


def history(db: sqlite3.Connection, record_id: str, newest: int | None = None) -> list[Revision]:
    """The earlier versions, oldest first; all of them, or the ``newest`` so many."""
    rows = db.execute(
        "SELECT version, began_at, fields FROM revision WHERE record_id = ?"
        " ORDER BY version DESC LIMIT ?",
        (record_id, -1 if newest is None else newest),
    ).fetchall()
    return [
        _revision(int(version), int(began_at), fields) for version, began_at, fields in rows[::-1]
    ]


def count(db: sqlite3.Connection, record_id: str) -> int:
    """How many earlier versions there are."""
    sql = "SELECT count(*) FROM revision WHERE record_id = ?"
    return int(db.execute(sql, (record_id,)).fetchone()[0])


def at_version(db: sqlite3.Connection, record_id: str, version: int) -> Record | None:
    """One earlier version; None when there is none, or it is the current one."""
    sql = f"{_VERSION} WHERE r.record_id = ? AND r.version = ?"
    row = db.execute(sql, (record_id, version)).fetchone()
    return None if row is None else _record(row)


def began_at(db: sqlite3.Connection, record_id: str, version: int) -> datetime | None:
    """Since when an earlier version was current; None when it is not known."""
    row = db.execute(
        "SELECT began_at FROM revision WHERE record_id = ? AND version = ?", (record_id, version)
    ).fetchone()
    return None if row is None else from_ms(row[0])


def live_at(db: sqlite3.Connection, sight: Sight, at: datetime, limit: int = 2000) -> list[Record]:
    """Earlier versions that were current at a moment, newest record first.

    The sight comes from :func:`~memex_mcp.store.visible.owners_clause`: a revision has an
    owner, and no other column that a sight may ask for.
    """
    moment = to_ms(at)
    rows = db.execute(
        f"{_VERSION} WHERE {sight.where} AND r.began_at <= ? AND ? < r.ended_at"
        " ORDER BY r.record_id DESC, r.version DESC LIMIT ?",
        (*sight.params, moment, moment, limit),
    )
    return [_record(row) for row in rows]


def _record(row: sqlite3.Row) -> Record:
    body = zlib.decompress(row[1]).decode("utf-8", "surrogatepass")
    return from_fields(json.loads(row[0]), body)


def _revision(version: int, began_at: int, fields: str) -> Revision:
    known: dict[str, str] = json.loads(fields)
    return Revision(
        version=version,
        at=from_ms(began_at),
        author=Author(known["author"]),
        client=known["client"],
        title=known["title"],
        status=Status(known["status"]),
    )


def before_superseded(db: sqlite3.Connection, record: Record) -> Record:
    """The last version before the record was superseded; itself when it is not."""
    while record.status is Status.SUPERSEDED:
        earlier = at_version(db, record.id, record.version - 1)
        if earlier is None:
            break
        record = earlier
    return record
