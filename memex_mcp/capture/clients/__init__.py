"""The hooks of each client: what it sends, and how it wants to be answered."""

from importlib import import_module
from typing import Protocol

from memex_mcp.capture.events import Event, Payload, text

_MODULES = {
    "claude": "claude",
    "claudecode": "claude",
    "codex": "codex",
    "codexcli": "codex",
    "codexmcpclient": "codex",
    "gemini": "gemini",
    "geminicli": "gemini",
    "geminiclimcpclient": "gemini",
    "qwen": "qwen",
    "qwencode": "qwen",
    "copilot": "copilot",
    "copilotcli": "copilot",
    "githubcopilot": "copilot",
}
_FOLDERS = {".claude": "claude", ".codex": "codex", ".gemini": "gemini", ".qwen": "qwen"}
_GEMINI = {"BeforeAgent", "AfterAgent", "PreCompress"}


class Shape(Protocol):
    """A module that knows the hooks of one client."""

    def event(self, asked: str, payload: Payload) -> Event:
        """What happened; what the payload says goes before what was ``asked`` for."""

    def answer(self, event: Event, context: str) -> str:
        """What to print so that the model reads ``context``; nothing where it would not."""


def shape_of(client: str) -> Shape:
    """The shape of a client by its name, in any of its spellings; of Claude for a stranger."""
    known = _MODULES.get("".join(filter(str.isalpha, client.lower())), "claude")
    shape: Shape = import_module(f"{__name__}.{known}")
    return shape


def recognised(payload: Payload) -> str:
    """Which client wrote a payload, as far as that shows; Claude where it does not."""
    if "sessionId" in payload:
        return "copilot"
    if text(payload, "hook_event_name") in _GEMINI:
        return "gemini"
    # Each client keeps its conversations below a folder of its own, wherever that lies.
    parts = text(payload, "transcript_path", "agent_transcript_path").replace("\\", "/").split("/")
    named = next((_FOLDERS[part] for part in reversed(parts) if part in _FOLDERS), "")
    if named:
        return named
    return "codex" if "turn_id" in payload else "claude"
