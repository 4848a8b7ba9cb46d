"""The hooks of Codex: Claude's shape, read strictly; ``transcript_path`` may be null."""

from memex_mcp.capture.clients.common import specific as answer
from memex_mcp.capture.clients.common import told
from memex_mcp.capture.events import Event, Payload

__all__ = ["answer", "event"]


def event(asked: str, payload: Payload) -> Event:
    """What happened."""
    return told("codex", asked, payload)
