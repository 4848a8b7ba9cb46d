"""Session files of Codex, which say much of what they say twice."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from memex_mcp.capture import reading
from memex_mcp.model.turn import Reading, Role
from tests.capture import made
from tests.capture.made import Call, Exchange
from tests.capture.reader import outline, read, written

SESSION = "00000000-0000-4000-8000-000000000001"
ID = "01KCABCDEFGHJKMNPQRSTVWXYZ"


def _line(kind: str, payload: Mapping[str, object]) -> dict[str, object]:
    return {"timestamp": "2026-11-30T07:55:44.033Z", "type": kind, "payload": payload}


def _message(role: str, *texts: str, by: tuple[str, ...] = (), turn: str = "") -> dict[str, object]:
    about: dict[str, object] = {"turn_id": turn} if turn else {}
    if by:
        about["content_item_metadata"] = [{"provenance": {"type": each}} for each in by]
    content = [{"type": "input_text", "text": text} for text in texts]
    payload = {"type": "message", "role": role, "content": content}
    return _line("response_item", {**payload, "internal_chat_message_metadata_passthrough": about})


def _event(kind: str, **fields: object) -> dict[str, object]:
    return _line("event_msg", {"type": kind, **fields})


def _shown(kind: str, text: str, turn: str = "") -> dict[str, object]:
    item = {"type": kind, "content": [{"type": "text", "text": text}]}
    return _event("item_completed", turn_id=turn, item=item)


def _call(call: str, name: str = "exec_command", **fields: object) -> dict[str, object]:
    payload = {"type": "function_call", "name": name, "call_id": call, "arguments": "{}"}
    return _line("response_item", {**payload, **fields})


def _output(call: str, output: object) -> dict[str, object]:
    return _line(
        "response_item", {"type": "function_call_output", "call_id": call, "output": output}
    )


def _asked(found: Reading) -> list[str]:
    return [turn.asked for turn in found.turns]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(_message("developer", "do it"), id="developer"),
        pytest.param(_message("user", "do it", by=("harness",)), id="harness"),
        pytest.param(
            _message("user", "<environment_context>\nx\n</environment_context>"), id="env"
        ),
        pytest.param(
            _message(
                "user", "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>"
            ),
            id="AGENTS.md",
        ),
        pytest.param(_message("user", "<turn_aborted>\nx\n</turn_aborted>"), id="aborted"),
        pytest.param(_line("compacted", {"message": "do it"}), id="compacted"),
        pytest.param(_line("world_state", {"state": "do it"}), id="world"),
        pytest.param(_event("agent_reasoning", text="do it"), id="reasoning"),
    ],
)
def test_what_the_client_sent_is_not_what_the_user_asked(
    tmp_path: Path, line: dict[str, object]
) -> None:
    mixed = _message("user", "<environment_context>", "run it", by=("harness", "user"))

    found = read(tmp_path, "codex", [mixed, line, _message("user", "do it", by=("user",))])

    assert _asked(found) == ["run it", "do it"]


def test_what_is_written_down_in_two_ways_is_said_once(tmp_path: Path) -> None:
    lines = [
        _message("user", "again", turn="t1"),
        _shown("UserMessage", "again", "t1"),
        _shown("AgentMessage", "It is done."),
        _message("assistant", "It is done."),
        _event("task_complete"),
        _message("user", "again", turn="t2"),
        _shown("UserMessage", "again", "t2"),
        _shown("AgentMessage", "It is done."),
        _message("assistant", "It is done."),
    ]

    first, second = read(tmp_path, "codex", lines).turns

    assert outline(first) == outline(second) == [("user", "again"), ("assistant", "It is done.")]
    assert (len(first.steps), len(second.steps)) == (4, 4)


def _pick(lines: list[dict[str, object]], *numbers: int) -> list[dict[str, object]]:
    return [lines[number] for number in numbers]


def test_each_way_of_writing_is_enough_by_itself(tmp_path: Path) -> None:
    lines = [
        _message("user", "again"),
        _event("user_message", message="again"),
        _event("agent_message", message="It is done."),
        _message("assistant", "It is done."),
    ]

    found = [
        outline(read(tmp_path, "codex", some).turns[0])
        for some in (_pick(lines, 0, 3), _pick(lines, 1, 2), _pick(lines, 1, 0, 3, 2), lines)
    ]

    assert found == [[("user", "again"), ("assistant", "It is done.")]] * 4


def test_what_is_said_while_the_assistant_works_belongs_to_the_turn(tmp_path: Path) -> None:
    lines = [
        _message("user", "run it", turn="t1"),
        _call("c1"),
        _message("user", "quietly", turn="t1"),
        _output("c1", "made"),
        _message("assistant", "Done."),
        _event("task_complete"),
        _message("user", "next", turn="t2"),
    ]

    assert _asked(read(tmp_path, "codex", lines)) == ["run it\n\nquietly", "next"]


@pytest.mark.parametrize(
    ("ending", "closed"),
    [
        pytest.param([_message("assistant", "Done.")], True, id="as a hook sees it"),
        pytest.param(
            [_message("assistant", "Done."), _event("task_complete")], True, id="complete"
        ),
        pytest.param([_event("turn_aborted")], True, id="aborted"),
        pytest.param([_message("assistant", "Look."), _call("c1")], False, id="called"),
        pytest.param([_call("c1"), _output("c1", "x")], False, id="not answered"),
        pytest.param([_call("c1"), _event("turn_aborted")], True, id="aborted in a call"),
    ],
)
def test_a_turn_is_closed_when_it_is_answered_or_over(
    tmp_path: Path, ending: Iterable[object], closed: bool
) -> None:
    (turn,) = read(tmp_path, "codex", [_message("user", "run it"), *ending]).turns

    assert turn.closed is closed


def test_the_end_of_a_task_is_in_no_turn_so_that_a_hook_sees_the_same_one(tmp_path: Path) -> None:
    lines = [_message("user", "run it"), _message("assistant", "Done."), _event("task_complete")]

    seen_by_hook = read(tmp_path, "codex", lines[:2]).turns
    afterwards = read(tmp_path, "codex", lines)

    assert [turn.key for turn in seen_by_hook] == [turn.key for turn in afterwards.turns]
    assert dict(afterwards.skipped) == {"event_msg/task_complete": 1}


def test_a_compaction_in_the_middle_does_not_cut_a_turn(tmp_path: Path) -> None:
    summary = {**_message("assistant", "SUMMARY"), "metadata": {"compaction_output": True}}
    text = (
        "Another model; use the information in this summary to assist with your own analysis:\nSUM"
    )
    lines = [
        _message("user", "run it"),
        _call("c1"),
        _output("c1", [{"type": "input_text", "text": "made"}]),
        summary,
        _line("compacted", {"message": text, "replacement_history": []}),
        _event("item_completed", item={"type": "ContextCompaction"}),
        _message("assistant", "Done."),
    ]

    (turn,) = read(tmp_path, "codex", lines).turns

    assert outline(turn)[1:] == [
        ("tool", "made"),
        ("system", "[Conversation compacted]\n\nSUM"),
        ("assistant", "Done."),
    ]
    assert len(turn.steps) == 7


def test_what_memory_itself_returned_is_one_line_of_ids(tmp_path: Path) -> None:
    ours = _call("c1", "memory_search", namespace="mcp__memex", arguments='{"query": "port"}')
    other = _call("c2", "search", namespace="mcp__other", arguments='{"query": "port"}')
    found = f"Output:\n[1] {ID} the port is 8443"
    lines = [_message("user", "p"), ours, _output("c1", found), other, _output("c2", found)]

    (turn,) = read(tmp_path, "codex", lines).turns

    assert outline(turn)[1:] == [
        ("assistant", "[memory_search]"),
        ("tool", f"[recalled: {ID}]"),
        ("assistant", "query: port"),
        ("tool", found),
    ]
    assert turn.steps[1].tool == "mcp__memex__memory_search"


def test_a_patch_and_an_image_are_told_by_their_files(tmp_path: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.py\n*** End Patch"
    )
    payload = {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c1", "input": patch}
    image = {"type": "input_image", "image_url": "data:image/jpeg;base64,/9j/4AAQ"}
    seen = {"type": "message", "role": "user", "content": [image]}
    changed = {"type": "FileChange", "id": "c1", "changes": {"src/c.py": {"type": "update"}}}
    lines = [
        _line("response_item", seen),
        _line("response_item", payload),
        _event("item_completed", item=changed),
        _output("c1", {"content": [{"type": "text", "text": "ok"}], "success": True}),
    ]

    (turn,) = read(tmp_path, "codex", lines).turns

    assert turn.steps[0].attachments[0].startswith("image/jpeg 6 bytes sha256:")
    assert turn.files == ("src/a.py", "b.py", "src/c.py")
    assert turn.steps[-1].text == "ok"


def test_the_file_of_an_agent_names_the_session_that_it_works_for(tmp_path: Path) -> None:
    meta = _line("session_meta", {"session_id": SESSION, "id": "agent-thread", "cwd": "/p"})
    own = _line("session_meta", {"session_id": SESSION, "id": SESSION, "cwd": "/p"})

    agents = read(tmp_path, "codex", [meta, _message("user", "count")]).source
    main = read(tmp_path, "codex", [own, _message("user", "count")]).source
    nameless = written(
        tmp_path, [_message("user", "x")], f"rollout-2026-11-30T07-55-44-{SESSION}.jsonl"
    )

    assert (agents.session_id, agents.part) == (SESSION, "agent-thread")
    assert (main.session_id, main.part) == (SESSION, "")
    assert reading.source(nameless, "codex").session_id == SESSION


def test_roles_are_told_apart_in_what_is_kept(tmp_path: Path) -> None:
    turns = [Exchange(prompt="p", answer="a", calls=(Call(name="exec_command", result="r"),))]
    path = made.write_session(tmp_path, "codex", SESSION, turns)

    (turn,) = reading.read(path, "codex").turns

    assert [step.envelope.role for step in turn.steps] == [
        *[Role.USER] * 2,
        *[Role.ASSISTANT] * 3,
        *[Role.TOOL] * 2,
        *[Role.ASSISTANT] * 2,
    ]
