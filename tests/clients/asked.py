"""What a client asks of a model and what a model answers, whichever API carries it."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Api(StrEnum):
    """The four dialects."""

    ANTHROPIC = "anthropic"
    CHAT = "chat"
    RESPONSES = "responses"
    GEMINI = "gemini"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as one request offers it; ``namespace`` only in the Responses API."""

    name: str
    namespace: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request to a model.

    Attributes:
        tools: Empty in side requests, such as a title or a routing decision.
        results: Text of every result of an MCP tool in the conversation so far, oldest first.
        schema: Set when the reply has to be JSON of this shape.
        stream: The reply is read as server-sent events.
        said: Text of the newest message that counts as the user's; empty with Gemini.
    """

    api: Api
    model: str
    tools: tuple[Tool, ...]
    results: tuple[str, ...]
    schema: Mapping[str, object] | None
    stream: bool
    said: str = ""

    @property
    def main(self) -> bool:
        """Whether this is the agent's own turn rather than a side request."""
        return bool(self.tools) and self.schema is None


@dataclass(frozen=True, slots=True)
class Text:
    """A reply in words; ``tokens`` is what the model claims to have read for it."""

    text: str
    tokens: int = 1000


@dataclass(frozen=True, slots=True)
class Use:
    """A reply that calls a tool."""

    tool: Tool
    arguments: Mapping[str, object]
    tokens: int = 1000


Reply = Text | Use

# Claude Code and Qwen Code offer MCP tools by name only; their models load one before they call it,
# in Qwen Code by way of another tool.
LOADERS = ("ToolSearch", "tool_search")
BY_NAME = "tool_call"


def smallest(schema: object) -> object:
    """The smallest value that fits a JSON schema, for replies whose content does not matter."""
    if not isinstance(schema, Mapping):
        return {}
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    kind = str(schema.get("type", "object")).lower()
    if kind == "object":
        properties = schema.get("properties") or {}
        return {name: smallest(part) for name, part in properties.items()}
    return {"array": [], "number": 1, "integer": 1, "boolean": False}.get(kind, "ok")


def fresh(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:20]


def flat(content: Any) -> str:
    """The text in a result, whose content may be a string, one part or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(flat, content)))
    if isinstance(content, dict):
        for key in ("text", "output", "content", "result"):
            if key in content:
                return flat(content[key])
        return json.dumps(content, ensure_ascii=False)
    return ""


def said_last(messages: Any) -> str:
    """The text of the newest message of the user that has any."""
    users = [message for message in messages if message.get("role") == "user"]
    for message in reversed(users):
        content = message["content"]
        parts = content if isinstance(content, list) else [{"text": content}]
        if text := "\n".join(part["text"] for part in parts if "text" in part):
            return text
    return ""
