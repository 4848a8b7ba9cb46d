"""What tests of reading share: files made of lines, and turns in a form that compares well."""

import json
from collections.abc import Iterable
from pathlib import Path

from memex_mcp.capture import reading
from memex_mcp.model.turn import Reading, Turn


def written(folder: Path, lines: Iterable[object], name: str = "session.jsonl") -> Path:
    """A file with these lines: texts as they are, anything else as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
    path.write_bytes("".join(f"{text}\n" for text in texts).encode("utf-8", "surrogateescape"))
    return path


def read(folder: Path, client: str, lines: Iterable[object]) -> Reading:
    return reading.read(written(folder, lines), client)


def outline(turn: Turn) -> list[tuple[str, str]]:
    """Who said what, without the steps that say nothing."""
    return [(step.envelope.role.value, step.text) for step in turn.steps if step.text]


def whole(turn: Turn) -> tuple[object, ...]:
    """All that makes a turn, its place in the file too."""
    return (turn.start, turn.stop, turn.key, turn.closed, turn.steps)
