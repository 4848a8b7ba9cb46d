"""Four model APIs on the wire: what a client asks, and what a model answers.

Anthropic Messages (Claude Code), OpenAI Responses (Codex), Gemini generateContent and OpenAI
Chat Completions (the others) carry the same few things: offered tools, earlier tool results,
and one reply that is text or a tool call.  Only this module knows how each spells them.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.clients.asked import LOADERS, Api, Asked, Reply, Text, Tool, flat, fresh, said_last

_GEMINI_PATH = re.compile(r"/models/([^/:]+):(streamGenerateContent|generateContent)$")


def read(path: str, body: bytes) -> Asked | None:
    """Understand a request, or None when the path belongs to none of the four APIs."""
    whole = json.loads(body or b"{}")
    if path.endswith("/messages"):
        return _read_anthropic(whole)
    if path.endswith("/responses"):
        return _read_responses(whole)
    if path.endswith("/chat/completions"):
        return _read_chat(whole)
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
    elif asked.api is Api.CHAT:
        whole = _chat(reply, asked.model)
        events = _chat_events(whole)
    else:
        whole = _response(reply, asked.model)
        events = _response_events(whole)
    if not asked.stream:
        return "application/json", json.dumps(whole).encode()
    last = b"data: [DONE]\n\n" if asked.api is Api.CHAT else b""
    return "text/event-stream", b"".join(_event(name, data) for name, data in events) + last


def _event(name: str, data: object) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _read_anthropic(whole: Any) -> Asked:
    contents = [message["content"] for message in whole.get("messages", ())]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    loads = {part["id"] for part in parts if part["type"] == "tool_use" and part["name"] in LOADERS}
    results = [part for part in parts if part["type"] == "tool_result"]
    return Asked(
        api=Api.ANTHROPIC,
        model=whole.get("model", "scripted"),
        tools=tuple(Tool(name=tool["name"]) for tool in whole.get("tools") or ()),
        results=tuple(
            flat(part.get("content")) for part in results if part["tool_use_id"] not in loads
        ),
        schema=None,
        stream=bool(whole.get("stream")),
        said=said_last(whole.get("messages", ())),
    )


def _read_responses(whole: Any) -> Asked:
    tools: list[Tool] = []
    for tool in whole.get("tools") or ():
        if tool["type"] == "namespace":
            tools += [Tool(name=one["name"], namespace=tool["name"]) for one in tool["tools"]]
        else:
            tools.append(Tool(name=tool.get("name", tool["type"])))
    given = whole.get("input", ())
    items = given if isinstance(given, list) else []
    results = [flat(item["output"]) for item in items if item.get("type", "").endswith("_output")]
    return Asked(
        api=Api.RESPONSES,
        model=whole.get("model", "scripted"),
        tools=tuple(tools),
        results=tuple(results),
        schema=None,
        stream=bool(whole.get("stream")),
        said=said_last(items),
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
        results=tuple(flat(result.get("response")) for result in results),
        schema=schema if wants_json else None,
        stream=stream,
    )


def _read_chat(whole: Any) -> Asked:
    messages = whole.get("messages", ())
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    loads = {call["id"] for call in calls if call["function"]["name"] in LOADERS}
    results = [message for message in messages if message["role"] == "tool"]
    shape = whole.get("response_format") or {}
    return Asked(
        api=Api.CHAT,
        model=whole.get("model", "scripted"),
        tools=tuple(Tool(name=tool["function"]["name"]) for tool in whole.get("tools") or ()),
        results=tuple(
            flat(message["content"]) for message in results if message["tool_call_id"] not in loads
        ),
        schema=(shape.get("json_schema") or {}).get("schema"),
        stream=bool(whole.get("stream")),
        said=said_last(messages),
    )


def _anthropic(reply: Reply, model: str) -> dict[str, Any]:
    block: dict[str, Any]
    if isinstance(reply, Text):
        block = {"type": "text", "text": reply.text}
    else:
        block = {"type": "tool_use", "id": fresh("toolu_"), "name": reply.tool.name}
        block["input"] = dict(reply.arguments)
    return {
        "id": fresh("msg_"),
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
        item = {"type": "message", "id": fresh("msg_"), "role": "assistant", "content": content}
    else:
        item = {"type": "function_call", "id": fresh("fc_"), "call_id": fresh("call_")}
        item |= {"name": reply.tool.name, "arguments": json.dumps(dict(reply.arguments))}
        if reply.tool.namespace:
            item["namespace"] = reply.tool.namespace
    return {
        "id": fresh("resp_"),
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


def _chat(reply: Reply, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(reply, Text):
        message["content"] = reply.text
    else:
        called = {"name": reply.tool.name, "arguments": json.dumps(dict(reply.arguments))}
        message["tool_calls"] = [{"id": fresh("call_"), "type": "function", "function": called}]
    reason = "stop" if isinstance(reply, Text) else "tool_calls"
    return {
        "id": fresh("chatcmpl-"),
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": reply.tokens,
            "completion_tokens": 20,
            "total_tokens": reply.tokens + 20,
        },
    }


def _chat_events(whole: dict[str, Any]) -> Iterator[tuple[str, object]]:
    chunk = {**whole, "object": "chat.completion.chunk", "usage": None}
    (choice,) = whole["choices"]
    delta = dict(choice["message"])
    if calls := delta.get("tool_calls"):
        delta["tool_calls"] = [{"index": at, **call} for at, call in enumerate(calls)]
    for part, reason in ((delta, None), ({}, choice["finish_reason"])):
        yield "", {**chunk, "choices": [{"index": 0, "delta": part, "finish_reason": reason}]}
    yield "", {**chunk, "choices": [], "usage": whole["usage"]}


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
