"""Session files of Claude Code, in the shapes that it really writes."""

import hashlib
from pathlib import Path

import pytest

from memex_mcp.capture import reading
from memex_mcp.model.turn import Reading, Role
from tests.capture import made
from tests.capture.made import Call, Exchange
from tests.capture.reader import outline, read, written

SESSION = "00000000-0000-4000-8000-000000000001"
ID = "01KCABCDEFGHJKMNPQRSTVWXYZ"


def _line(kind: str, **fields: object) -> dict[str, object]:
    return {"type": kind, "uuid": f"u{len(str(fields))}", "sessionId": SESSION, "cwd": "/p",
            "timestamp": "2026-11-30T07:39:28.586Z", "isSidechain": False, **fields}  # fmt: skip


def _user(content: object, **fields: object) -> dict[str, object]:
    return _line("user", message={"role": "user", "content": content}, **fields)


def _said(text: str, reason: str | None = "end_turn", **fields: object) -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    message = {"id": f"m-{text}", "role": "assistant", "content": content, "stop_reason": reason}
    return _line("assistant", message=message, **fields)


def _called(call: str, name: str, given: dict[str, object]) -> dict[str, object]:
    use = {"type": "tool_use", "id": call, "name": name, "input": given}
    message = {"id": f"m-{call}", "role": "assistant", "content": [use], "stop_reason": "tool_use"}
    return _line("assistant", message=message)


def _result(call: str, content: object) -> dict[str, object]:
    return _user([{"tool_use_id": call, "type": "tool_result", "content": content}])


def _asked(reading_: Reading) -> list[str]:
    return [turn.asked for turn in reading_.turns]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(_user("Stop hook feedback:\nrun the tests", isMeta=True), id="meta"),
        pytest.param(_user("This session is being continued", isCompactSummary=True), id="summary"),
        pytest.param(_user("<system-reminder>\na\n</system-reminder>"), id="reminder"),
        pytest.param(_user("<command-name>/model</command-name>"), id="command"),
        pytest.param(_user("<local-command-stdout>ok</local-command-stdout>"), id="stdout"),
        pytest.param(_user("do it", origin={"kind": "task-notification"}), id="task"),
        pytest.param(_user("do it", origin={"kind": "auto-continuation"}), id="continuation"),
        pytest.param(_user("do it", promptSource="system"), id="system"),
        pytest.param(_user("do it", isSidechain=True, agentId="a1"), id="agent"),
        pytest.param(_user([{"type": "text", "text": "[Request interrupted by user]"}]), id="stop"),
        pytest.param(_line("system", subtype="informational", content="do it"), id="notice"),
        pytest.param(
            _line("attachment", attachment={"type": "hook_success", "stdout": "do it"}), id="hook"
        ),
        pytest.param(
            _line("attachment", attachment={"type": "queued_command", "prompt": "do it",
                                            "origin": {"kind": "peer"}}), id="queued by another"),
    ],
)  # fmt: skip
def test_what_the_client_wrote_is_not_what_the_user_asked(
    tmp_path: Path, line: dict[str, object]
) -> None:
    found = read(tmp_path, "claude", [_user("run it"), line, _user("do it", origin=None)])

    assert _asked(found) == ["run it", "do it"]


def test_what_the_user_types_meanwhile_belongs_to_the_turn_that_goes_on(tmp_path: Path) -> None:
    typed = {"type": "queued_command", "prompt": "and the tests", "origin": {"kind": "human"}}
    lines = [
        _user("run it"),
        _called("t1", "Bash", {"command": "make"}),
        _line("attachment", attachment=typed),
        _result("t1", "made"),
        _said("All done."),
    ]

    (turn,) = read(tmp_path, "claude", lines).turns

    assert turn.asked == "run it\n\nand the tests"
    assert turn.closed


def test_a_compaction_in_the_middle_does_not_cut_a_turn(tmp_path: Path) -> None:
    lines = [
        _user("run it"),
        _called("t1", "Bash", {"command": "make"}),
        _result("t1", "made"),
        _line("system", subtype="compact_boundary", content="Conversation compacted"),
        _user("Summary: it was run", isCompactSummary=True),
        _said("All done."),
        _user("next"),
    ]

    first, second = read(tmp_path, "claude", lines).turns

    assert outline(first)[3:] == [
        ("system", "[Conversation compacted]"),
        ("system", "Summary: it was run"),
        ("assistant", "All done."),
    ]
    assert (first.answered, second.asked) == ("All done.", "next")


def test_a_compaction_between_turns_is_a_turn_that_nobody_asked_for(tmp_path: Path) -> None:
    lines = [
        _user("run it"),
        _said("Done."),
        _line("system", subtype="compact_boundary", content="Conversation compacted"),
        _user("Summary: it was run", isCompactSummary=True),
        _user("next"),
    ]

    found = read(tmp_path, "claude", lines)

    assert _asked(found) == ["run it", "", "next"]
    assert [turn.closed for turn in found.turns] == [True, True, False]


def test_an_interruption_closes_a_turn_though_a_call_has_no_result(tmp_path: Path) -> None:
    stopped = _user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    lines = [_user("run it"), _called("t1", "Bash", {"command": "make"}), stopped]

    (turn,) = read(tmp_path, "claude", lines).turns
    (waiting,) = read(tmp_path, "claude", lines[:2]).turns

    assert turn.closed
    assert not waiting.closed
    assert outline(turn)[-1] == ("system", "[Request interrupted by user for tool use]")


def test_an_answer_closes_a_turn_only_if_the_model_ended_there(tmp_path: Path) -> None:
    prompt, call = _user("run it"), _called("t1", "Read", {"file_path": "a"})
    lines = {
        "between": [prompt, _said("Let me look.", "tool_use")],
        "called": [prompt, _said("Let me look.", "tool_use"), call],
        "answered": [prompt, call, _result("t1", "x")],
        "ended": [prompt, call, _result("t1", "x"), _said("Done.")],
        "older": [prompt, call, _result("t1", "x"), _said("Done.", None)],
        "older, called": [prompt, _said("Let me look.", None), call],
        "lost": [prompt, call, _said("Done.")],
    }

    closed = {name: read(tmp_path, "claude", each).turns[-1].closed for name, each in lines.items()}

    assert [name for name, is_closed in closed.items() if is_closed] == ["ended", "older"]


def test_what_goes_on_after_the_end_is_a_turn_of_its_own(tmp_path: Path) -> None:
    feedback = _user("Stop hook feedback:\nrun the tests", isMeta=True)

    found = read(tmp_path, "claude", [_user("run it"), _said("Done."), feedback, _said("Tested.")])

    assert [turn.answered for turn in found.turns] == ["Done.", "Tested."]
    assert _asked(found) == ["run it", ""]


def test_an_agent_in_the_file_of_its_session_neither_begins_nor_ends_a_turn(
    tmp_path: Path,
) -> None:
    lines = [
        _user("run it"),
        _called("t1", "Task", {"prompt": "count"}),
        _user("count", isSidechain=True, agentId="a1"),
        _said("Two.", isSidechain=True, agentId="a1"),
        _result("t1", "Two."),
        _said("There are two."),
    ]

    (turn,) = read(tmp_path, "claude", lines).turns

    assert (turn.asked, turn.answered) == ("run it", "There are two.")


def test_the_file_of_an_agent_belongs_to_the_session_of_its_parent(tmp_path: Path) -> None:
    turns = [Exchange(prompt="Count the words", answer="Two.")]
    path = made.write_session(tmp_path, "claude", SESSION, turns, agent="aa66737")

    found = reading.read(path, "claude")

    (turn,) = found.turns
    assert (found.source.session_id, found.source.part) == (SESSION, "aa66737")
    assert found.source.key == f"claude:{SESSION}:aa66737"
    assert (turn.asked, turn.answered, turn.closed) == ("", "Two.", True)
    assert outline(turn)[0] == ("user", "Count the words")


def test_pictures_and_documents_are_told_by_their_hash_and_never_spelled_out(
    tmp_path: Path,
) -> None:
    (line,) = made.session_lines("claude", SESSION, [Exchange(prompt="look", image=b"PNG" * 99)])[
        2:3
    ]
    seen = "iVBORw0K" * 20
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": seen}}
    lines = [
        line,
        _called("t1", "Read", {"file_path": "a.png"}),
        _result("t1", [image, {"type": "text", "text": f"see data:image/png;base64,{seen} here"}]),
    ]

    (turn,) = read(tmp_path, "claude", lines).turns

    digest = hashlib.sha256(b"PNG" * 99).hexdigest()
    assert turn.steps[0].attachments[0].startswith(f"image/png 297 bytes sha256:{digest} ")
    assert turn.steps[2].attachments[0].startswith("image/png 120 bytes sha256:")
    assert turn.steps[2].text.startswith("see [image/png 120 bytes sha256:")
    assert all("iVBORw0K" not in step.text for step in turn.steps)


def test_calls_name_their_tool_their_files_and_their_result(tmp_path: Path) -> None:
    lines = [
        _user("run it"),
        _called("t1", "Edit", {"file_path": "/p/a.py", "old_string": "x"}),
        _result("t1", [{"type": "text", "text": "edited"}]),
        _called("t2", "Bash", {"command": "cat .env && ls -la src/b.py 2>&1 https://x.de/a.b"}),
    ]

    (turn,) = read(tmp_path, "claude", lines).turns

    assert [step.tool for step in turn.steps] == ["", "Edit", "Edit", "Bash"]
    assert turn.steps[1].calls == turn.steps[2].results == ("t1",)
    assert turn.steps[1].text == "file_path: /p/a.py\nold_string: x"
    assert turn.files == ("/p/a.py", ".env", "src/b.py")
    assert turn.steps[2].envelope.role is Role.TOOL


@pytest.mark.parametrize(
    "name", ["mcp__memex__memory_search", "mcp__plugin_memex_memex__memory_open"]
)
def test_what_memory_itself_returned_is_one_line_of_ids(tmp_path: Path, name: str) -> None:
    other = Call(name="Grep", result=f"the port is 8443 {ID}")
    ours = Call(name=name, arguments={"query": "the port"}, result=f"ok\n[1] {ID} the port is 8443")
    lines = made.session_lines(
        "claude", SESSION, [Exchange(prompt="p", answer="a", calls=(ours, other))]
    )

    (turn,) = reading.read(written(tmp_path, lines), "claude").turns

    shown = [text for _, text in outline(turn) if not text.startswith("Step")]
    assert shown == ["p", f"[{name.rpartition('__')[2]}]", f"[recalled: {ID}]", other.result, "a"]


def test_a_line_that_was_glued_to_one_cut_off_by_a_kill_is_not_lost(tmp_path: Path) -> None:
    lines = made.session_lines("claude", SESSION, [Exchange(prompt="one", answer="1")])
    cut, glued = lines[2][:200], lines[2].replace("one", "two")

    found = reading.read(written(tmp_path, [cut + glued]), "claude")

    (turn,) = found.turns
    assert turn.asked == "two"
    assert turn.steps[0].envelope.data == glued
    assert (turn.start, turn.stop) == (200, 200 + len(glued))
    assert dict(found.skipped) == {"unreadable": 1}
