"""Levels, modes and the master switch as they were put, in two tables.

``setting`` holds what counts now, ``switch_log`` every change in order.  Where the two say
different things, or what nobody can read, everything is off until a person puts the switch
anew.
"""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from memex_mcp.model.caller import Caller
from memex_mcp.model.times import from_ms, to_ms
from memex_mcp.policy.access import owners
from memex_mcp.policy.levels import KNOWN, L2, L3, MASTER, MODE, OFF, UNSET, History, Turned
from memex_mcp.store import audit
from memex_mcp.values import dataclass

KEPT = timedelta(days=90)
"""How long what was put for one session outlives it."""

_LAST = to_ms(datetime.max.replace(tzinfo=UTC))

# As bytes: text that is no UTF-8 would fail the whole read.
_NOW = "SELECT owner, key, CAST(value AS BLOB), updated_at FROM setting WHERE owner IN ({marks})"
_LOG = """
SELECT owner, key, CAST(value AS BLOB), at FROM switch_log WHERE owner IN ({marks}) ORDER BY n"""
_LAST_OF_LOG = """
SELECT owner, key, CAST(value AS BLOB), at FROM switch_log WHERE n IN (
  SELECT max(n) FROM switch_log WHERE owner IN ({marks}) GROUP BY owner, key
)"""
# The parts of a history by what an owner is and the key.
_PARTS = {
    ("g", MASTER): "master",
    ("w", L2): "l2",
    ("w", L3): "l3",
    ("w", MODE): "mode",
    ("s", L2): "l2_session",
    ("s", MODE): "mode_session",
}
_MENDS = {
    L2: "memex-mcp level on l2, in a terminal there",
    L3: "memex-mcp level on l3, in a terminal there",
    MODE: "memex-mcp mode auto, there, with --session for a session",
    MASTER: "memex-mcp on",
}
_STALE = """
SELECT t.owner, t.key FROM setting AS t
WHERE t.owner LIKE 's:%' AND t.key IN ('l2', 'mode') AND t.updated_at < :since AND NOT EXISTS (
  SELECT 1 FROM session AS s
  WHERE s.last_seen >= :since AND t.owner = 's:' || s.workspace_id || ':' || s.id
)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """One switch: of the store, of a workspace or of a session.

    Attributes:
        owner: As the scope owner of a record.
        key: One of :data:`memex_mcp.policy.levels.KNOWN`.
    """

    owner: str
    key: str


def history(db: sqlite3.Connection, caller: Caller) -> History:
    """Everything that was ever switched for a caller."""
    return _gathered(db, caller, _LOG)


def latest(db: sqlite3.Connection, caller: Caller) -> History:
    """What was switched last for a caller: what every request asks, however long the log is."""
    return _gathered(db, caller, _LAST_OF_LOG)


def value(db: sqlite3.Connection, switch: Switch) -> str | None:
    """What a switch is put to; None for one that was never put, or that nobody can read."""
    now, log = (_changes(db, sql, switch) for sql in (_NOW, _LOG))
    return now[0][0] if now and log and not _is_bad(now, log, switch) else None


def faults(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Switches of the whole store that nobody can read, and the command that puts each anew."""
    sql = "SELECT owner, key FROM setting UNION SELECT owner, key FROM switch_log ORDER BY 1, 2"
    for owner, key in db.execute(sql).fetchall():
        if key not in KNOWN:
            continue
        switch = Switch(owner=owner, key=key)
        if _is_bad(_changes(db, _NOW, switch), _changes(db, _LOG, switch), switch):
            whose = _whose(db, owner)
            yield f"the {key} of {whose} cannot be read: memory is off there", _MENDS[key]


def put(
    db: sqlite3.Connection, caller: Caller, switch: Switch, value: str, at: datetime, reason: str
) -> None:
    """Put a switch to a value, with the change in the log and its row in the audit."""
    _mend(db, switch)
    _set(db, switch, value, at)
    action = f"{switch.key.partition(' ')[0]}:{value}"
    entry = audit.Entry(action=action, record_id=None, before=None, after=None, reason=reason)
    audit.append(db, caller, entry, at)


def note_denied(db: sqlite3.Connection, caller: Caller, at: datetime) -> None:
    """Leave an audit row for a switch that the caller was not allowed to put."""
    entry = audit.Entry(action="deny", record_id=None, before=None, after=None)
    audit.append(db, caller, entry, at)


def prune(db: sqlite3.Connection, at: datetime) -> int:
    """Forget what was put for sessions that are long gone; returns how many settings.

    A level stays in the log, which is what says that it is on.  A mode ends now, not in the
    past: what was said while it was off stays out of reach.
    """
    gone = stale(db, at)
    for owner, key in gone:
        db.execute("DELETE FROM setting WHERE owner = ? AND key = ?", (owner, key))
        if key == MODE:
            _log(db, Switch(owner=owner, key=key), UNSET, at)
    return len(gone)


def stale(db: sqlite3.Connection, at: datetime) -> list[tuple[str, str]]:
    """Owner and key of each setting of a session of which nothing was seen for 90 days."""
    rows = db.execute(_STALE, {"since": to_ms(at - KEPT)})
    return [(str(owner), str(key)) for owner, key in rows]


def _gathered(db: sqlite3.Connection, caller: Caller, log: str) -> History:
    seen = owners(caller)
    marks = ", ".join("?" * len(seen))
    turns: dict[str, list[Turned]] = {}
    unreadable = ""
    for sql in (log, _NOW):
        for owner, key, value, at in db.execute(sql.format(marks=marks), seen):
            part = _PARTS.get((owner[:1], key))
            if part is None:
                continue
            if not 0 <= at <= _LAST:
                unreadable = f"the {key} on record cannot be read"
                continue
            turned = Turned(at=from_ms(at), value=_text(value))
            known = turns.setdefault(part, [])
            if sql is log or not known:
                known.append(turned)
            elif known[-1].value != turned.value:
                unreadable = f"the {key} on record and its log do not agree"
    return History(**{part: tuple(found) for part, found in turns.items()}, unreadable=unreadable)


def _mend(db: sqlite3.Connection, switch: Switch) -> None:
    """Have the log say what nobody could read in it: that the switch was off."""
    known = sorted(KNOWN[switch.key])
    bad = f"owner = ? AND key = ? AND value NOT IN ({', '.join('?' * len(known))})"
    params = (switch.owner, switch.key, *known)
    if OFF in known:
        db.execute(f"UPDATE switch_log SET value = '{OFF}' WHERE {bad}", params)
    else:
        db.execute(f"DELETE FROM switch_log WHERE {bad}", params)
    db.execute(
        "DELETE FROM switch_log WHERE owner = ? AND key = ? AND at NOT BETWEEN 0 AND ?",
        (switch.owner, switch.key, _LAST),
    )


def _set(db: sqlite3.Connection, switch: Switch, value: str, at: datetime) -> None:
    db.execute(
        "INSERT INTO setting VALUES (?, ?, ?, ?) ON CONFLICT(owner, key) DO UPDATE"
        " SET value = excluded.value, updated_at = excluded.updated_at",
        (switch.owner, switch.key, value, to_ms(at)),
    )
    _log(db, switch, value, at)


def _log(db: sqlite3.Connection, switch: Switch, value: str, at: datetime) -> None:
    db.execute(
        "INSERT INTO switch_log(owner, key, value, at) VALUES (?, ?, ?, ?)",
        (switch.owner, switch.key, value, to_ms(at)),
    )


_Change = tuple[str, int]


def _is_bad(now: list[_Change], log: list[_Change], switch: Switch) -> bool:
    """Whether something of it is no value or no time, or setting and log differ."""
    known = KNOWN[switch.key]
    if not all(value in known and 0 <= at <= _LAST for value, at in (*now, *log)):
        return True
    return bool(now and log and now[0][0] != log[-1][0])


def _whose(db: sqlite3.Connection, owner: str) -> str:
    """An owner for people; no session is named, since its id opens what is private to it."""
    kind, _, rest = owner.partition(":")
    workspace = rest.partition(":")[0]
    row = db.execute("SELECT name FROM workspace WHERE id = ?", (workspace,)).fetchone()
    name = row[0] if row else workspace
    return {"w": f"workspace {name}", "s": f"a session of {name}"}.get(kind, "the whole store")


def _changes(db: sqlite3.Connection, sql: str, switch: Switch) -> list[_Change]:
    rows = db.execute(sql.format(marks="?"), (switch.owner,))
    return [(_text(value), at) for _, key, value, at in rows if key == switch.key]


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
