"""How records look to a person: titles stand out, trust and status are words, nothing is cut."""

import re
import shutil
import sys
from functools import cache
from typing import TextIO

from memex_mcp.cli.columns import one_line, padded, safe, wrap
from memex_mcp.model.kinds import Author, Kind, Scope, Status
from memex_mcp.model.query import Hit
from memex_mcp.model.record import Record

_MOST_COLUMNS = 100
_UNBOUNDED = 1 << 30
_PAUSE = re.compile(r"\$<[^>]*>")

NOWHERE = (
    "This is no workspace (the home folder, a whole disk and the temp folder never are), so only"
    " global records show. Go to a project folder or pass --workspace DIR."
)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is there and leads to a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def width() -> int:
    """Columns to fill: at most 100 on a terminal; without one, lines stay as they are."""
    if not is_terminal(sys.stdout):
        return _UNBOUNDED
    return max(20, min(shutil.get_terminal_size().columns, _MOST_COLUMNS))


def bold(text: str) -> str:
    """What the eye should find first."""
    on, _, off = _styles()
    return f"{on}{text}{off}" if text else text


def dim(text: str) -> str:
    """Secondary text."""
    _, on, off = _styles()
    return f"{on}{text}{off}" if text else text


def lines(text: str, indent: int = 0) -> list[str]:
    """Text safe to print, wrapped and indented."""
    return [f"{' ' * indent}{line}".rstrip() for line in wrap(safe(text), width() - indent)]


def show(text: str, indent: int = 0) -> None:
    """Print text that may hold anything."""
    print("\n".join(lines(text, indent)))


def show_title(text: str, lead: str = "") -> None:
    """Print a title so that it stands out; ``lead`` goes before its first line."""
    first, *rest = wrap(one_line(text), width() - len(lead))
    print(lead + bold(first))
    for line in rest:
        print(" " * len(lead) + bold(line))


def show_dim(text: str, indent: int = 0) -> None:
    """Print secondary text that may hold anything."""
    for line in lines(text, indent):
        print(dim(line))


def show_table(rows: list[tuple[str, str]]) -> None:
    """Print names and values in two columns; a long value goes on below its beginning."""
    room = max((len(name) for name, _ in rows), default=0) + 2
    for name, value in rows:
        first, *rest = wrap(safe(value), width() - room)
        print(dim(padded(name, room)) + first)
        for line in rest:
            print(" " * room + line)


def marks(record: Record | Hit) -> str:
    """Type, trust, origin and what else is worth knowing of a record, in one line."""
    recorded_at = record.recorded_at if isinstance(record, Hit) else record.times.recorded_at
    parts: list[str] = [record.type if record.kind is Kind.NOTE else record.kind]
    if record.status is not Status.ACTIVE:
        parts.append(record.status)
    who = record.author if record.author is not Author.AGENT else record.client
    parts += [record.trust, who or record.author, recorded_at.date().isoformat()]
    if record.scope is not Scope.WORKSPACE:
        parts.append(record.scope)
    return " · ".join(parts)


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 record``, ``1,200 records``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


@cache
def _styles() -> tuple[str, str, str]:
    """What makes text bold, what dims it, and what ends both; empty without a terminal.

    The terminal's own description is asked, which has nothing of the kind for a dumb one.
    No colours: they would have to be told which background they are on.
    """
    if not is_terminal(sys.stdout):
        return "", "", ""
    try:
        import curses
    except ImportError:
        return "", "", ""
    try:
        curses.setupterm()
    except curses.error:
        return "", "", ""
    found = [curses.tigetstr(name) or b"" for name in ("bold", "dim", "sgr0")]
    # The pauses in old descriptions are for printing terminals.
    bold_on, dim_on, off = (_PAUSE.sub("", each.decode("ascii", "ignore")) for each in found)
    return (bold_on, dim_on, off) if off else ("", "", "")
