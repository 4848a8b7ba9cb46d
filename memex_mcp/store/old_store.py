"""What a rebuild asks of the database that it replaces: marks, texts, and files it wrote."""

import sqlite3
import zlib
from dataclasses import replace

from memex_mcp.errors import MemexError
from memex_mcp.model.record import Record
from memex_mcp.model.turn import Envelope
from memex_mcp.store import events, links, sidecar
from memex_mcp.store import sheet as sheets
from memex_mcp.store.rows import COLUMNS, from_row

UNREADABLE = (MemexError, sqlite3.DatabaseError, zlib.error, ValueError)
"""What reading one damaged record raises."""


class OldStore:
    """A database every page of which can be read; single records may still be damaged.

    Attributes:
        ids: Of all its records.
        queued: Ids whose files it has yet to write or remove.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.ids = {str(row[0]) for row in db.execute("SELECT id FROM record")}
        self.queued = {str(row[0]) for row in db.execute("SELECT record_id FROM mirror_queue")}
        rows = db.execute("SELECT record_id, path, sha256 FROM mirror_file")
        self._files = {str(row[0]): (str(row[1]), str(row[2])) for row in rows}

    def copy(self, table: str, into: sqlite3.Connection) -> None:
        """Copy a whole table into an empty one of the same schema."""
        rows = self.db.execute(f"SELECT * FROM {table}")
        marks = ", ".join("?" * len(rows.description))
        into.executemany(f"INSERT INTO {table} VALUES ({marks})", map(tuple, rows))

    def file(self, record_id: str) -> tuple[str, str] | None:
        """Name and hash of the file that it wrote last for a record."""
        return self._files.get(record_id)

    def sheet(self, record_id: str) -> sheets.Sheet | None:
        """The record as it is there; None when it is missing or damaged."""
        try:
            page = sheets.load(self.db, record_id)
        except UNREADABLE:
            return None
        if page is None or sheets.body_digest(page.record.body) != page.record.body_sha256:
            return None
        return page

    def lines(self, record_id: str) -> tuple[Envelope, ...] | None:
        """What a record stands for; None when a line is lost, or the record is not there."""
        if record_id not in self.ids:
            return None
        try:
            lines = events.of(self.db, record_id)
        except UNREADABLE:
            return None
        return lines if all(map(sidecar.is_whole, lines)) else None

    def marks(self, record_id: str) -> Record | None:
        """The record without its body; None when its row is damaged as well."""
        row = self.db.execute(
            f"SELECT {COLUMNS} FROM record AS r WHERE r.id = ?", (record_id,)
        ).fetchone()
        try:
            return None if row is None else from_row(row)
        except (KeyError, ValueError):
            return None

    def proven(self, marks: Record, page: sheets.Sheet) -> sheets.Sheet | None:
        """The record with the body of its file; None unless it is the very body it had."""
        if sheets.body_digest(page.record.body) != marks.body_sha256:
            return None
        return replace(
            page,
            record=replace(marks, body=page.record.body),
            sources=tuple(links.sources(self.db, marks.id)),
            links=tuple(link for link in links.of(self.db, marks.id) if link.from_id == marks.id),
        )
