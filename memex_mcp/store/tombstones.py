"""Refused values.  A tombstone holds a hash, never the text that it refuses."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from memex_mcp.errors import NotFound
from memex_mcp.model.times import from_ms, to_ms
from memex_mcp.store import records
from memex_mcp.values import dataclass

_KEY_CHARACTERS = 8

_STATED = """
SELECT t.value_key, r.n FROM json_each(?) AS asked
CROSS JOIN tombstone AS t ON t.value_key = asked.value
CROSS JOIN record AS r ON r.id = t.record_id AND r.value_key = t.value_key"""
_SELECT = (
    "SELECT value_key, owner, record_id, reason, surface, client, at, refused, lifted_at"
    " FROM tombstone"
)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One refused value of one scope owner.

    Attributes:
        value_key: From :func:`~memex_mcp.policy.keys.value_key`; names value and owner.
        record_id: The record that stated the value, when there was one.
        surface: Where the refusal came in.
        at: When it was refused last.
        refused: How many later writes it has stopped.
        lifted_at: When a person let the value in again; None while it is refused.
    """

    value_key: str
    owner: str
    record_id: str | None
    reason: str
    surface: str
    client: str
    at: datetime
    refused: int = 0
    lifted_at: datetime | None = None


def bury(db: sqlite3.Connection, tombstone: Tombstone) -> None:
    """Refuse a value from now on; one that was lifted is refused again, its count kept."""
    db.execute(
        "INSERT INTO tombstone(value_key, owner, record_id, reason, surface, client, at, refused,"
        " lifted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET record_id = coalesce(excluded.record_id, record_id),"
        " reason = excluded.reason, surface = excluded.surface, client = excluded.client,"
        " at = excluded.at, lifted_at = excluded.lifted_at",
        (
            tombstone.value_key,
            tombstone.owner,
            tombstone.record_id,
            tombstone.reason,
            tombstone.surface,
            tombstone.client,
            to_ms(tombstone.at),
            tombstone.refused,
            None if tombstone.lifted_at is None else to_ms(tombstone.lifted_at),
        ),
    )


def standing(db: sqlite3.Connection, keys: Sequence[str]) -> Tombstone | None:
    """The oldest tombstone on any of these value keys that nobody lifted."""
    row = db.execute(
        f"{_SELECT} WHERE value_key IN (SELECT value FROM json_each(?)) AND lifted_at IS NULL"
        " ORDER BY at, value_key LIMIT 1",
        (json.dumps(keys),),
    ).fetchone()
    return None if row is None else _tombstone(row)


def any_standing(db: sqlite3.Connection, owners: Sequence[str]) -> bool:
    """Whether some owners refuse anything at all; most refuse nothing."""
    row = db.execute(
        "SELECT 1 FROM tombstone WHERE lifted_at IS NULL"
        " AND owner IN (SELECT value FROM json_each(?)) LIMIT 1",
        (json.dumps(list(owners)),),
    ).fetchone()
    return row is not None


def some_stand(db: sqlite3.Connection) -> bool:
    """Whether anything is refused anywhere."""
    return (
        db.execute("SELECT 1 FROM tombstone WHERE lifted_at IS NULL LIMIT 1").fetchone() is not None
    )


def keys(db: sqlite3.Connection, owners: Sequence[str]) -> frozenset[str]:
    """The value keys that some owners refuse."""
    rows = db.execute(
        "SELECT value_key FROM tombstone WHERE lifted_at IS NULL"
        " AND owner IN (SELECT value FROM json_each(?))",
        (json.dumps(list(owners)),),
    )
    return frozenset(str(row[0]) for row in rows)


def texts(db: sqlite3.Connection, keys: Iterable[str]) -> dict[str, str]:
    """What the records say that some values were withdrawn with, as far as they still say it."""
    rows = db.execute(_STATED, (json.dumps(list(keys)),)).fetchall()
    return {key: records.body_text(db, n) for key, n in rows}


def lift(db: sqlite3.Connection, value_key: str, at: datetime) -> bool:
    """Let a value in again; False when no tombstone stands on it."""
    cursor = db.execute(
        "UPDATE tombstone SET lifted_at = ? WHERE value_key = ? AND lifted_at IS NULL",
        (to_ms(at), value_key),
    )
    return cursor.rowcount == 1


def count_refusal(db: sqlite3.Connection, value_key: str) -> None:
    """Count a write that the tombstone stopped."""
    db.execute("UPDATE tombstone SET refused = refused + 1 WHERE value_key = ?", (value_key,))


def listing(db: sqlite3.Connection, owners: Sequence[str]) -> list[Tombstone]:
    """Tombstones of these owners, newest first, lifted ones too."""
    rows = db.execute(
        f"{_SELECT} WHERE owner IN (SELECT value FROM json_each(?)) ORDER BY at DESC, value_key",
        (json.dumps(owners),),
    )
    return [_tombstone(row) for row in rows]


def _tombstone(row: sqlite3.Row) -> Tombstone:
    value_key, owner, record_id, reason, surface, client, at, refused, lifted_at = row
    return Tombstone(
        value_key=value_key,
        owner=owner,
        record_id=record_id,
        reason=reason,
        surface=surface,
        client=client,
        at=from_ms(at),
        refused=refused,
        lifted_at=None if lifted_at is None else from_ms(lifted_at),
    )


def beginning(db: sqlite3.Connection, owners: Sequence[str], key: str) -> Tombstone:
    """The one standing tombstone of some owners whose key begins with ``key``.

    Raises:
        NotFound: There is none, there are several, or ``key`` is under 8 characters.
    """
    found = [
        grave
        for grave in listing(db, owners)
        if len(key) >= _KEY_CHARACTERS
        and grave.value_key.startswith(key)
        and grave.lifted_at is None
    ]
    if len(found) != 1:
        raise NotFound(
            f"{len(found)} standing tombstones begin with {key[:64]!r}",
            "memex-mcp tombstones lists them.",
        )
    return found[0]
