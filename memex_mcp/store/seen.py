"""What a session was shown by itself: which records, so that none is shown twice, and how much."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime

from memex_mcp.model.levels import Injected
from memex_mcp.model.times import to_ms
from memex_mcp.store.switches import KEPT

_OF_SESSION = "workspace_id = ? AND session_id = ?"
_TABLES = ("recall_seen", "injected")
_COUNT = """
INSERT INTO injected VALUES (?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET
  tokens = tokens + excluded.tokens, blocks = blocks + 1, at = excluded.at"""


def mark(
    db: sqlite3.Connection, workspace_id: str, session_id: str, ids: Iterable[str], at: datetime
) -> None:
    """Remember that a session was shown some records; the first time counts."""
    db.executemany(
        "INSERT OR IGNORE INTO recall_seen(workspace_id, session_id, record_id, at)"
        " VALUES (?, ?, ?, ?)",
        [(workspace_id, session_id, record_id, to_ms(at)) for record_id in ids],
    )


def which(
    db: sqlite3.Connection, workspace_id: str, session_id: str, ids: Iterable[str]
) -> set[str]:
    """Those of some records that a session was shown before."""
    rows = db.execute(
        f"SELECT record_id FROM recall_seen WHERE {_OF_SESSION}"
        " AND record_id IN (SELECT value FROM json_each(?))",
        (workspace_id, session_id, json.dumps(list(ids))),
    )
    return {str(row[0]) for row in rows}


def count(
    db: sqlite3.Connection, workspace_id: str, session_id: str, tokens: int, at: datetime
) -> None:
    """Add a text that was put into the context of a session."""
    db.execute(_COUNT, (workspace_id, session_id, tokens, to_ms(at)))


def injected(db: sqlite3.Connection, workspace_id: str, session_id: str) -> Injected:
    """What was put into the context that a session has now."""
    sql = f"SELECT tokens, blocks FROM injected WHERE {_OF_SESSION}"
    row = db.execute(sql, (workspace_id, session_id)).fetchone()
    return Injected(tokens=row[0], blocks=row[1]) if row else Injected()


def forget(db: sqlite3.Connection, workspace_id: str, session_id: str) -> None:
    """Let a session be shown everything again, as after a compaction."""
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE {_OF_SESSION}", (workspace_id, session_id))


def stale(db: sqlite3.Connection, at: datetime) -> bool:
    """Whether anything was shown so long ago that nobody needs to know."""
    before = to_ms(at - KEPT)
    some = (f"SELECT EXISTS (SELECT 1 FROM {table} WHERE at < ?)" for table in _TABLES)
    return any(db.execute(sql, (before,)).fetchone()[0] for sql in some)


def prune(db: sqlite3.Connection, at: datetime) -> None:
    """Forget what was shown so long ago."""
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE at < ?", (to_ms(at - KEPT),))
