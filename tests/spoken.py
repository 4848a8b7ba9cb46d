"""Lines of a transcript and what is made of them, as capture hands them in."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from memex_mcp.model.kinds import Kind, Scope
from memex_mcp.model.record import Draft
from memex_mcp.model.turn import Envelope, Role

MORNING = datetime(2026, 11, 29, 8, tzinfo=UTC)


def make_line(data: str | bytes, number: int = 0, **over: Any) -> Envelope:
    """A line of a transcript; its hash is that of its bytes."""
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    values: dict[str, Any] = {
        "role": Role.USER if number % 2 == 0 else Role.ASSISTANT,
        "type": "message",
        "at": MORNING + timedelta(minutes=number),
        "start": number * 1_000,
        "stop": number * 1_000 + len(raw),
        "data": raw.decode("utf-8", "surrogateescape"),
        "sha256": hashlib.sha256(raw).hexdigest(),
    }
    return Envelope(**{**values, **over})


def said(text: str, number: int = 0, **more: object) -> Envelope:
    """A line in which somebody says something."""
    entry = {"type": "message", "number": number, "message": {"content": text}, **more}
    return make_line(json.dumps(entry, ensure_ascii=False), number)


def make_span(*texts: str, first: int = 0, **over: Any) -> Draft:
    """A span of one session: what was said in turns, and the lines that say so."""
    lines = tuple(said(text, number) for number, text in enumerate(texts, start=first))
    values: dict[str, Any] = {
        "text": "\n\n".join(texts),
        "kind": Kind.SPAN,
        "scope": Scope.SESSION,
        "source": "agent-a:s-a",
        "observed_at": lines[0].at,
        "events": lines,
    }
    return Draft(**{**values, **over})
