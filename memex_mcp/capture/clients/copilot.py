"""The hooks of Copilot CLI: Claude's fields in camel case, without the event, answered apart."""

import json
import re

from memex_mcp.capture.clients.common import told
from memex_mcp.capture.events import Event, Moment, Payload

_NAMES = {
    Moment.SESSION_START: "sessionStart",
    Moment.PROMPT: "userPromptSubmitted",
    Moment.BEFORE_COMPACT: "preCompact",
    Moment.STOP: "agentStop",
    Moment.SESSION_END: "sessionEnd",
}
_CAPITAL = re.compile(r"[A-Z]")


def event(asked: str, payload: Payload) -> Event:
    """What happened."""
    return told("copilot", asked, {_snake(key): payload[key] for key in payload}, _NAMES)


def answer(event: Event, context: str) -> str:
    """What to print so that the model reads ``context``: it lies at the top."""
    return json.dumps({"additionalContext": context}, ensure_ascii=False)


def _snake(key: str) -> str:
    return _CAPITAL.sub(lambda found: f"_{found[0].lower()}", key)
