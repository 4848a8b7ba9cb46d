"""Lines of Claude Code, Qwen Code and Gemini CLI."""

from collections.abc import Iterator, Sequence
from typing import Any

from tests.capture.made_lines import SUMMARY, Exchange, Writing

Entry = dict[str, Any]


def claude(writing: Writing, turns: Sequence[Exchange]) -> Iterator[Entry]:
    yield {"type": "mode", "mode": "normal", "sessionId": writing.session_id}
    for number, turn in enumerate(turns):
        yield {"type": "queue-operation", "operation": "enqueue", "timestamp": writing.time(),
               "sessionId": writing.session_id, "content": turn.prompt}  # fmt: skip
        content: object = turn.prompt
        if turn.image:
            source = {"type": "base64", "media_type": "image/png", "data": turn.picture}
            content = [{"type": "text", "text": turn.prompt}, {"type": "image", "source": source}]
        yield _claude(writing, "user", message={"role": "user", "content": content})
        shown = f"<system-reminder>\n{turn.injected}\n</system-reminder>"
        hook = {"type": "hook_additional_context", "content": [turn.injected]}
        yield _claude(writing, "attachment", attachment=hook, rendered=[{"content": shown}])
        sent = {"role": "user", "content": [{"type": "text", "text": shown}]}
        yield {"type": "api-request-blob", "sessionId": writing.session_id, "message": sent}
        yield from _claude_work(writing, turn, number)
        yield _claude(writing, "system", subtype="stop_hook_summary", hookCount=1)
        yield {"type": "last-prompt", "lastPrompt": turn.prompt, "sessionId": writing.session_id}
    yield {"type": "cost-state", "sessionId": writing.session_id, "totalCostUSD": 0.01}


def _claude_work(writing: Writing, turn: Exchange, number: int) -> Iterator[Entry]:
    for place, call in enumerate(turn.calls):
        message, call_id = (
            f"msg_{number}_{place}",
            f"toolu_{writing.session_id[:4]}_{number}_{place}",
        )
        text = {"type": "text", "text": f"Step {place} of it."}
        yield _claude_said(writing, message, text, "tool_use")
        use = {"type": "tool_use", "id": call_id, "name": call.name, "input": call.given}
        yield _claude_said(writing, message, use, "tool_use")
        if turn.interrupted:
            stopped = [{"type": "text", "text": "[Request interrupted by user for tool use]"}]
            yield _claude(writing, "user", message={"role": "user", "content": stopped})
            return
        result = {"tool_use_id": call_id, "type": "tool_result", "content": call.result}
        yield _claude(
            writing,
            "user",
            message={"role": "user", "content": [result]},
            toolUseResult=call.result,
        )
    if turn.compacted:
        yield _claude(
            writing, "system", subtype="compact_boundary", content="Conversation compacted"
        )
        summary = {"role": "user", "content": f"This session is being continued. {SUMMARY}"}
        yield _claude(writing, "user", message=summary, isCompactSummary=True)
    if turn.interrupted:
        stopped = [{"type": "text", "text": "[Request interrupted by user]"}]
        yield _claude(writing, "user", message={"role": "user", "content": stopped})
        return
    message = f"msg_{number}_end"
    yield _claude_said(writing, message, {"type": "thinking", "thinking": "hm"}, "end_turn")
    yield _claude_said(writing, message, {"type": "text", "text": turn.answer}, "end_turn")


def _claude_said(writing: Writing, message: str, part: Entry, reason: str) -> Entry:
    said = {"id": message, "role": "assistant", "content": [part], "stop_reason": reason}
    return _claude(writing, "assistant", message=said)


def _claude(writing: Writing, kind: str, **fields: object) -> Entry:
    agent = {"agentId": writing.agent} if writing.agent else {}
    return {
        "parentUuid": None, "isSidechain": bool(writing.agent), **agent, "type": kind, **fields,
        "uuid": writing.id(), "timestamp": writing.time(), "userType": "external",
        "cwd": writing.cwd, "sessionId": writing.session_id, "version": "2.1.332",
        "gitBranch": "main",
    }  # fmt: skip


def qwen(writing: Writing, turns: Sequence[Exchange]) -> Iterator[Entry]:
    for number, turn in enumerate(turns):
        parts: list[Entry] = [{"text": turn.prompt}]
        payload = {"displayText": turn.prompt, "hookContext": turn.injected}
        if turn.image:
            parts.append({"inlineData": {"mimeType": "image/png", "data": turn.picture}})
        if turn.injected:
            tag = "qwen:user-prompt-submit-context"
            parts.append({"text": f"<{tag}>\n{turn.injected}\n</{tag}>"})
        yield _qwen(writing, "user", "real_user", parts, systemPayload=payload)
        yield _qwen(writing, "system", "system", None, subtype="ui_telemetry", systemPayload={})
        yield from _qwen_work(writing, turn, number)


def _qwen_work(writing: Writing, turn: Exchange, number: int) -> Iterator[Entry]:
    for place, call in enumerate(turn.calls):
        call_id = f"call_{number}_{place}"
        asked = {"functionCall": {"id": call_id, "name": call.name, "args": call.given}}
        said = {"text": f"Step {place} of it."}
        yield _qwen(writing, "assistant", "assistant_output", [said, asked], model="m")
        if turn.interrupted:
            return
        answer = {"id": call_id, "name": call.name, "response": {"output": call.result}}
        yield _qwen(writing, "tool_result", "tool_result", [{"functionResponse": answer}])
    if turn.compacted:
        yield _qwen(writing, "system", "system", None, subtype="chat_compression", systemPayload={})
    if not turn.interrupted:
        thought = {"text": "hm", "thought": True}
        yield _qwen(writing, "assistant", "assistant_output", [thought, {"text": turn.answer}])


def _qwen(
    writing: Writing, kind: str, source: str, parts: list[Entry] | None, **fields: object
) -> Entry:
    role = "user" if kind in ("user", "tool_result") else "model"
    message = {} if parts is None else {"message": {"role": role, "parts": parts}}
    return {
        "uuid": writing.id(), "parentUuid": None, "sessionId": writing.session_id,
        "timestamp": writing.time(), "type": kind, "provenance": source, "cwd": writing.cwd,
        "version": "0.24.4", **message, **fields,
    }  # fmt: skip


def gemini(writing: Writing, turns: Sequence[Exchange]) -> Iterator[Entry]:
    start = writing.time()
    yield {"sessionId": writing.session_id, "projectHash": "0" * 64, "startTime": start,
           "lastUpdated": start, "kind": "main"}  # fmt: skip
    told = f"<session_context>\n- **Workspace Directories:**\n  - {writing.cwd}\n</session_context>"
    first = {"id": "0" * 32, "timestamp": start, "type": "user", "content": [{"text": told}]}
    yield {"$set": {"messages": [first], "lastUpdated": start}}
    for number, turn in enumerate(turns):
        parts: list[Entry] = [{"text": turn.prompt}]
        if turn.image:
            parts.append({"inlineData": {"mimeType": "image/png", "data": turn.picture}})
        if turn.injected:
            parts.append({"text": f"<hook_context>{turn.injected}</hook_context>"})
        yield _gemini(writing, "user", parts)
        yield {"$set": {"lastUpdated": writing.time()}}
        yield from _gemini_work(writing, turn, number)


def _gemini_work(writing: Writing, turn: Exchange, number: int) -> Iterator[Entry]:
    for place, call in enumerate(turn.calls):
        said = _gemini(writing, "gemini", f"Step {place} of it.", model="gemini-3.8-flash")
        yield said
        yield {"$set": {"lastUpdated": writing.time()}}
        call_id = f"{call.name}__{number}_{place}"
        answer = {"id": call_id, "name": call.name, "response": {"output": call.result}}
        result = [{"functionResponse": answer}]
        done = {"id": call_id, "name": call.name, "args": call.given, "result": result}
        status = "cancelled" if turn.interrupted else "success"
        yield {**said, "toolCalls": [{**done, "status": status}]}
        if turn.interrupted:
            yield _gemini(writing, "info", "Request cancelled.")
            return
        yield _gemini(writing, "user", result)
        yield {"$set": {"lastUpdated": writing.time()}}
    if not turn.interrupted:
        yield _gemini(writing, "gemini", turn.answer, model="gemini-3.8-flash")
        yield {"$set": {"lastUpdated": writing.time()}}


def _gemini(writing: Writing, kind: str, content: object, **fields: object) -> Entry:
    return {"id": writing.id(), "timestamp": writing.time(), "type": kind, "content": content,
            **fields}  # fmt: skip
