"""Payloads as the clients write them, and what may be printed in answer."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Payload = dict[str, Any]

CLIENTS = ("claude", "codex", "gemini", "qwen", "copilot")

EVENTS = ("session-start", "user-prompt-submit", "pre-compact", "stop", "session-end")

SNAKE = ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd")
NAMES: Mapping[str, tuple[str, ...]] = {
    "claude": SNAKE,
    "codex": SNAKE,
    "gemini": ("SessionStart", "BeforeAgent", "PreCompress", "AfterAgent", "SessionEnd"),
    "qwen": SNAKE,
    "copilot": ("sessionStart", "userPromptSubmitted", "preCompact", "agentStop", "sessionEnd"),
}
"""The client's own name of each event, in the order of ``EVENTS``."""

SESSION = "6f7d3a52-4c1e-4b0a-9d53-0e6a7c1b2f90"


def own_name(client: str, event: str) -> str:
    return NAMES[client][EVENTS.index(event)]


def payload(
    client: str,
    event: str,
    *,
    cwd: Path | str = "/nowhere/project",
    transcript: Path | str | None = None,
    prompt: str = "",
    source: str = "startup",
    session: str = SESSION,
) -> Payload:
    """What a client writes to its hook."""
    make = _copilot if client == "copilot" else _snake
    return make(client, event) | _spelled(
        client,
        {
            "session_id": session,
            "cwd": str(cwd),
            "transcript_path": None if transcript is None else str(transcript),
            **({"source": source} if event == "session-start" else {}),
            **({"prompt": prompt} if event == "user-prompt-submit" else {}),
        },
    )


def _snake(client: str, event: str) -> Payload:
    made: Payload = {"hook_event_name": own_name(client, event)}
    if client in ("codex", "qwen"):
        made["permission_mode"] = "auto"
    if client in ("gemini", "qwen"):
        made["timestamp"] = "2026-11-30T08:12:59.056Z"
    if client == "codex" and event in ("user-prompt-submit", "stop"):
        made["turn_id"] = "turn-1"
    extra: dict[str, Payload] = {
        "pre-compact": {"trigger": "auto", "custom_instructions": None},
        "stop": {"stop_hook_active": False, "last_assistant_message": "It is done."},
        "session-end": {"reason": "other"},
    }
    if client == "gemini" and event == "stop":
        extra["stop"] = {"prompt": "do it", "prompt_response": "It is done."}
    return made | extra.get(event, {})


def _copilot(client: str, event: str) -> Payload:
    extra: dict[str, Payload] = {
        "stop": {"stopReason": "end_turn", "stop_hook_active": False},
        "session-end": {"reason": "complete"},
    }
    return {"timestamp": 1796026383488} | extra.get(event, {})


def _spelled(client: str, fields: Payload) -> Payload:
    if client != "copilot":
        return fields
    camel = {"session_id": "sessionId", "transcript_path": "transcriptPath"}
    return {camel.get(key, key): value for key, value in fields.items() if value is not None}


def context(client: str, event: str, out: str) -> str:
    """What of an answer reaches the model; fails if the client would not take the answer."""
    if out == "":
        return ""
    assert event in ("session-start", "user-prompt-submit"), out
    answer = json.loads(out)
    if client == "copilot":
        assert answer.keys() == {"additionalContext"}
        told = answer["additionalContext"]
    else:
        assert answer.keys() == {"hookSpecificOutput"}
        inner = answer["hookSpecificOutput"]
        assert inner.keys() == {"hookEventName", "additionalContext"}
        assert inner["hookEventName"] == own_name(client, event)
        told = inner["additionalContext"]
    assert isinstance(told, str)
    assert told
    assert len(told.encode("utf-16-le")) // 2 <= 9_000
    return told
