"""What is on record here, a line each: short enough to sit in a context for good.

The text depends on the records alone, so that it stays the same bytes, and the client's
prompt cache warm, until something is written.
"""

import sqlite3
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import CURRENT, Status
from memex_mcp.model.query import Listed
from memex_mcp.model.record import Record
from memex_mcp.store import records, veil
from memex_mcp.store.visible import pinned, sight

CHARACTERS = 4000
"""Longest catalog, unless another length is asked for; what does not fit is counted at its end."""

_CANDIDATES = 200


def build(
    db: sqlite3.Connection, caller: Caller, at: datetime, characters: int = CHARACTERS
) -> str:
    """The catalog of the current records in the caller's sight, pinned ones first."""
    clause = sight(caller, at=at)
    total = sum(records.count(db, clause).values())
    if not total:
        return "Nothing is on record here yet.\n"
    first = veil.page(db, pinned(clause), before_id=None, limit=_CANDIDATES)
    newest = veil.page(db, clause, before_id=None, limit=_CANDIDATES)
    ordered = [*first, *(record for record in newest if not record.pinned)]
    order = "pinned ones first, then the newest" if first else "newest first"
    lines = [f"{total} records, {order}; open one with its id."]
    room = characters - len(lines[0])
    for record in ordered:
        line = _line(record)
        room -= len(line) + 1
        if room < 40:
            break
        lines.append(line)
    left = total - (len(lines) - 1)
    if left:
        lines.append(f"… and {left} more; search for them.")
    return "\n".join(lines) + "\n"


def _line(record: Record) -> str:
    marks: list[str] = [record.kind if record.kind != "note" else record.type, record.trust]
    if record.status != "active":
        marks.append(record.status)
    if record.pinned:
        marks.append("pinned")
    return f"- {record.id} {record.card.title} ({', '.join(marks)})"


def page(
    db: sqlite3.Connection,
    caller: Caller,
    at: datetime,
    *,
    every: bool,
    limit: int,
    cursor: str | None,
) -> Listed:
    """Records newest first, without their bodies.

    Args:
        db: Snapshot to read in.
        caller: Who asks.
        at: The moment of the question; what has expired by then is left out.
        every: All statuses and expired ones too, not only what recall would show.
        limit: 1 to 200.
        cursor: Id after which the page begins.
    """
    statuses = tuple(Status) if every else CURRENT
    clause = sight(caller, statuses=statuses, include_expired=every, at=at)
    size = max(1, min(limit, 200))
    found = veil.page(db, clause, before_id=cursor, limit=size + 1)
    more = len(found) > size
    return Listed(records=tuple(found[:size]), next_cursor=found[size - 1].id if more else None)
