"""The hooks of Claude Code, and of every client that is not known."""

from dataclasses import replace

from memex_mcp.capture.clients.common import specific as answer
from memex_mcp.capture.clients.common import told
from memex_mcp.capture.events import Event, Moment, Payload

__all__ = ["answer", "event"]


def event(asked: str, payload: Payload) -> Event:
    """What happened; the agent that sums a session up for a compaction is no event."""
    happened = told("claude", asked, payload)
    if happened.moment is Moment.STOP and payload.get("agent_type") == "":
        return replace(happened, moment=Moment.OTHER)
    return happened
