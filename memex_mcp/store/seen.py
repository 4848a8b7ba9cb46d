"""Which records a session was shown by itself, so that none is shown it twice."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime

from memex_mcp.model.times import to_ms
from memex_mcp.store.switches import KEPT

_OF_SESSION = "workspace_id = ? AND session_id = ?"


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


def forget(db: sqlite3.Connection, workspace_id: str, session_id: str) -> int:
    """Let a session be shown everything again, as after a compaction; returns how many."""
    sql = f"DELETE FROM recall_seen WHERE {_OF_SESSION}"
    return db.execute(sql, (workspace_id, session_id)).rowcount


def stale(db: sqlite3.Connection, at: datetime) -> bool:
    """Whether anything was shown so long ago that nobody needs to know."""
    sql = "SELECT EXISTS (SELECT 1 FROM recall_seen WHERE at < ?)"
    return bool(db.execute(sql, (to_ms(at - KEPT),)).fetchone()[0])


def prune(db: sqlite3.Connection, at: datetime) -> int:
    """Forget what was shown so long ago; returns how many."""
    return db.execute("DELETE FROM recall_seen WHERE at < ?", (to_ms(at - KEPT),)).rowcount
