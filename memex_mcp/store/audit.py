"""The append-only record of who changed what: a chain of hashes, without any content."""

import hashlib
import json
import sqlite3
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.record import Record
from memex_mcp.model.times import to_ms
from memex_mcp.store.migrations import get_meta, set_meta
from memex_mcp.store.rows import NAMES, values
from memex_mcp.values import dataclass

GENESIS = "0" * 64
_HEAD = "audit_head"
COLUMNS = (
    "seq",
    "at",
    "surface",
    "client",
    "human",
    "workspace_id",
    "session_id",
    "action",
    "record_id",
    "before_hash",
    "after_hash",
    "reason",
    "previous",
)
_COUNTERS = ("observations", "opened_count", "last_opened_at")
_NUMBERS = ("salience", "confidence")
_STATE = tuple(at for at, name in enumerate(NAMES) if name not in (*_COUNTERS, *_NUMBERS))
_encoded = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Entry:
    """One change.

    Attributes:
        before: State hash of the record before; None when it was new.
        after: State hash after; None when it is gone.
    """

    action: str
    record_id: str | None
    before: str | None
    after: str | None
    reason: str = ""


def append(db: sqlite3.Connection, caller: Caller, entry: Entry, at: datetime) -> None:
    """Add one row to the end of the chain."""
    last = db.execute("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    seq, previous = (0, GENESIS) if last is None else (int(last["seq"]), str(last["hash"]))
    row = (
        seq + 1,
        to_ms(at),
        caller.surface.value,
        _storable(caller.client),
        int(caller.human),
        caller.workspace.id if caller.workspace else "",
        _storable(caller.session_id or ""),
        entry.action,
        entry.record_id,
        entry.before,
        entry.after,
        _storable(entry.reason),
        previous,
    )
    digest = _digest(row)
    db.execute(
        f"INSERT INTO audit ({', '.join(COLUMNS)}, hash) VALUES (?{', ?' * len(COLUMNS)})",
        (*row, digest),
    )
    # The chain alone cannot show that its newest rows are missing.
    set_meta(db, _HEAD, digest)


def verify(db: sqlite3.Connection) -> int | None:
    """The ``seq`` of the first row that is changed or missing; None when all is whole."""
    expected, previous = 1, GENESIS
    for row in db.execute(f"SELECT {', '.join(COLUMNS)}, hash FROM audit ORDER BY seq"):
        values = tuple(row)
        if row["seq"] != expected or row["previous"] != previous:
            return expected
        if row["hash"] != _digest(values[:-1]):
            return expected
        expected, previous = expected + 1, str(row["hash"])
    head = get_meta(db, _HEAD)
    return expected if head is not None and head != previous else None


def state_hash(record: Record) -> str:
    """SHA-256 over everything a record says; its counters may move without changing it."""
    row = values(record)
    state = [row[at] for at in _STATE]
    text = _encoded([*state, float(record.salience), float(record.confidence)])
    return hashlib.sha256(text.encode()).hexdigest()


def _digest(row: tuple[object, ...]) -> str:
    text = _encoded(dict(zip(COLUMNS, row, strict=True)))
    return hashlib.sha256(text.encode()).hexdigest()


def _storable(text: str) -> str:
    """``text`` with lone surrogates replaced: SQLite's text is UTF-8."""
    return text.encode("utf-8", "replace").decode()
