"""Lines of Codex and Copilot CLI."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.capture.made_lines import SUMMARY, Exchange, Writing

Entry = dict[str, Any]


def codex(writing: Writing, turns: Sequence[Exchange]) -> Iterator[Entry]:
    meta = {"session_id": writing.session_id, "id": writing.session_id, "cwd": writing.cwd,
            "cli_version": "0.171.0", "source": "cli", "git": {"branch": "main"},
            "base_instructions": {"text": "You are a coding agent."}}  # fmt: skip
    yield _codex(writing, "session_meta", meta)
    for turn in turns:
        task = writing.id()
        yield _event(writing, "task_started", turn_id=task)
        allowed = "<permissions instructions>\nread\n</permissions instructions>"
        yield _message(writing, "developer", allowed, task, "harness")
        context = f"<environment_context>\n  <cwd>{writing.cwd}</cwd>\n</environment_context>"
        yield _message(writing, "user", context, task, "harness")
        yield _codex(writing, "world_state", {"full": True, "state": {"model": "gpt-5"}})
        if turn.injected:
            yield _message(writing, "developer", turn.injected, task, "harness")
        yield _message(writing, "user", turn.prompt, task, "user", turn.picture)
        shown = [{"type": "text", "text": turn.prompt, "text_elements": []}]
        yield _done(writing, task, {"type": "UserMessage", "id": writing.id(), "content": shown})
        yield from _codex_work(writing, turn, task)


def _codex_work(writing: Writing, turn: Exchange, task: str) -> Iterator[Entry]:
    for place, call in enumerate(turn.calls):
        yield from _codex_said(writing, f"Step {place} of it.", task)
        call_id = f"call_{writing.id()}"
        yield _codex(writing, "response_item", {
            "type": "function_call", "name": call.name, "call_id": call_id,
            "arguments": json.dumps(call.given)})  # fmt: skip
        if turn.interrupted:
            yield _event(writing, "turn_aborted", turn_id=task, reason="interrupted")
            return
        item = {"type": "CommandExecution", "id": call_id, "status": "completed"}
        yield _done(writing, task, item)
        yield _codex(writing, "response_item", {
            "type": "function_call_output", "call_id": call_id, "output": call.result})  # fmt: skip
        yield _event(writing, "token_count", info={})
    if turn.interrupted:
        yield _event(writing, "turn_aborted", turn_id=task, reason="interrupted")
        return
    if turn.compacted:
        yield {**_message(writing, "assistant", SUMMARY, task, ""),
               "metadata": {"compaction_output": True}}  # fmt: skip
        yield _codex(writing, "compacted", {"message": SUMMARY, "replacement_history": []})
        yield _done(writing, task, {"type": "ContextCompaction", "id": writing.id()})
    yield from _codex_said(writing, turn.answer, task)
    yield _event(writing, "task_complete", turn_id=task, last_agent_message=turn.answer)


def _codex_said(writing: Writing, text: str, task: str) -> Iterator[Entry]:
    shown = [{"type": "Text", "text": text}]
    yield _done(writing, task, {"type": "AgentMessage", "id": writing.id(), "content": shown})
    yield _message(writing, "assistant", text, task, "")


def _message(
    writing: Writing, role: str, text: str, task: str, by: str, picture: str = ""
) -> Entry:
    kind = "output_text" if role == "assistant" else "input_text"
    content: list[Entry] = [{"type": kind, "text": text}]
    if picture:
        content.append({"type": "input_image", "image_url": f"data:image/png;base64,{picture}"})
    about: Entry = {"turn_id": task}
    if by:
        about["content_item_metadata"] = [{"provenance": {"type": by}} for _ in content]
    passed = {"internal_chat_message_metadata_passthrough": about}
    message = {"type": "message", "id": f"msg_{writing.id()}", "role": role, "content": content}
    return _codex(writing, "response_item", {**message, **passed})


def _done(writing: Writing, task: str, item: Entry) -> Entry:
    return _event(writing, "item_completed", turn_id=task, item=item)


def _event(writing: Writing, kind: str, **fields: object) -> Entry:
    return _codex(writing, "event_msg", {"type": kind, **fields})


def _codex(writing: Writing, kind: str, payload: Entry) -> Entry:
    writing.number += 1
    return {"timestamp": writing.time(), "ordinal": writing.number, "type": kind,
            "payload": payload}  # fmt: skip


def copilot(writing: Writing, turns: Sequence[Exchange]) -> Iterator[Entry]:
    context = {"cwd": writing.cwd, "gitRoot": writing.cwd, "branch": "main"}
    yield _copilot(writing, "session.start", sessionId=writing.session_id,
                   copilotVersion="1.0.102", context=context)  # fmt: skip
    for number, turn in enumerate(turns):
        attached = []
        if turn.image:
            attached = [{"type": "blob", "mimeType": "image/png", "data": turn.picture}]
        told = f"<system_reminder>\n{turn.injected}\n</system_reminder>"
        now = "<current_datetime>now</current_datetime>"
        wrapped = f"{now}\n\n{turn.prompt}\n\n{told}"
        yield _copilot(writing, "user.message", content=turn.prompt, transformedContent=wrapped,
                       attachments=attached, delivery="idle")  # fmt: skip
        yield _copilot(writing, "system.message", role="system", content="You are the CLI.")
        yield _copilot(writing, "assistant.turn_start", turnId=str(number))
        yield from _copilot_work(writing, turn)
        yield _copilot(writing, "assistant.turn_end", turnId=str(number))
    yield _copilot(writing, "session.shutdown", shutdownType="routine")


def _copilot_work(writing: Writing, turn: Exchange) -> Iterator[Entry]:
    for place, call in enumerate(turn.calls):
        call_id = f"call_{writing.id()}"
        asked = {"toolCallId": call_id, "name": call.name, "arguments": call.given}
        yield _copilot(writing, "assistant.message", content=f"Step {place} of it.",
                       toolRequests=[asked])  # fmt: skip
        yield _copilot(writing, "tool.execution_start", toolCallId=call_id, toolName=call.name,
                       arguments=call.given)  # fmt: skip
        yield _copilot(writing, "hook.start", hookType="preToolUse", input={})
        if turn.interrupted:
            yield _copilot(writing, "abort", reason="user")
            return
        yield _copilot(writing, "tool.execution_complete", toolCallId=call_id, success=True,
                       result={"content": call.result})  # fmt: skip
    if turn.compacted:
        yield _copilot(writing, "session.compaction_complete", summaryContent=SUMMARY)
    if turn.interrupted:
        yield _copilot(writing, "abort", reason="user")
        return
    yield _copilot(writing, "assistant.message", content=turn.answer, toolRequests=[])


def _copilot(writing: Writing, kind: str, **data: object) -> Entry:
    return {"type": kind, "data": data, "id": writing.id(), "timestamp": writing.time(),
            "parentId": None}  # fmt: skip
