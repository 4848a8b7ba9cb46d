"""Turns of a conversation out of the file that its client wrote, line by line.

What is in a file never makes reading fail: a line that is no conversation is counted and left
out, and so is one that cannot be read.  A last line without its line break is left for the next
time, since its client may still be writing it.

Where a turn ends is decided by what stands before the end and never by what was read at once:
reading on from the end of a turn gives the turns that reading the whole file gives.  Only a
turn whose client does not say whether its answer was the last one may still grow.
"""

import hashlib
import stat
from collections import Counter
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from memex_mcp.capture.building import Building
from memex_mcp.capture.transcripts.line import Ending, Entry, Facts, Line, SoFar
from memex_mcp.capture.transcripts.raw import Raw, glued, lines, parsed, type_of
from memex_mcp.capture.transcripts.values import sound
from memex_mcp.errors import Invalid, Unavailable
from memex_mcp.model.turn import Envelope, Reading, Role, Source, Turn

UNREADABLE = "unreadable"

_HEAD_LINES, _HEAD_BYTES = 200, 4 * 1024 * 1024
_TAIL_BYTES = (256 * 1024, 4 * 1024 * 1024)


class _Client(Protocol):
    NAME: str
    ANSWER: tuple[bytes, ...]
    NEVER: tuple[str, ...]

    def facts(self, entry: Entry, path: Path, known: Facts) -> Facts: ...
    def named(self, path: Path) -> Facts: ...
    def line(self, entry: Entry, so_far: SoFar) -> Line: ...


_CLIENTS = ("copilot", "codex", "qwen", "gemini", "claude")


def read(path: Path, client: str, start: int = 0) -> Reading:
    """The turns of a transcript that begin at a byte offset or after it.

    Args:
        path: The session file; what is kept of it in memory is its conversation alone.
        client: ``claude``, ``codex``, ``gemini``, ``qwen`` or ``copilot``.
        start: Where to begin: 0, or the ``stop`` of a closed turn.

    Raises:
        Unavailable: There is no such file, or it cannot be read.
        Invalid: No client is called that.
    """
    (whole,) = pieces(path, client, start)
    return whole


def pieces(path: Path, client: str, start: int = 0, size: int | None = None) -> Generator[Reading]:
    """The same, a piece at a time: what was read is at hand before the rest is.

    Args:
        path: As in :func:`read`, and so are ``client`` and ``start``.
        client: Name of a client.
        start: Where to begin.
        size: Bytes of closed turns after which a piece ends, and only the last one may be
            smaller; all in one piece when left out.

    Raises:
        Unavailable: There is no such file, or it cannot be read.
        Invalid: No client is called that.
    """
    module = _client(client)
    skipped: Counter[str] = Counter()
    turns: list[Turn] = []
    with _opened(path) as file:
        source = _source(file, path, module)
        so_far = SoFar(part=source.part)
        building = Building()
        stop = max(0, start)
        for raw in lines(file, stop, module.NEVER):
            stop = raw.stop
            if building.ends is Ending.YES:
                so_far.anew()
            found = _understood(raw, module, so_far, skipped)
            finished = building.add(*found) if found else None
            turns += [finished] if finished else []
            if finished and size is not None and finished.stop - turns[0].start >= size:
                yield Reading(source=source, turns=tuple(turns), stop=stop, skipped=dict(skipped))
                turns, skipped = [], Counter()
    turns += [building.turn()] if building.steps else []
    yield Reading(source=source, turns=tuple(turns), stop=stop, skipped=dict(skipped))


def source(path: Path, client: str) -> Source:
    """Which conversation a transcript holds; only its head is read.

    Raises:
        Unavailable: There is no such file, or it cannot be read.
        Invalid: No client is called that.
    """
    module = _client(client)
    with _opened(path) as file:
        return _source(file, path, module)


def last_answer(path: Path, client: str) -> str:
    """The last thing that the assistant said in words; empty where that is far from the end.

    Only the end of the file is read.  A file that is missing or cannot be read has no answer:
    before the first prompt of a session there is none yet.

    Raises:
        Invalid: No client is called that.
    """
    module = _client(client)
    try:
        with _regular(path) as file:
            size = file.seek(0, 2)
            for length in _TAIL_BYTES:
                begin = max(0, size - length)
                file.seek(begin)
                ends = file.read(length).split(b"\n")
                if answer := _answer_in(ends[1:] if begin else ends, module):
                    return answer
                if not begin:
                    break
    except OSError:
        pass
    return ""


def _client(name: str) -> _Client:
    if name not in _CLIENTS:
        raise Invalid(f"no client is called {name!r}", f"Known are {', '.join(sorted(_CLIENTS))}.")
    # A hook reads the files of one client.
    return cast("_Client", import_module(f"memex_mcp.capture.transcripts.{name}"))


def _opened(path: Path) -> BinaryIO:
    try:
        return _regular(path)
    except OSError as error:
        raise Unavailable(
            "the transcript cannot be read", "Check that it is there and yours."
        ) from error


def _regular(path: Path) -> BinaryIO:
    """The file, open for reading; whatever else bears the name could keep its reader waiting.

    Raises:
        OSError: It is no file, or cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise FileNotFoundError(path)
    return path.open("rb")


def _answer_in(ends: list[bytes], module: _Client) -> str:
    for raw in reversed(ends):
        if not any(mark in raw for mark in module.ANSWER) or type_of(raw) in module.NEVER:
            continue
        entry = parsed(raw)
        line = module.line(entry, SoFar()) if entry is not None else None
        if line and line.role is Role.ASSISTANT and line.text and not line.tool:
            return sound(line.text)
    return ""


def _source(file: BinaryIO, path: Path, module: _Client) -> Source:
    facts = Facts()
    for entry in _head(file):
        facts = module.facts(entry, path, facts)
        if facts.complete:
            break
    named = module.named(path)
    return Source(
        client=module.NAME,
        session_id=sound(facts.session_id or named.session_id),
        part=sound(facts.part or named.part),
        path=path,
        cwd=sound(facts.cwd),
        branch=sound(facts.branch),
        version=sound(facts.version),
    )


def _head(file: BinaryIO) -> Iterator[Entry]:
    for number, raw in enumerate(lines(file, 0, ()), start=1):
        entry = parsed(raw.data) if raw.data else None
        if entry is not None:
            yield entry
        if number >= _HEAD_LINES or raw.stop > _HEAD_BYTES:
            return


def _understood(
    raw: Raw, module: _Client, so_far: SoFar, skipped: Counter[str]
) -> tuple[Envelope | None, Line] | None:
    """What a line says, and the line itself if it is conversation; None where it says nothing."""
    if raw.data is None:
        skipped[raw.kind] += 1
        return None
    data, offset = raw.data, 0
    if not data.strip(b" \t\r"):
        return None
    entry = parsed(data)
    if entry is None:
        skipped[UNREADABLE] += 1
        whole = glued(data)
        if whole is None:
            return None
        offset, entry = whole
        data = data[offset:]
    line = module.line(entry, so_far)
    if line.role is None:
        skipped[line.type] += 1
        return None, line
    envelope = Envelope(
        role=line.role,
        type=line.type,
        at=line.at,
        start=raw.start + offset,
        stop=raw.start + offset + len(data),
        data=data.decode("utf-8", "surrogateescape"),
        sha256=hashlib.sha256(data).hexdigest(),
    )
    return envelope, line
