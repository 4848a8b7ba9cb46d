"""The tombstones as a file beside the record files, so that files alone are enough.

One JSON object a line: hashes, owners, times and reasons, never the text that is refused.
"""

import json
import os
import sqlite3
from pathlib import Path

from memex_mcp.errors import Invalid
from memex_mcp.model.times import from_ms, iso, now, parse_time
from memex_mcp.store.files import keep_aside, set_aside, write_whole
from memex_mcp.store.migrations import get_meta, set_meta
from memex_mcp.store.tombstones import Tombstone

NAME = "tombstones.jsonl"
_WRITTEN = "tombstones_mirrored"
_COLUMNS = "value_key, owner, record_id, reason, surface, client, at, refused, lifted_at"
_MOST_REFUSED = (1 << 63) - 1


def differ(db: sqlite3.Connection, home: Path) -> bool:
    """Whether the table changed since the file was written, or the file is gone."""
    (some,) = db.execute("SELECT EXISTS (SELECT 1 FROM tombstone)").fetchone()
    if some and not (home / NAME).is_file():
        return True
    return (get_meta(db, _WRITTEN) or _NOTHING) != _state(db)


def write(db: sqlite3.Connection, home: Path) -> None:
    """Write the whole table if it differs.

    Raises:
        OSError: The disk is full or read-only.
    """
    if not differ(db, home):
        return
    lines = []
    for row in db.execute(f"SELECT {_COLUMNS} FROM tombstone ORDER BY value_key"):
        entry: dict[str, object] = dict(zip(_COLUMNS.split(", "), row, strict=True))
        for name in ("at", "lifted_at"):
            entry[name] = None if row[name] is None else iso(from_ms(row[name]))
        lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
    write_whole(home / NAME, "".join(lines).encode(), now())
    set_meta(db, _WRITTEN, _state(db))


def read(home: Path) -> list[Tombstone]:
    """What the file holds; lines that cannot be read are left out.

    Any program that runs as the user can write it: its reasons may hold secrets.
    """
    try:
        lines = _lines(home)
    except OSError:
        return []
    return [known for known in map(_tombstone, lines) if known is not None]


def set_unreadable_aside(home: Path) -> tuple[str, ...]:
    """Keep what cannot be read of the file in the quarantine; returns what to tell of it."""
    if not os.path.lexists(home / NAME):
        return ()
    why = "it cannot be read"
    try:
        lines = _lines(home)
        bad = [line for line in lines if _tombstone(line) is None]
        if not bad:
            return ()
        why = f"{len(bad)} of its {len(lines)} lines cannot be read"
        if len(bad) < len(lines):
            keep_aside(home, NAME, b"\n".join(bad) + b"\n", why)
            return (f"{NAME}: {why}",)
    except OSError:
        pass
    try:
        set_aside(home, NAME, why)
    except OSError:
        why += " (it could not be moved)"
    return (f"{NAME}: {why}",)


def _lines(home: Path) -> list[bytes]:
    path = home / NAME
    if not path.is_file():
        # A pipe would never end.
        raise FileNotFoundError(NAME)
    return [line for line in path.read_bytes().split(b"\n") if line.strip()]


def _state(db: sqlite3.Connection) -> str:
    row = db.execute(
        "SELECT count(*), coalesce(sum(refused), 0), coalesce(max(at), 0),"
        " coalesce(max(lifted_at), 0), count(lifted_at) FROM tombstone"
    ).fetchone()
    return json.dumps(tuple(row))


_NOTHING = json.dumps((0, 0, 0, 0, 0))


def _tombstone(line: bytes) -> Tombstone | None:
    try:
        entry = json.loads(line.decode("utf-8-sig"))
        # No lone surrogate, which no database text may hold.
        json.dumps(entry, ensure_ascii=False).encode()
        lifted, named, reason = entry["lifted_at"], entry["record_id"], entry.get("reason", "")
        return Tombstone(
            value_key=str(entry["value_key"]),
            owner=str(entry["owner"]),
            record_id=None if named is None else str(named),
            reason=reason if isinstance(reason, str) else "",
            surface=str(entry["surface"]),
            client=str(entry["client"]),
            at=parse_time(entry["at"]),
            refused=min(max(int(entry["refused"]), 0), _MOST_REFUSED),
            lifted_at=None if lifted is None else parse_time(lifted),
        )
    except (ValueError, TypeError, LookupError, AttributeError, Invalid):
        return None
    except (OverflowError, RecursionError):
        return None
