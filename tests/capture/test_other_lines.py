"""Session files of Gemini CLI, Qwen Code and Copilot CLI, in the shapes that they really write."""

from pathlib import Path

import pytest

from memex_mcp.capture import reading
from tests.capture.reader import outline, read, written

SESSION = "00000000-0000-4000-8000-000000000001"
ID = "01KCABCDEFGHJKMNPQRSTVWXYZ"
AT = "2026-11-30T08:02:12.076Z"


def _gemini(kind: str, content: object, id_: str = "", **fields: object) -> dict[str, object]:
    return {"id": id_ or f"i{content}", "timestamp": AT, "type": kind, "content": content, **fields}


def _call(name: str, output: str, **fields: object) -> dict[str, object]:
    answer = {"functionResponse": {"id": "c1", "name": name, "response": {"output": output}}}
    return {"id": "c1", "name": name, "args": {"file_path": "a.py"}, "result": [answer], **fields}


def _qwen(kind: str, parts: object, by: str = "", **fields: object) -> dict[str, object]:
    source = {"provenance": by} if by else {}
    return {"uuid": f"u{parts}", "sessionId": SESSION, "timestamp": AT, "type": kind, "cwd": "/p",
            **source, "message": {"role": "user", "parts": parts}, **fields}  # fmt: skip


def _copilot(kind: str, **data: object) -> dict[str, object]:
    return {"type": kind, "data": data, "id": f"i{data}", "timestamp": AT, "parentId": None}


@pytest.mark.parametrize(
    ("client", "first", "line", "last"),
    [
        pytest.param(
            "gemini",
            _gemini("user", [{"text": "run it"}]),
            line,
            _gemini("user", [{"text": "do it"}, {"text": "<hook_context>H</hook_context>"}]),
            id=f"gemini, {name}",
        )
        for name, line in {
            "session": _gemini("user", [{"text": "<session_context>\ndo it\n</session_context>"}]),
            "hook": _gemini("user", [{"text": "<hook_context>do it</hook_context>"}]),
            "command": _gemini("user", "/compress"),
            "notice": _gemini("info", "do it"),
            "patch": {"$set": {"messages": [_gemini("user", [{"text": "do it"}])]}},
            "rewind": {"$rewindTo": "i1"},
        }.items()
    ]
    + [
        pytest.param(
            "qwen",
            _qwen("user", [{"text": "run it"}], "real_user"),
            line,
            _qwen("user", [{"text": "do it"}]),
            id=f"qwen, {name}",
        )
        for name, line in {
            "injected": _qwen("user", [{"text": "do it"}], "system_reminder"),
            "hook": _qwen("user", [{"text": "<qwen:a-context>\ndo it\n</qwen:a-context>"}]),
            "telemetry": _qwen("system", [{"text": "do it"}], "system", subtype="ui_telemetry"),
            "command": _qwen("system", [{"text": "do it"}], "system", subtype="slash_command"),
        }.items()
    ]
    + [
        pytest.param(
            "copilot",
            _copilot("user.message", content="run it", delivery="idle"),
            line,
            _copilot("user.message", content="do it", transformedContent="<x>do it</x> y"),
            id=f"copilot, {name}",
        )
        for name, line in {
            "system": _copilot("system.message", content="do it"),
            "hook": _copilot("hook.start", input={"prompt": "do it"}),
            "skill": _copilot("user.message", content="do it", source="skill-x"),
            "reminder": _copilot("user.message", content="<system_reminder>a</system_reminder>"),
            "notice": _copilot("session.info", message="do it"),
        }.items()
    ],
)
def test_what_the_client_wrote_is_not_what_the_user_asked(
    tmp_path: Path, client: str, first: object, line: object, last: object
) -> None:
    found = read(tmp_path, client, [first, line, last])

    assert [turn.asked for turn in found.turns] == ["run it", "do it"]


def test_a_message_of_gemini_that_is_written_again_says_its_words_once(tmp_path: Path) -> None:
    answer = _call("read_file", "x = 1")
    lines = [
        _gemini("user", [{"text": "look"}]),
        _gemini("gemini", "Let me look.", "m1", tokens={"input": 1}),
        _gemini("gemini", "Let me look.", "m1", toolCalls=[_call("read_file", "x = 1")]),
        _gemini("user", answer["result"]),
        _gemini("gemini", [{"text": "hm", "thought": True}, {"text": "It is one."}], "m2"),
    ]

    before, (turn,) = (
        read(tmp_path, "gemini", lines[:3]).turns,
        read(tmp_path, "gemini", lines).turns,
    )

    assert outline(turn) == [
        ("user", "look"),
        ("assistant", "Let me look."),
        ("assistant", "file_path: a.py"),
        ("tool", "x = 1"),
        ("assistant", "It is one."),
    ]
    assert turn.steps[2].calls == turn.steps[3].results == ("c1",)
    assert (turn.closed, before[0].closed) == (True, False)
    assert (turn.answered, turn.files) == ("It is one.", ("a.py",))


def test_what_gemini_shows_counts_and_not_what_it_sends(tmp_path: Path) -> None:
    sent = [{"text": "see @a.py\n--- Content from referenced files ---\nx = 1\n"}]
    shown = [{"text": "<hook_context>H</hook_context>\n\nsee @a.py"}]
    lines = [_gemini("user", sent, displayContent=shown)]

    (turn,) = read(tmp_path, "gemini", lines).turns

    assert turn.asked == "see @a.py"


@pytest.mark.parametrize("name", ["mcp_memex_memory_search", "memory_search"])
def test_what_memory_itself_returned_to_gemini_is_one_line_of_ids(
    tmp_path: Path, name: str
) -> None:
    output = f"<untrusted_context>\n[1] {ID} the port\n</untrusted_context>"
    call = _call(name, output)
    lines = [
        _gemini("user", [{"text": "p"}]),
        _gemini("gemini", "", "m1", toolCalls=[call]),
        _gemini("user", call["result"]),
    ]

    (turn,) = read(tmp_path, "gemini", lines).turns

    ours = name.startswith("mcp_memex_")
    assert outline(turn)[2] == ("tool", f"[recalled: {ID}]" if ours else f"[1] {ID} the port\n")


def test_the_session_of_gemini_and_its_agents_is_known(tmp_path: Path) -> None:
    start = {"sessionId": SESSION, "projectHash": "0", "kind": "main"}
    told = "<session_context>\n- **Workspace Directories:**\n  - /p/told\n</session_context>"
    patch = {"$set": {"messages": [_gemini("user", [{"text": told}])]}}
    agent = {"sessionId": "a1", "projectHash": "0", "kind": "subagent", "directories": ["/p/dir"]}
    chats = tmp_path / "tmp" / "proj" / "chats"

    rootless = reading.source(written(chats, [start, patch], "session-1.jsonl"), "gemini")
    of_agent = reading.source(written(chats / SESSION, [agent], "a1.jsonl"), "gemini")
    (tmp_path / "tmp" / "proj" / ".project_root").write_text("/p/noted", encoding="utf-8")
    rooted = reading.source(written(chats, [start], "session-1.jsonl"), "gemini")

    assert (rootless.session_id, rootless.part, rootless.cwd) == (SESSION, "", "/p/told")
    assert (of_agent.session_id, of_agent.part, of_agent.cwd) == (SESSION, "a1", "/p/dir")
    assert rooted.cwd == "/p/noted"


def test_qwen_calls_tools_through_another_tool_and_means_the_inner_one(tmp_path: Path) -> None:
    args = {"name": "mcp__memex__memory_search", "arguments": {"query": "port"}}
    call = {"functionCall": {"id": "c1", "name": "tool_call", "args": args}}
    answer = {
        "functionResponse": {"id": "c1", "name": "tool_call", "response": {"output": f"{ID} p"}}
    }
    lines = [
        _qwen("user", [{"text": "p"}], "real_user", systemPayload={"displayText": "p"}),
        _qwen("assistant", [{"text": "Let me look."}, call]),
        _qwen("tool_result", [answer]),
        _qwen("system", [], "system", subtype="chat_compression"),
        _qwen("assistant", [{"text": "hm", "thought": True}, {"text": "It is 8443."}]),
    ]

    waiting = read(tmp_path, "qwen", lines[:2]).turns[0]
    (turn,) = read(tmp_path, "qwen", lines).turns

    assert outline(turn) == [
        ("user", "p"),
        ("assistant", "Let me look.\n\n[memory_search]"),
        ("tool", f"[recalled: {ID}]"),
        ("system", "[Conversation compacted]"),
        ("assistant", "It is 8443."),
    ]
    assert (turn.answered, turn.closed, waiting.closed) == ("It is 8443.", True, False)
    assert turn.steps[1].tool == "mcp__memex__memory_search"


def test_copilot_asks_for_tools_in_its_message_and_tells_when_they_are_done(tmp_path: Path) -> None:
    ask = {"toolCallId": "c1", "name": "view", "arguments": {"path": "a.py"}}
    ours = {"toolCallId": "c2", "name": "memex-memory_open", "arguments": {"id": ID}}
    image = {"type": "image", "data": "iVBORw0K", "mimeType": "image/png"}
    lines = [
        _copilot("user.message", content="look", delivery="idle", attachments=[{"path": "b.py"}]),
        _copilot("assistant.message", content="Let me look.", toolRequests=[ask, ours]),
        _copilot("tool.execution_start", toolCallId="c1", toolName="view"),
        _copilot("tool.execution_complete", toolCallId="c2", result={"content": f"{ID} the port"}),
        _copilot("user.message", content="hurry", delivery="steering"),
        _copilot("assistant.message", content="I am an agent.", parentToolCallId="c1"),
        _copilot(
            "tool.execution_complete", toolCallId="c1", result={"content": "x", "contents": [image]}
        ),
        _copilot("assistant.message", content="It is x.", toolRequests=[]),
    ]

    waiting = read(tmp_path, "copilot", lines[:6]).turns[0]
    (turn,) = read(tmp_path, "copilot", lines).turns

    assert turn.asked == "look\n\nhurry"
    assert (turn.answered, turn.closed, waiting.closed) == ("It is x.", True, False)
    assert turn.steps[1].text == "Let me look.\n\npath: a.py\n\n[memory_open]"
    assert [step.text for step in turn.steps[2:4]] == ["", f"[recalled: {ID}]"]
    assert turn.files == ("b.py", "a.py")
    assert turn.steps[6].attachments[0].startswith("image/png 6 bytes sha256:")


def test_copilot_stopped_by_the_user_is_over_and_an_error_is_a_result(tmp_path: Path) -> None:
    ask = {"toolCallId": "c1", "name": "bash", "arguments": '{"command": "make"}'}
    lines = [
        _copilot("user.message", content="make it"),
        _copilot("assistant.message", content="", toolRequests=[ask]),
        _copilot("abort", reason="user"),
        _copilot("user.message", content="make it"),
        _copilot("assistant.message", content="", toolRequests=[ask]),
        _copilot("tool.execution_complete", toolCallId="c1", error={"message": "no rule"}),
    ]

    stopped, failed = read(tmp_path, "copilot", lines).turns

    assert (stopped.closed, failed.closed) == (True, False)
    assert outline(failed)[1:] == [("assistant", "command: make"), ("tool", "no rule")]
