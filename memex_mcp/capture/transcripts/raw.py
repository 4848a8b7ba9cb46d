"""Lines of a file and the JSON objects in them, whatever else the file holds."""

import json
from collections.abc import Iterator
from typing import BinaryIO

from memex_mcp.capture.transcripts.line import Entry
from memex_mcp.text import lazily
from memex_mcp.values import dataclass

LONGEST = 64 * 1024 * 1024
"""Bytes of a line that is looked at; what is longer is no conversation, and is counted."""

TOO_LONG = "too long"

_CHUNK = 1 << 20
_BLANK = b" \t\r\0\xef\xbb\xbf"
_TYPE = lazily.pattern(rb'\s*\{"type":\s*"([\w.-]{1,60})"')
# What a line begins with that was glued to one which was cut off in the middle.
_GLUED = lazily.pattern(rb'\{"(?:parentUuid|timestamp|uuid|type|id|sessionId|\$set)":')
_GLUED_TRIES = 200


@dataclass(frozen=True, slots=True)
class Raw:
    """A line as it lies in the file, its line break left off.

    Attributes:
        stop: After the line break.
        data: None where the line is not even kept; ``kind`` says why.
    """

    start: int
    stop: int
    data: bytes | None
    kind: str = ""


def lines(file: BinaryIO, start: int, never: tuple[str, ...]) -> Iterator[Raw]:
    """The lines that have a line break, from an offset on.

    Args:
        file: Open for reading bytes; only one line of it is held at a time.
        start: Offset of the first line.
        never: Lines that begin with one of these types are not kept.
    """
    file.seek(start)
    while piece := file.readline(_CHUNK):
        kind = type_of(piece)
        unneeded = kind in never
        pieces, stop = [piece], start + len(piece)
        while not piece.endswith(b"\n"):
            piece = file.readline(_CHUNK)
            if not piece:
                return
            stop += len(piece)
            if unneeded or stop - start > LONGEST:
                pieces.clear()
                kind = kind if unneeded else TOO_LONG
                unneeded = True
            else:
                pieces.append(piece)
        if unneeded:
            yield Raw(start, stop, None, kind)
        else:
            yield Raw(start, stop, b"".join(pieces)[:-1])
        start = stop


def parsed(raw: bytes) -> Entry | None:
    """The object that a line holds; None where it holds none."""
    try:
        value = json.loads(raw.strip(_BLANK).decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def glued(data: bytes) -> tuple[int, Entry] | None:
    """A whole record behind the beginning of another: a client was killed while it wrote."""
    for number, match in enumerate(_GLUED.finditer(data, 1)):
        if number == _GLUED_TRIES:
            break
        entry = parsed(data[match.start() :])
        if entry is not None:
            return match.start(), entry
    return None


def type_of(raw: bytes) -> str:
    """The type that a line begins with, without reading the line; empty where it does not."""
    match = _TYPE.match(raw[:100])
    return match[1].decode("ascii", "replace") if match else ""
