"""The hooks of Gemini CLI: Claude's fields under names of its own.

Only JSON reaches its model.  ``PreCompress`` comes with every turn, compression or not, and
the prompt holds the context that other hooks added to it.
"""

from memex_mcp.capture.clients.common import NAMES, told
from memex_mcp.capture.clients.common import specific as answer
from memex_mcp.capture.events import Event, Moment, Payload

__all__ = ["answer", "event"]

_NAMES = {
    **NAMES,
    Moment.PROMPT: "BeforeAgent",
    Moment.BEFORE_COMPACT: "PreCompress",
    Moment.STOP: "AfterAgent",
}


def event(asked: str, payload: Payload) -> Event:
    """What happened."""
    return told("gemini", asked, payload, _NAMES)
