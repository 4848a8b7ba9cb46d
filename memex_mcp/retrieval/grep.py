"""Lines that hold a text or match a pattern, in every body that the caller sees.

What is promised: a call looks at records, hot and cold, newest first, until the page is full
or its time is over.  The clock is read before every record and line, and within a line for as
long as a pattern learns anything new about it, so that no pattern and no body makes a call
much longer.  A page that was cut short says so, and its cursor goes on with the line that it
came to.  For a pattern, a line of more than 65,536 characters
counts as several; a literal is found in a line of any length.
"""

import base64
import hashlib
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime

from memex_mcp.errors import Invalid
from memex_mcp.model.browse import Grep, Grepped, Line
from memex_mcp.model.caller import Caller
from memex_mcp.retrieval.browse import sight_of
from memex_mcp.retrieval.lists import ROOM, line_block
from memex_mcp.retrieval.pages import decoded
from memex_mcp.store import browse, veil
from memex_mcp.store.browse import Head
from memex_mcp.store.visible import Sight
from memex_mcp.text.card import build
from memex_mcp.text.fence import defused
from memex_mcp.text.pattern import Pattern, Plain, lines
from memex_mcp.values import dataclass

SECONDS = 0.25
"""Time that one call has."""

_LONGEST = 65_536
_MOST = 100
_CHARACTERS = 1_000
_AROUND = 80
_BATCH = 100
_TITLE = -1
_CURSOR = re.compile(r"([0-9A-Z]{26})\.(-1|[0-9]{1,12})\.([0-9a-f]{16})")


class _LateError(Exception):
    """Time is over."""


@dataclass(slots=True)
class _Mark:
    """How far a call has come: the record, and the character of its body; -1 is its title."""

    id: str | None
    offset: int = _TITLE
    moved: bool = False


def grep(
    db: sqlite3.Connection, asked: Grep, caller: Caller, at: datetime, late: Callable[[], bool]
) -> Grepped:
    """One page of the lines that match.

    Args:
        db: Snapshot to read in.
        asked: The pattern, and which records to look into.
        caller: Who asks.
        at: The moment of the question; what has expired by then is left out.
        late: Whether time is over.  At least one line is looked at nevertheless.

    Raises:
        Invalid: The pattern or the cursor makes no sense.
    """
    find, mark = _finder(asked), _read_cursor(asked)
    seen = sight_of(asked.among, caller, at)
    most = max(1, min(asked.among.limit, _MOST))
    found: list[Line] = []
    room = ROOM
    try:
        for line in _found(db, seen, find, mark, late):
            room -= len(defused(line_block(line))) + 1
            if len(found) == most or (found and room < 0):
                return Grepped(lines=tuple(found), next_cursor=_write_cursor(asked, mark))
            found.append(line)
    except _LateError:
        cursor = _write_cursor(asked, mark)
        return Grepped(lines=tuple(found), truncated=True, next_cursor=cursor)
    return Grepped(lines=tuple(found))


def _found(
    db: sqlite3.Connection,
    seen: Sight,
    find: Pattern | Plain,
    mark: _Mark,
    late: Callable[[], bool],
) -> Iterator[Line]:
    """The lines that match, from the mark on, which moves along."""

    def tick() -> None:
        if mark.moved and late():
            raise _LateError

    for head in _heads(db, seen, mark.id):
        if head.id != mark.id:
            mark.id, mark.offset = head.id, _TITLE
        tick()
        head = replace(head, title=veil.title(db, head.n, head.title))
        body = veil.body_text(db, head.n)
        if mark.offset == _TITLE:
            place = find.find(head.title, tick)
            # A title that was made from the text says nothing that a line of it does not.
            if place and head.title != build(body).title:
                yield _line(head, 0, head.title, place)
            mark.offset, mark.moved = 0, True
        number = counted = 0
        longest = _LONGEST if isinstance(find, Pattern) else len(body) + 1
        for low, high in lines(body, mark.offset, needs=find.needs, longest=longest):
            mark.offset = low
            tick()
            if place := find.find(body[low:high], tick):
                number, counted = number + body.count("\n", counted, low), low
                yield _line(head, number + 1, body, (low + place[0], low + place[1]))
            mark.moved = True


def _heads(db: sqlite3.Connection, seen: Sight, first: str | None) -> Iterator[Head]:
    """Records newest first, from the first one on."""
    page = browse.heads(db, seen, first, _BATCH)
    while page:
        yield from page
        page = browse.heads(db, seen, page[-1].id, _BATCH + 1)[1:]


def _line(head: Head, number: int, text: str, place: tuple[int, int]) -> Line:
    return Line(
        id=head.id,
        title=head.title,
        line=number,
        offset=place[0],
        excerpt=_excerpt(text, *place),
        kind=head.kind,
        status=head.status,
        trust=head.trust,
    )


def _excerpt(text: str, start: int, end: int) -> str:
    """The line around a match, on one line."""
    end = min(end, start + _AROUND)
    low = max(text.rfind("\n", 0, start) + 1, start - _AROUND)
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    high = min(stop, end + _AROUND)
    cut = "…" if low > 0 and text[low - 1] != "\n" else ""
    return f"{cut}{' '.join(text[low:high].split())}{'…' if high < stop else ''}"


def _finder(asked: Grep) -> Pattern | Plain:
    if not asked.pattern:
        raise Invalid("pattern is empty", "Give the text to look for.")
    if len(asked.pattern) > _CHARACTERS:
        raise Invalid(
            f"pattern has {len(asked.pattern):,} characters", f"It has at most {_CHARACTERS:,}."
        )
    if "\n" in asked.pattern:
        raise Invalid("pattern has a line break", "Look for one line at a time.")
    kind = Pattern if asked.regex else Plain
    return kind(asked.pattern, ignore_case=asked.ignore_case)


def _fingerprint(asked: Grep) -> str:
    same = repr((asked.pattern, asked.regex, asked.ignore_case))
    return hashlib.sha256(same.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _write_cursor(asked: Grep, mark: _Mark) -> str:
    plain = f"{mark.id}.{mark.offset}.{_fingerprint(asked)}"
    return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def _read_cursor(asked: Grep) -> _Mark:
    if not asked.among.cursor:
        return _Mark(None)
    match = _CURSOR.fullmatch(decoded(asked.among.cursor))
    if match is None or match[3] != _fingerprint(asked):
        raise Invalid("cursor belongs to another pattern", "Repeat the pattern, or leave it out.")
    return _Mark(match[1], int(match[2]))
