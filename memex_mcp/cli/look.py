"""How records look on a terminal: ids dimmed, trust and status in words, nothing cut silently."""

import shutil
import sys
import textwrap

from memex_mcp.model.record import Record

_DIM, _BOLD, _RESET = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def width() -> int:
    """Columns to fill, at most 100."""
    return min(shutil.get_terminal_size().columns, 100)


def dim(text: str) -> str:
    """Secondary text."""
    return f"{_DIM}{text}{_RESET}" if sys.stdout.isatty() else text


def bold(text: str) -> str:
    """What the eye should find first."""
    return f"{_BOLD}{text}{_RESET}" if sys.stdout.isatty() else text


def indented(text: str) -> str:
    """Text wrapped to the terminal, two spaces in; control characters shown, not obeyed."""
    lines = []
    for line in safe(text).splitlines() or [""]:
        lines += textwrap.wrap(line, width() - 2, replace_whitespace=False) or [""]
    return "\n".join(f"  {line}" for line in lines)


def safe(text: str) -> str:
    """Text that cannot steer the terminal: escapes and other controls become visible."""
    return "".join(
        character if character.isprintable() or character in "\n\t" else f"\\x{ord(character):02x}"
        for character in text
    )


def marks(record: Record) -> str:
    """Kind, status, trust and origin of a record in one line."""
    what = record.type if record.kind == "note" else record.kind
    day = record.times.recorded_at.date().isoformat()
    parts = [what, record.status, record.trust, f"{record.author} ({record.client})", day]
    if record.scope != "workspace":
        parts.append(record.scope)
    return " · ".join(parts)
