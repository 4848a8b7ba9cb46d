"""The hooks of Copilot CLI: fields in camel case, no event in them, and answers of its own."""

import json

from memex_mcp.capture.events import (
    Event,
    Moment,
    Payload,
    flag,
    folder,
    is_agents,
    moment_of,
    name,
    path,
    start_of,
    text,
)

_NAMES = {
    Moment.SESSION_START: "sessionStart",
    Moment.PROMPT: "userPromptSubmitted",
    Moment.BEFORE_COMPACT: "preCompact",
    Moment.STOP: "agentStop",
    Moment.SESSION_END: "sessionEnd",
}


def event(asked: str, payload: Payload) -> Event:
    """What happened."""
    happened, agent = moment_of(asked), is_agents(asked)
    return Event(
        moment=happened,
        client="copilot",
        name=_NAMES.get(happened, asked),
        start=start_of(payload) if happened is Moment.SESSION_START else None,
        session_id=name(payload, "sessionId"),
        transcript=path(payload, "agentTranscriptPath" if agent else "transcriptPath"),
        cwd=folder(payload, "cwd"),
        prompt=text(payload, "prompt") if happened is Moment.PROMPT else "",
        last_answer=text(payload, "lastAssistantMessage"),
        agent_id=name(payload, "agentId") if agent else "",
        stop_active=flag(payload, "stop_hook_active", "stopHookActive"),
    )


def answer(event: Event, context: str) -> str:
    """What to print so that the model reads ``context``: it lies at the top."""
    return json.dumps({"additionalContext": context}, ensure_ascii=False)
