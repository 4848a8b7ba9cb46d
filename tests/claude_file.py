"""A conversation as Claude Code writes it down, line by line."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

SESSION = "11111111-2222-4333-8444-555555555555"
BEGAN = datetime(2026, 11, 29, 8, tzinfo=UTC)


class ClaudeFile:
    """Writes a transcript; one minute passes with every line.

    Args:
        path: Where it lies.
        cwd: Where the session works.
        session: The client's id of the session.
        agent: Id of the sub-agent whose transcript it is; empty for the session's own.
        began: Time of the first line.
    """

    def __init__(
        self,
        path: Path,
        cwd: Path,
        *,
        session: str = SESSION,
        agent: str = "",
        began: datetime = BEGAN,
    ) -> None:
        self.path = path
        self.at = began
        self._cwd = cwd
        self._session = session
        self._agent = agent
        self._number = 0

    def asks(self, text: str) -> bytes:
        """The user writes a prompt."""
        return self._add("user", text)

    def answers(self, text: str, *, ends: bool = True) -> bytes:
        """The assistant says something, and by that ends its turn or does not say so."""
        reason = "end_turn" if ends else None
        return self._add("assistant", [{"type": "text", "text": text}], stop_reason=reason)

    def calls(self, name: str, **given: object) -> str:
        """The assistant calls a tool; returns the id of the call."""
        call = f"toolu_{self._id()}"
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        self._add("assistant", [block], stop_reason="tool_use")
        return call

    def gets(self, call: str, result: str) -> bytes:
        """A tool returns something."""
        return self._add("user", [{"type": "tool_result", "tool_use_id": call, "content": result}])

    def turn(self, asked: str, answered: str) -> list[bytes]:
        """A question and its answer."""
        return [self.asks(asked), self.answers(answered)]

    def works(self, asked: str, name: str, result: str, answered: str, **given: object) -> None:
        """A question, one call of a tool for it, and the answer."""
        self.asks(asked)
        self.gets(self.calls(name, **given), result)
        self.answers(answered)

    def noise(self) -> None:
        """A line that is no conversation."""
        self._write({"type": "queue-operation", "operation": "enqueue", "content": "hello"})

    def _add(self, kind: str, content: object, **more: object) -> bytes:
        message = {"role": kind, "content": content, **more}
        if kind == "assistant":
            message |= {"id": f"msg_{self._id()}", "model": "claude-opus-5-5", "type": "message"}
        return self._write(
            {
                "parentUuid": None if self._number < 2 else self._id(-1),
                "isSidechain": bool(self._agent),
                **({"agentId": self._agent} if self._agent else {}),
                "type": kind,
                "message": message,
                "uuid": self._id(),
                "userType": "external",
                "cwd": str(self._cwd),
                "version": "2.1.332",
                "gitBranch": "main",
            }
        )

    def _write(self, entry: dict[str, object]) -> bytes:
        stamp = self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        entry |= {"timestamp": stamp, "sessionId": self._session}
        line = json.dumps(entry, ensure_ascii=False).encode()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(line + b"\n")
        self.at += timedelta(minutes=1)
        self._number += 1
        return line

    def _id(self, step: int = 0) -> str:
        name = f"{self._session}{self._agent}{self._number + step}"
        return str(uuid.uuid5(uuid.NAMESPACE_OID, name))
