"""The hooks of Copilot CLI: Claude's fields in camel case, without the event, answered apart."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

from memex_mcp import settings
from memex_mcp.capture import places
from memex_mcp.capture.clients.common import told
from memex_mcp.capture.events import Event, Moment, Payload, path

_NAMES = {
    Moment.SESSION_START: "sessionStart",
    Moment.PROMPT: "userPromptSubmitted",
    Moment.BEFORE_COMPACT: "preCompact",
    Moment.STOP: "agentStop",
    Moment.SESSION_END: "sessionEnd",
}
_CAPITAL = re.compile(r"[A-Z]")


def event(asked: str, payload: Payload) -> Event:
    """What happened; the transcript is named only when a turn ends, and written late."""
    happened = told("copilot", asked, {_snake(key): payload[key] for key in payload}, _NAMES)
    transcript = happened.transcript
    if transcript is None and not happened.agent_id:
        transcript = _transcript(happened.session_id)
    return replace(happened, transcript=transcript, late=happened.moment is Moment.SESSION_END)


def answer(event: Event, context: str) -> str:
    """What to print so that the model reads ``context``: it lies at the top."""
    return json.dumps({"additionalContext": context}, ensure_ascii=False)


def _transcript(session_id: str) -> Path | None:
    """Where a session is kept, or will be; a hook has the environment of its client."""
    if not session_id:
        return None
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - the method raises for an unknown user
    folder = places.folder("copilot", home, settings.environment(places.VARIABLES))
    return path({"is": str(folder / "session-state" / session_id / "events.jsonl")}, "is")


def _snake(key: str) -> str:
    return _CAPITAL.sub(lambda found: f"_{found[0].lower()}", key)
