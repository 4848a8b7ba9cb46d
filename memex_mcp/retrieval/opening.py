"""One record, a page at a time; the pages join to the exact body, or to its exact lines."""

import sqlite3
from datetime import datetime
from typing import Self

from memex_mcp.errors import Invalid, NotFound, StaleCursor
from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Opened, Page
from memex_mcp.model.record import Record, Revision
from memex_mcp.model.turn import Envelope
from memex_mcp.policy import stamp
from memex_mcp.retrieval import pages
from memex_mcp.retrieval.hits import expired
from memex_mcp.retrieval.snippet import best_place
from memex_mcp.store import events, links, revisions, veil
from memex_mcp.store.visible import owners_clause
from memex_mcp.values import dataclass

_LEAD = 120
"""Characters shown before the best match when a page begins there."""

_REVISIONS = 20


def read(
    db: sqlite3.Connection, record_id: str, caller: Caller, page: Page, at: datetime
) -> Opened:
    """Read one page of a record the caller sees, whatever its status.

    Raises:
        NotFound: There is no such record or revision in the caller's sight.
        StaleCursor: The text changed since the cursor was given.
        Invalid: The cursor belongs to another record.
    """
    current = veil.get(db, record_id, owners_clause(caller))
    if current is None:
        raise NotFound(f"no record {record_id[:40]}", "Use an id that a search returned.")
    shown = _version(db, current, page.revision)
    lines = veil.lines(db, current, events.of(db, current.id)) if page.events else ()
    read = _Text.lines(shown.id, lines) if page.events else _Text.body(shown)
    offset = read.offset(page)
    text, following = pages.page(read.text, offset, page.max_tokens)
    past = revisions.history(db, current.id, _REVISIONS - 1)
    return Opened(
        record=shown,
        text=text,
        offset=offset,
        whole_sha256=read.sha256,
        revision=shown.version,
        current_status=current.status,
        next_cursor=None
        if following is None
        else pages.cursor(read.record_id, read.sha256, following),
        links=tuple(links.of(db, current.id)),
        sources=tuple(links.sources(db, current.id)),
        revisions=(*past, _as_revision(current)),
        revisions_total=revisions.count(db, current.id) + 1,
        expired=expired(current, at),
        events=lines,
    )


@dataclass(frozen=True, slots=True)
class _Text:
    """What is read of a record: its body, or the lines that it stands for."""

    record_id: str
    text: str
    sha256: str

    @classmethod
    def body(cls, shown: Record) -> Self:
        return cls(shown.id, shown.body, shown.body_sha256)

    @classmethod
    def lines(cls, record_id: str, lines: tuple[Envelope, ...]) -> Self:
        text = "".join(f"{line.data}\n" for line in lines)
        return cls(record_id, text, stamp.sha256(text))

    def offset(self, page: Page) -> int:
        """Where the page begins.

        Raises:
            Invalid: The cursor belongs to another record.
            StaleCursor: It was given for another text.
        """
        if page.cursor is None:
            if not page.query.strip():
                return 0
            place = best_place(self.text, page.query)
            return pages.safe_border(self.text, max(0, place - _LEAD))
        record_id, sha256, offset = pages.read_cursor(page.cursor)
        if record_id != self.record_id:
            raise Invalid("the cursor belongs to another record", "Leave cursor out for page one.")
        if not self.sha256.startswith(sha256):
            raise StaleCursor("the text changed since that page", "Open the record from the start.")
        return offset


def _version(db: sqlite3.Connection, current: Record, wanted: int | None) -> Record:
    if wanted is None or wanted == current.version:
        return current
    found = revisions.at_version(db, current.id, wanted)
    if found is None:
        raise NotFound(
            f"record {current.id} has no revision {wanted}",
            f"Revisions count from 1 to {current.version}.",
        )
    return veil.shown(db, found)


def _as_revision(record: Record) -> Revision:
    return Revision(
        version=record.version,
        at=record.times.updated_at,
        author=record.author,
        client=record.client,
        title=record.card.title,
        status=record.status,
    )
