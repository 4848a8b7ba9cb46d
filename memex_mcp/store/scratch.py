"""Scratch notes: what a session writes down for itself and lets go of after its end.

Those are notes of one session that have the tag ``scratch`` and are not pinned.
"""

import sqlite3
from datetime import datetime

from memex_mcp.model.kinds import Kind, Scope
from memex_mcp.model.record import Record
from memex_mcp.model.times import to_ms
from memex_mcp.store import records

TAG = "scratch"

_SCRATCH = f"""
SELECT r.n FROM record AS r
WHERE r.kind = '{Kind.NOTE}' AND r.scope = '{Scope.SESSION}' AND r.pinned = 0
  AND EXISTS (SELECT 1 FROM json_each(r.tags) WHERE value = '{TAG}')"""


def lasting(db: sqlite3.Connection, owner: str, until: datetime) -> list[Record]:
    """Those of one session that have no end, or a later one."""
    sql = f"{_SCRATCH} AND r.owner = ? AND (r.expires_at IS NULL OR r.expires_at > ?)"
    return _found(db, sql, owner, to_ms(until))


def over(db: sqlite3.Connection, at: datetime) -> list[Record]:
    """Those of all sessions whose end has come."""
    return _found(db, f"{_SCRATCH} AND r.expires_at <= ?", to_ms(at))


def _found(db: sqlite3.Connection, sql: str, *params: object) -> list[Record]:
    rows = db.execute(f"{sql} ORDER BY r.n", params).fetchall()
    return [records.by_number(db, n) for (n,) in rows]
