"""Home folders with conversations in them, as each client writes them down."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGAN = datetime(2026, 10, 1, 9, tzinfo=UTC)

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn: what is asked, what a command returns, what is answered."""

    asked: str
    result: str
    answered: str


@dataclass(frozen=True, slots=True)
class _Session:
    id: str
    project: Path
    at: datetime

    def time(self, step: int) -> str:
        moment = self.at + timedelta(seconds=step)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write_conversation(
    home: Path,
    client: str,
    project: Path,
    turns: Sequence[Exchange],
    *,
    session_id: str = "s-1",
    at: datetime = BEGAN,
) -> Path:
    """Write a conversation where the client keeps it; returns the file."""
    session = _Session(session_id, project, at)
    path = home / _PLACES[client](session)
    path.parent.mkdir(parents=True, exist_ok=True)
    if client == "gemini":
        (path.parent.parent / ".project_root").write_text(str(project), encoding="utf-8")
    lines = [json.dumps(line) + "\n" for line in _WRITERS[client](session, turns)]
    path.write_text("".join(lines), encoding="utf-8")
    ended = (at + timedelta(seconds=10 * len(turns))).timestamp()
    os.utime(path, (ended, ended))
    return path


def add_turn(
    path: Path, client: str, project: Path, turns: Sequence[Exchange], **over: Any
) -> None:
    """Have a conversation go on by the last of ``turns``; the others stand there already."""
    session = _Session(over.get("session_id", "s-1"), project, over.get("at", BEGAN))
    before = sum(1 for _ in _WRITERS[client](session, turns[:-1]))
    lines = [json.dumps(line) + "\n" for line in _WRITERS[client](session, turns)]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(lines[before:])


def _claude(session: _Session, turns: Sequence[Exchange]) -> Iterator[Line]:
    common = {
        "isSidechain": False,
        "userType": "external",
        "cwd": str(session.project),
        "sessionId": session.id,
        "version": "2.1.332",
        "gitBranch": "main",
    }
    for n, turn in enumerate(turns):
        said = _ids(session, n, 4)
        steps: list[tuple[str, Any]] = [
            ("user", turn.asked),
            ("assistant", [{"type": "tool_use", "id": said[1], "name": "Bash", "input": {}}]),
            ("user", [{"type": "tool_result", "tool_use_id": said[1], "content": turn.result}]),
            ("assistant", [{"type": "text", "text": turn.answered}]),
        ]
        for m, (role, content) in enumerate(steps):
            message: Line = {"role": role, "content": content}
            if role == "assistant":
                stop = "end_turn" if m == 3 else "tool_use"
                message |= {"type": "message", "id": f"msg_{said[m]}", "stop_reason": stop}
            yield {
                **common,
                "type": role,
                "uuid": said[m],
                "parentUuid": said[m - 1] if m else None,
                "timestamp": session.time(10 * n + m),
                "message": message,
            }


def _codex(session: _Session, turns: Sequence[Exchange]) -> Iterator[Line]:
    yield {
        "timestamp": session.time(0),
        "type": "session_meta",
        "payload": {
            "id": session.id,
            "session_id": session.id,
            "cwd": str(session.project),
            "cli_version": "0.171.0",
        },
    }
    for n, turn in enumerate(turns):
        call = _ids(session, n, 1)[0]
        for m, payload in enumerate(
            [
                _codex_said("user", "input_text", turn.asked),
                {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": call},
                {"type": "function_call_output", "call_id": call, "output": turn.result},
                _codex_said("assistant", "output_text", turn.answered),
            ]
        ):
            yield {
                "timestamp": session.time(10 * n + m),
                "type": "response_item",
                "payload": payload,
            }
        yield {
            "timestamp": session.time(10 * n + 4),
            "type": "event_msg",
            "payload": {"type": "task_complete", "last_agent_message": turn.answered},
        }


def _codex_said(role: str, kind: str, text: str) -> Line:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _gemini(session: _Session, turns: Sequence[Exchange]) -> Iterator[Line]:
    yield {"sessionId": session.id, "startTime": session.time(0), "kind": "main"}
    for n, turn in enumerate(turns):
        said = _ids(session, n, 4)
        returned = {"functionResponse": {"id": said[1], "response": {"output": turn.result}}}
        call = {"id": said[1], "name": "shell", "args": {}, "result": [returned]}
        steps: list[Line] = [
            {"type": "user", "content": [{"text": turn.asked}]},
            {"type": "gemini", "content": "", "toolCalls": [call]},
            {"type": "user", "content": [returned]},
            {"type": "gemini", "content": turn.answered},
        ]
        for m, step in enumerate(steps):
            yield {"id": said[m], "timestamp": session.time(10 * n + m), **step}


def _qwen(session: _Session, turns: Sequence[Exchange]) -> Iterator[Line]:
    for n, turn in enumerate(turns):
        said = _ids(session, n, 4)
        returned = {"id": said[1], "name": "shell", "response": {"output": turn.result}}
        steps: list[tuple[str, str, Line]] = [
            ("user", "user", {"text": turn.asked}),
            ("assistant", "model", {"functionCall": {"id": said[1], "name": "shell", "args": {}}}),
            ("tool_result", "user", {"functionResponse": returned}),
            ("assistant", "model", {"text": turn.answered}),
        ]
        for m, (kind, role, part) in enumerate(steps):
            yield {
                "uuid": said[m],
                "parentUuid": said[m - 1] if m else None,
                "sessionId": session.id,
                "timestamp": session.time(10 * n + m),
                "type": kind,
                "provenance": _PROVENANCE[kind],
                "cwd": str(session.project),
                "version": "0.24.4",
                "message": {"role": role, "parts": [part]},
            }


def _copilot(session: _Session, turns: Sequence[Exchange]) -> Iterator[Line]:
    yield {
        "type": "session.start",
        "data": {"sessionId": session.id, "context": {"cwd": str(session.project)}},
        "timestamp": session.time(0),
    }
    for n, turn in enumerate(turns):
        call = _ids(session, n, 1)[0]
        wanted = {"toolCallId": call, "name": "shell", "arguments": {}, "type": "function"}
        done = {"toolCallId": call, "success": True, "result": {"content": turn.result}}
        begun = {"turnId": str(n)}
        for m, (kind, data) in enumerate(
            [
                ("user.message", {"content": turn.asked}),
                ("assistant.turn_start", begun),
                ("assistant.message", {"content": "", "toolRequests": [wanted]}),
                ("tool.execution_complete", done),
                ("assistant.message", {"content": turn.answered, "toolRequests": []}),
                ("assistant.turn_end", begun),
            ]
        ):
            yield {
                "type": kind,
                "data": data,
                "id": f"{call}-{m}",
                "timestamp": session.time(10 * n + m),
            }


def _ids(session: _Session, turn: int, count: int) -> list[str]:
    return [f"{session.id}-{turn}-{number}" for number in range(count)]


def _slug(session: _Session) -> str:
    return re.sub(r"\W", "-", str(session.project))


_PROVENANCE = {
    "user": "real_user",
    "assistant": "assistant_output",
    "tool_result": "tool_result",
}
_WRITERS = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "qwen": _qwen,
    "copilot": _copilot,
}
_PLACES = {
    "claude": lambda session: f".claude/projects/{_slug(session)}/{session.id}.jsonl",
    "codex": lambda session: (
        f".codex/sessions/{session.at:%Y/%m/%d}/"
        f"rollout-{session.at:%Y-%m-%dT%H-%M-%S}-{session.id}.jsonl"
    ),
    "gemini": lambda session: (
        f".gemini/tmp/{session.project.name}/chats/"
        f"session-{session.at:%Y-%m-%dT%H-%M}-{session.id}.jsonl"
    ),
    "qwen": lambda session: f".qwen/projects/{_slug(session)}/chats/{session.id}.jsonl",
    "copilot": lambda session: f".copilot/session-state/{session.id}/events.jsonl",
}
