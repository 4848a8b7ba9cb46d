"""The tombstones as a file beside the record files, so that files alone are enough.

One JSON object a line: hashes, owners and times, never the reason or any other text.
"""

import json
import sqlite3
from pathlib import Path

from memex_mcp.errors import Invalid
from memex_mcp.model.times import from_ms, iso, now, parse_time
from memex_mcp.store.files import write_whole
from memex_mcp.store.migrations import get_meta, set_meta
from memex_mcp.store.tombstones import Tombstone

NAME = "tombstones.jsonl"
_WRITTEN = "tombstones_mirrored"
_COLUMNS = "value_key, owner, record_id, surface, client, at, refused, lifted_at"


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
    """What the file holds; lines that cannot be read are left out, reasons are empty."""
    try:
        lines = (home / NAME).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return []
    return [known for known in map(_tombstone, lines) if known is not None]


def _state(db: sqlite3.Connection) -> str:
    row = db.execute(
        "SELECT count(*), coalesce(sum(refused), 0), coalesce(max(at), 0),"
        " coalesce(max(lifted_at), 0), count(lifted_at) FROM tombstone"
    ).fetchone()
    return json.dumps(tuple(row))


_NOTHING = json.dumps((0, 0, 0, 0, 0))


def _tombstone(line: str) -> Tombstone | None:
    try:
        entry = json.loads(line)
        lifted = entry["lifted_at"]
        return Tombstone(
            value_key=str(entry["value_key"]),
            owner=str(entry["owner"]),
            record_id=entry["record_id"],
            reason="",
            surface=str(entry["surface"]),
            client=str(entry["client"]),
            at=parse_time(entry["at"]),
            refused=int(entry["refused"]),
            lifted_at=None if lifted is None else parse_time(lifted),
        )
    except (ValueError, TypeError, KeyError, AttributeError, Invalid):
        return None
