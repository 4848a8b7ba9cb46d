"""Steps and turns made by hand."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from memex_mcp.model.turn import Envelope, Role, Source, Step, Turn

AT = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
SOURCE = Source(
    client="claude",
    session_id="62d5db6a-28dd-4948-a5ec-c882fa76089f",
    path=Path("session.jsonl"),
    cwd="/home/user/proj",
)


def step(number: int, role: Role = Role.ASSISTANT, text: str = "", **fields: object) -> Step:
    """The step that the line with this number makes."""
    data = f"line {number}: {text}"
    envelope = Envelope(
        role=role,
        type=role.value,
        at=AT,
        start=number * 100_000_000,
        stop=number * 100_000_000 + len(data),
        data=data,
        sha256=hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest(),
    )
    return Step(envelope=envelope, text=text, **fields)  # type: ignore[arg-type]  # free-form


def asked(text: str, number: int = 0) -> Step:
    return step(number, Role.USER, text, prompt=True)


def called(number: int, call: str, tool: str, text: str = "", *files: str) -> Step:
    return step(number, Role.ASSISTANT, text, calls=(call,), tool=tool, files=files)


def answered(number: int, call: str, tool: str, text: str) -> Step:
    return step(number, Role.TOOL, text, results=(call,), tool=tool)


def turn(*steps: Step) -> Turn:
    return Turn(steps=steps, closed=True)
