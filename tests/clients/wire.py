"""Three model APIs on the wire: what a client asks, and what a model answers.

Anthropic Messages (Claude Code), OpenAI Responses (Codex) and Gemini generateContent carry
the same few things: offered tools, earlier tool results, and one reply that is text or a
tool call.  Only this module knows how each spells them.
"""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Api(StrEnum):
    """The three dialects."""

    ANTHROPIC = "anthropic"
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

# Claude Code may offer MCP tools by name only; its model then loads one before calling it.
LOADER = "ToolSearch"

_GEMINI_PATH = re.compile(r"/models/([^/:]+):(streamGenerateContent|generateContent)$")


def read(path: str, body: bytes) -> Asked | None:
    """Understand a request, or None when the path belongs to none of the three APIs."""
    whole = json.loads(body or b"{}")
    if path.endswith("/messages"):
        return _read_anthropic(whole)
    if path.endswith("/responses"):
        return _read_responses(whole)
    if gemini := _GEMINI_PATH.search(path):
        return _read_gemini(whole, gemini[1], stream=gemini[2].startswith("stream"))
    return None


def write(asked: Asked, reply: Reply) -> tuple[str, bytes]:
    """The answer to a request, as content type and bytes."""
    if asked.api is Api.GEMINI:
        whole = _gemini(reply, asked.model)
        events: Iterator[tuple[str, object]] = iter([("", whole)])
    elif asked.api is Api.ANTHROPIC:
        whole = _anthropic(reply, asked.model)
        events = _anthropic_events(whole)
    else:
        whole = _response(reply, asked.model)
        events = _response_events(whole)
    if not asked.stream:
        return "application/json", json.dumps(whole).encode()
    return "text/event-stream", b"".join(_event(name, data) for name, data in events)


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


def _event(name: str, data: object) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _fresh(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:20]


def _flat(content: Any) -> str:
    """The text in a result, whose content may be a string, one part or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_flat, content)))
    if isinstance(content, dict):
        for key in ("text", "output", "content", "result"):
            if key in content:
                return _flat(content[key])
        return json.dumps(content, ensure_ascii=False)
    return ""


def _read_anthropic(whole: Any) -> Asked:
    contents = [message["content"] for message in whole.get("messages", ())]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    loads = {part["id"] for part in parts if part["type"] == "tool_use" and part["name"] == LOADER}
    results = [part for part in parts if part["type"] == "tool_result"]
    return Asked(
        api=Api.ANTHROPIC,
        model=whole.get("model", "scripted"),
        tools=tuple(Tool(name=tool["name"]) for tool in whole.get("tools") or ()),
        results=tuple(
            _flat(part.get("content")) for part in results if part["tool_use_id"] not in loads
        ),
        schema=None,
        stream=bool(whole.get("stream")),
        said=_said(whole.get("messages", ())),
    )


def _said(messages: Any) -> str:
    """The text of the newest message of the user that has any."""
    users = [message for message in messages if message.get("role") == "user"]
    for message in reversed(users):
        content = message["content"]
        parts = content if isinstance(content, list) else [{"text": content}]
        if text := "\n".join(part["text"] for part in parts if "text" in part):
            return text
    return ""


def _read_responses(whole: Any) -> Asked:
    tools: list[Tool] = []
    for tool in whole.get("tools") or ():
        if tool["type"] == "namespace":
            tools += [Tool(name=one["name"], namespace=tool["name"]) for one in tool["tools"]]
        else:
            tools.append(Tool(name=tool.get("name", tool["type"])))
    given = whole.get("input", ())
    items = given if isinstance(given, list) else []
    results = [_flat(item["output"]) for item in items if item.get("type", "").endswith("_output")]
    return Asked(
        api=Api.RESPONSES,
        model=whole.get("model", "scripted"),
        tools=tuple(tools),
        results=tuple(results),
        schema=None,
        stream=bool(whole.get("stream")),
        said=_said(items),
    )


def _read_gemini(whole: Any, model: str, *, stream: bool) -> Asked:
    declared = [one for tool in whole.get("tools") or () for one in tool["functionDeclarations"]]
    parts = [part for content in whole.get("contents", ()) for part in content.get("parts", ())]
    results = [part["functionResponse"] for part in parts if "functionResponse" in part]
    config = whole.get("generationConfig") or {}
    wants_json = config.get("responseMimeType") == "application/json"
    schema = config.get("responseJsonSchema") or config.get("responseSchema") or {}
    return Asked(
        api=Api.GEMINI,
        model=model,
        tools=tuple(Tool(name=one["name"]) for one in declared),
        results=tuple(_flat(result.get("response")) for result in results),
        schema=schema if wants_json else None,
        stream=stream,
    )


def _anthropic(reply: Reply, model: str) -> dict[str, Any]:
    block: dict[str, Any]
    if isinstance(reply, Text):
        block = {"type": "text", "text": reply.text}
    else:
        block = {"type": "tool_use", "id": _fresh("toolu_"), "name": reply.tool.name}
        block["input"] = dict(reply.arguments)
    return {
        "id": _fresh("msg_"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": "end_turn" if isinstance(reply, Text) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": reply.tokens, "output_tokens": 20},
    }


def _anthropic_events(message: dict[str, Any]) -> Iterator[tuple[str, object]]:
    block = message["content"][0]
    if block["type"] == "text":
        start = {**block, "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    for event in (
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ):
        yield str(event["type"]), event


def _response(reply: Reply, model: str) -> dict[str, Any]:
    item: dict[str, Any]
    if isinstance(reply, Text):
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        item = {"type": "message", "id": _fresh("msg_"), "role": "assistant", "content": content}
    else:
        item = {"type": "function_call", "id": _fresh("fc_"), "call_id": _fresh("call_")}
        item |= {"name": reply.tool.name, "arguments": json.dumps(dict(reply.arguments))}
        if reply.tool.namespace:
            item["namespace"] = reply.tool.namespace
    return {
        "id": _fresh("resp_"),
        "object": "response",
        "created_at": 0,
        "model": model,
        "status": "completed",
        "output": [{**item, "status": "completed"}],
        "usage": {
            "input_tokens": reply.tokens,
            "output_tokens": 20,
            "total_tokens": reply.tokens + 20,
        },
    }


def _response_events(response: dict[str, Any]) -> Iterator[tuple[str, object]]:
    begun = {**response, "status": "in_progress", "output": []}
    item = response["output"][0]
    yield "response.created", {"type": "response.created", "response": begun}
    for kind in ("response.output_item.added", "response.output_item.done"):
        yield kind, {"type": kind, "output_index": 0, "item": item}
    yield "response.completed", {"type": "response.completed", "response": response}


def _gemini(reply: Reply, model: str) -> dict[str, Any]:
    part: dict[str, Any]
    if isinstance(reply, Text):
        part = {"text": reply.text}
    else:
        part = {"functionCall": {"name": reply.tool.name, "args": dict(reply.arguments)}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage,
        "modelVersion": model,
    }
