"""How far transcripts were read, and what became of each of their turns."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum

from memex_mcp.model.caller import Caller
from memex_mcp.model.record import Draft
from memex_mcp.model.times import to_ms
from memex_mcp.model.turn import Source
from memex_mcp.store import veil
from memex_mcp.store.visible import owners_clause, storable
from memex_mcp.values import dataclass

_EVIDENCE = "('span', 'checkpoint')"
_NOW = "('active', 'disputed')"
_SPANS = f"r.kind = 'span' AND r.status IN {_NOW}"
# Capture tags them so.
_OF_AGENTS = "EXISTS (SELECT 1 FROM json_each(r.tags) WHERE value = 'agent')"


class Fate(StrEnum):
    """What became of a turn."""

    CAPTURED = "captured"
    BEFORE = "before"
    PARKED = "parked"
    IGNORED = "ignored"
    REFUSED = "refused"
    EMPTY = "empty"
    UNSAFE = "secrets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the reading of a transcript goes on.

    Attributes:
        stop: Byte offset after the last turn that is done with.
        head_sha256: Tells whether the file still begins as it did, as far as ``stop``.
        size: Bytes that the file had.
    """

    path: str
    stop: int
    head_sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One turn of a transcript, and what became of it."""

    key: str
    start: int
    stop: int
    fate: Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A turn of which something is put on record.

    Attributes:
        mark: What the ledger is told; ``captured`` becomes ``refused`` where all that was made
            of the turn is.
        spans: Its verbatim parts, in order.
        checkpoint: What was asked and answered in it.
        notes: Candidates that the user's words in it suggest.
    """

    mark: Mark
    spans: tuple[Draft, ...] = ()
    checkpoint: Draft | None = None
    notes: tuple[Draft, ...] = ()


State = tuple[tuple[str, int], ...]
"""How many turns of a source met which fate: another value after every change."""


class Ledger:
    """The ledger within one open transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def place(self, path: str) -> Place | None:
        """Where the reading of a file goes on; None when it was never read."""
        row = self._db.execute(
            "SELECT path, stop, head_sha256, size FROM capture_source WHERE path = ?"
            " ORDER BY updated_at DESC, key LIMIT 1",
            (path,),
        ).fetchone()
        return None if row is None else Place(**dict(zip(row.keys(), row, strict=True)))

    def state(self, source_key: str) -> State:
        """What is known of the turns of a source, in numbers."""
        rows = self._db.execute(
            "SELECT status, count(*) FROM capture_turn WHERE source_key = ?"
            " GROUP BY status ORDER BY status",
            (source_key,),
        )
        return tuple((str(status), int(turns)) for status, turns in rows)

    def fates(self, source_key: str, turn_keys: Iterable[str]) -> dict[str, Fate]:
        """What became of those of some turns that were met before."""
        rows = self._db.execute(
            "SELECT turn_key, status FROM capture_turn WHERE source_key = ?"
            " AND turn_key IN (SELECT value FROM json_each(?))",
            (source_key, json.dumps(list(turn_keys))),
        )
        return {str(key): Fate(status) for key, status in rows}

    def told_from(self, owner: str, at: datetime) -> str | None:
        """Id of the session's own span that was going on at a moment."""
        row = self._db.execute(
            "SELECT r.id, (SELECT max(at) FROM event WHERE record_n = r.n) FROM record AS r"
            f" WHERE r.owner = ? AND {_SPANS} AND NOT {_OF_AGENTS} AND r.observed_at <= ?"
            " ORDER BY r.observed_at DESC, r.id DESC LIMIT 1",
            (owner, to_ms(at)),
        ).fetchone()
        return str(row[0]) if row and row[1] is not None and row[1] >= to_ms(at) else None

    def told_by_agents(self, owner: str, began: datetime, ended: datetime) -> list[str]:
        """Ids of the spans of sub-agents that began in a stretch of time, oldest first."""
        rows = self._db.execute(
            f"SELECT r.id FROM record AS r WHERE r.owner = ? AND {_SPANS} AND {_OF_AGENTS}"
            " AND r.observed_at BETWEEN ? AND ? ORDER BY r.observed_at, r.id",
            (owner, to_ms(began), to_ms(ended)),
        )
        return [str(row[0]) for row in rows]

    def archived(self, caller: Caller, most: int) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """What is archived of the caller's session.

        Returns:
            How many records there are of each kind, and id and title of the newest so many.
        """
        seen = owners_clause(caller)
        where = (
            f"{seen.where} AND r.session_id = ? AND r.kind IN {_EVIDENCE} AND r.status IN {_NOW}"
        )
        params = (*seen.params, storable(caller.session_id or ""))
        counts = self._db.execute(
            f"SELECT r.kind, count(*) FROM record AS r WHERE {where} AND r.session_id <> ''"
            " GROUP BY r.kind ORDER BY r.kind DESC",
            params,
        )
        newest = self._db.execute(
            f"SELECT r.n, r.id, r.title FROM record AS r WHERE {where} AND r.session_id <> ''"
            " ORDER BY r.observed_at DESC, r.id DESC LIMIT ?",
            (*params, most),
        )
        told = {str(kind): int(number) for kind, number in counts}
        return told, [(str(id_), veil.title(self._db, n, title)) for n, id_, title in newest]

    def note(
        self,
        source: Source,
        workspace_id: str,
        place: Place,
        marks: Sequence[Mark],
        at: datetime,
    ) -> None:
        """Put on record what became of some turns, and where the reading goes on."""
        stamp = to_ms(at)
        self._db.executemany(
            "INSERT INTO capture_turn(source_key, turn_key, start, stop, status, at)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET start = excluded.start,"
            " stop = excluded.stop, status = excluded.status, at = excluded.at",
            [
                (source.key, mark.key, mark.start, mark.stop, mark.fate.value, stamp)
                for mark in marks
            ],
        )
        self._db.execute(
            "INSERT INTO capture_source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET workspace_id = excluded.workspace_id,"
            " path = excluded.path, stop = excluded.stop, head_sha256 = excluded.head_sha256,"
            " size = excluded.size, updated_at = excluded.updated_at",
            (
                *(source.key, source.client, source.session_id, source.part, workspace_id),
                *(place.path, place.stop, place.head_sha256, place.size, stamp),
            ),
        )
