"""Which notes came from which file."""

import sqlite3

from memex_mcp.model.record import Record
from memex_mcp.store.records import body_text, from_row
from memex_mcp.store.rows import COLUMNS
from memex_mcp.store.visible import storable

_SELECT = f"""
SELECT {COLUMNS} FROM record AS r
WHERE r.owner = ? AND r.kind = 'note' AND r.status IN ('candidate', 'active', 'disputed')
  AND substr(r.source, 1, length(?)) = ? ORDER BY r.id"""


def from_file(db: sqlite3.Connection, owner: str, path: str) -> list[Record]:
    """The owner's notes that name a line of this file as their source, oldest first.

    What was replaced, withdrawn or archived is left out.
    """
    beginning = storable(f"{path}:")
    rows = db.execute(_SELECT, (owner, beginning, beginning)).fetchall()
    return [from_row(row, body_text(db, row[0])) for row in rows]
