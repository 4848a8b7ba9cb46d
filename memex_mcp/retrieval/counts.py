"""How many records a search could have found."""

import sqlite3
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Query
from memex_mcp.retrieval.view import sight_of
from memex_mcp.store import records

_KEPT = 256
_known: dict[tuple[object, ...], dict[str, int]] = {}


def visible(db: sqlite3.Connection, query: Query, caller: Caller, at: datetime) -> dict[str, int]:
    """Records within the caller's sight and the query's filters, by tier.

    Counting reads every one of them, so a count is kept until the next change of the store;
    what expires meanwhile leaves it within a minute.
    """
    minute = at.replace(second=0, microsecond=0)
    sight = sight_of(query, caller, minute)
    change = _last_change(db)
    if change is None:
        return records.count(db, sight)
    key = (change, sight.where, sight.params)
    found = _known.get(key)
    if found is None:
        if len(_known) >= _KEPT:
            _known.clear()
        found = _known[key] = records.count(db, sight)
    return dict(found)


def _last_change(db: sqlite3.Connection) -> str | None:
    """What no other state of any store has in common with this one; None before any write."""
    row = db.execute("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    return None if row is None else str(row[0])
