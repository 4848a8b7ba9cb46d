"""The hooks of Qwen Code: Claude's shape."""

from dataclasses import replace

from memex_mcp.capture.clients.common import specific as answer
from memex_mcp.capture.clients.common import told
from memex_mcp.capture.events import Event, Moment, Payload

__all__ = ["answer", "event"]


def event(asked: str, payload: Payload) -> Event:
    """What happened; every step of a turn submits an empty prompt, which nobody wrote."""
    happened = told("qwen", asked, payload)
    if happened.moment is Moment.PROMPT and not happened.prompt.strip():
        return replace(happened, moment=Moment.OTHER)
    return happened
