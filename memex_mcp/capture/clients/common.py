"""What the hooks of several clients have in common: the shape that Claude Code began."""

import json
from collections.abc import Mapping

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

NAMES: Mapping[Moment, str] = {
    Moment.SESSION_START: "SessionStart",
    Moment.PROMPT: "UserPromptSubmit",
    Moment.BEFORE_COMPACT: "PreCompact",
    Moment.STOP: "Stop",
    Moment.SESSION_END: "SessionEnd",
}


def told(client: str, asked: str, payload: Payload, names: Mapping[Moment, str] = NAMES) -> Event:
    """The event in a payload whose fields are named as Claude names them.

    What it is called in the payload goes before what was ``asked`` for on the command line;
    ``names`` are the client's own, for a payload that does not say.
    """
    spelled = name(payload, "hook_event_name")
    happened, agent = moment_of(spelled or asked), is_agents(spelled or asked)
    return Event(
        moment=happened,
        client=client,
        name=spelled or names.get(happened, asked),
        start=start_of(payload) if happened is Moment.SESSION_START else None,
        session_id=name(payload, "session_id"),
        # The transcript of the session is not the agent's.
        transcript=path(payload, "agent_transcript_path" if agent else "transcript_path"),
        cwd=folder(payload, "cwd"),
        prompt=text(payload, "prompt") if happened is Moment.PROMPT else "",
        last_answer=text(payload, "last_assistant_message", "prompt_response"),
        agent_id=name(payload, "agent_id") if agent else "",
        stop_active=flag(payload, "stop_hook_active"),
    )


def specific(event: Event, context: str) -> str:
    """The answer that puts ``context`` before the model.

    Not one key more than this: Codex refuses an answer that has one it does not know.
    """
    output = {"hookEventName": event.name, "additionalContext": context}
    return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False)
