"""The lines that a record stands for, as a file beside its Markdown file.

``<id>.events.jsonl`` has one JSON object for each line of the transcript.  It is evidence:
nobody edits it, and what somebody changes in it is told and never taken in.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from memex_mcp.errors import Invalid
from memex_mcp.model.times import iso, parse_time
from memex_mcp.model.turn import Envelope, Role
from memex_mcp.store import files
from memex_mcp.text.literals import compact

SUFFIX = ".events.jsonl"
CHANGED = "the lines of a transcript are evidence, which nobody edits"
"""Why such a file is set aside."""

_LARGEST = (1 << 63) - 1


def beside(path: str) -> str:
    """Name of the file of lines that belongs to a record's file."""
    return path.removesuffix(".md") + SUFFIX


def render(lines: Iterable[Envelope]) -> bytes:
    """The bytes of the file."""
    return "".join(f"{_told(seq, line)}\n" for seq, line in enumerate(lines)).encode()


def bring(home: Path, path: str, lines: tuple[Envelope, ...], at: datetime) -> None:
    """Write the lines of a record beside its file, unless they lie there already.

    What else lies there goes to the quarantine; the beginning of the lines was ours.

    Raises:
        OSError: The disk is full or read-only.
    """
    name = beside(path)
    there = _bytes(home, name)
    if not lines and there is None:
        return
    data = render(lines)
    if there == data:
        return
    if files.is_folder(home / name):
        files.set_aside(home, name, files.IN_THE_WAY)
    elif there is not None and not data.startswith(there):
        files.set_aside(home, name, CHANGED)
    if lines:
        files.write_whole(home / name, data, at)


def leave(home: Path, path: str, lines: tuple[Envelope, ...]) -> None:
    """Remove the lines from beside a record's file; what somebody changed is set aside.

    Raises:
        OSError: It cannot be removed.
    """
    name = beside(path)
    there = _bytes(home, name)
    if there is not None and not render(lines).startswith(there):
        files.set_aside(home, name, CHANGED)
    elif there is not None:
        (home / name).unlink()


def differs(home: Path, path: str, lines: tuple[Envelope, ...]) -> bool:
    """Whether the file of lines of a record is not as it was written."""
    return (_bytes(home, beside(path)) or b"") != render(lines)


def read(home: Path, path: str) -> tuple[tuple[Envelope, ...], int]:
    """The lines in the file beside a record's file.

    Returns:
        Those that are what they were, and how many others there are: what was changed does not
        have the hash any more that it was written with.

    Raises:
        OSError: There is a file, and it cannot be read.
    """
    there = _bytes(home, beside(path))
    found = [_parsed(line) for line in (there or b"").split(b"\n") if line.strip()]
    sound = tuple(line for line in found if line is not None)
    return sound, len(found) - len(sound)


def is_whole(line: Envelope) -> bool:
    """Whether a line is what the client wrote; of a masked one nobody can tell."""
    return line.masked or digest(line.data) == line.sha256


def digest(data: str) -> str:
    """Hash of the bytes that a line was read from."""
    return hashlib.sha256(data.encode("utf-8", "surrogateescape")).hexdigest()


def found(home: Path) -> Iterator[str]:
    """Name of every file of lines, relative to the store folder."""
    for folder, inner, names in os.walk(home / files.RECORDS):
        inner.sort()
        place = Path(folder).relative_to(home).as_posix()
        yield from (f"{place}/{name}" for name in sorted(names) if name.endswith(SUFFIX))


def _bytes(home: Path, name: str) -> bytes | None:
    """What the file holds; None when there is none, or it is a link, a folder or a pipe."""
    return (home / name).read_bytes() if files.look(home, name) else None


def _told(seq: int, line: Envelope) -> str:
    return compact(
        {
            "seq": seq,
            "role": line.role.value,
            "type": line.type,
            "at": None if line.at is None else iso(line.at),
            "start": line.start,
            "stop": line.stop,
            "sha256": line.sha256,
            "masked": line.masked,
            "data": line.data,
        }
    )


def _parsed(text: bytes) -> Envelope | None:
    try:
        entry = json.loads(text)
        at = entry["at"]
        line = Envelope(
            role=Role(entry["role"]),
            type=str(entry["type"]),
            at=None if at is None else parse_time(at),
            start=min(max(int(entry["start"]), 0), _LARGEST),
            stop=min(max(int(entry["stop"]), 0), _LARGEST),
            data=str(entry["data"]),
            sha256=str(entry["sha256"]),
            masked=bool(entry["masked"]),
        )
        (line.type + line.sha256).encode()
        line.data.encode("utf-8", "surrogateescape")
    except (ValueError, TypeError, LookupError, AttributeError, Invalid, RecursionError):
        return None
    return line if is_whole(line) else None
