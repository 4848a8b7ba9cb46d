"""What a hook does with a session, and what it leaves alone."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memex_mcp.model.levels import Mode
from memex_mcp.store.lock import FileLock
from tests.capture.homes import Exchange, add_turn, write_conversation
from tests.card import card
from tests.cli.using import posix
from tests.hooks.payloads import EVENTS, SESSION
from tests.hooks.using import ARCHIVED, NOTE, PROMPT, TURNS, Place, session
from tests.process import COMMAND, DEADLINE, at_terminal, memex


def prompt(place: Place) -> bool:
    """Whether the prompt of a session brings the note back."""
    return NOTE in place.hook("claude", "user-prompt-submit")


def start(place: Place, source: str) -> str:
    typed = place.payload("claude", "session-start", source=source)
    return place.hook("claude", "session-start", typed)


def test_a_record_is_recalled_once_until_the_context_is_empty_again(place: Place) -> None:
    assert prompt(place)
    assert not prompt(place)
    assert NOTE in start(place, "resume")
    assert not prompt(place)
    assert NOTE in start(place, "compact")
    assert prompt(place)
    start(place, "clear")
    assert prompt(place)


def test_what_a_killed_session_left_is_archived_when_it_goes_on(place: Place) -> None:
    start(place, "startup")

    assert place.archived("claude") == ARCHIVED


def test_after_a_compaction_the_brief_says_what_is_archived(place: Place) -> None:
    place.hook("claude", "pre-compact")

    assert "Archived of this session: " in start(place, "compact")
    assert "Archived of this session: " not in start(place, "resume")


def test_replaying_a_session_changes_nothing_and_a_new_turn_is_added(place: Place) -> None:
    project = place.project
    more = (*TURNS, Exchange("Who may read them?", "group: ops", "Operations may."))
    at = datetime.fromisoformat(
        json.loads(place.transcript("claude").read_text(encoding="utf-8").splitlines()[0])[
            "timestamp"
        ]
    )
    for event in (*EVENTS, *EVENTS):
        place.hook("claude", event)
    assert place.archived("claude") == ARCHIVED

    own = write_conversation(
        place.folder / "again", "claude", project, TURNS, session_id=session("claude"), at=at
    )
    place.hook("claude", "stop", place.payload("claude", "stop", transcript=own))
    assert place.archived("claude") == ARCHIVED

    add_turn(own, "claude", project, more, session_id=session("claude"), at=at)
    place.hook("claude", "stop", place.payload("claude", "stop", transcript=own))
    assert place.archived("claude") == sorted([*ARCHIVED, "checkpoint", "span"])


def test_a_stop_that_another_hook_forbade_is_archived_too(place: Place) -> None:
    typed = json.loads(place.payload("claude", "stop")) | {"stop_hook_active": True}

    assert place.hook("claude", "stop", json.dumps(typed).encode()) == ""
    assert place.archived("claude") == ARCHIVED


def test_the_work_of_an_agent_is_archived_and_the_summary_of_a_compaction_is_not(
    place: Place,
) -> None:
    lines = place.transcript("claude").read_text(encoding="utf-8").splitlines()
    agent = place.folder / "agent-a1.jsonl"
    told = [json.loads(line) | {"isSidechain": True, "agentId": "a1"} for line in lines]
    agent.write_text("".join(f"{json.dumps(line)}\n" for line in told), encoding="utf-8")
    typed = json.loads(place.payload("claude", "stop")) | {
        "hook_event_name": "SubagentStop",
        "agent_id": "a1",
        "agent_type": "",
        "agent_transcript_path": str(agent),
    }

    assert place.hook("claude", "stop", json.dumps(typed).encode()) == ""
    assert place.archived("claude") == []
    typed["agent_type"] = "explore"
    assert place.hook("claude", "stop", json.dumps(typed).encode()) == ""
    assert place.archived("claude") != []


def read(path: Path) -> bool:
    """Whether a file was read since this was asked last."""
    found = path.stat()
    os.utime(path, ns=(0, found.st_mtime_ns))
    return found.st_atime_ns != 0


def silent(place: Place, env: Mapping[str, str] | None = None) -> None:
    """No event says anything, archives anything, or even reads the transcript."""
    before = place.rows()
    read(place.transcript("claude"))
    for event in EVENTS:
        assert place.hook("claude", event, env=env) == ""
    assert not read(place.transcript("claude"))
    assert place.rows() == before


@card("hooks.off")
def test_switched_off_by_the_environment_nothing_is_read_or_written(place: Place) -> None:
    silent(place, env={"MEMEX_DISABLED": "1"})

    place.hook("claude", "stop")
    assert place.archived("claude") == ARCHIVED


def test_switched_off_by_the_mode_nothing_is_read_or_written(place: Place) -> None:
    with closing(place.memory()) as memory:
        memory.switches.set_mode(Mode.OFF, place.person(memory))
    silent(place)

    with closing(place.memory()) as memory:
        memory.switches.set_mode(Mode.AUTO, place.person(memory))
    # What was said while memory was off stays out of the archive, so this is said now.
    said = write_conversation(
        place.folder / "later",
        "claude",
        place.project,
        TURNS,
        session_id=session("claude"),
        at=datetime.now(UTC) + timedelta(seconds=1),
    )
    read(said)
    place.hook("claude", "stop", place.payload("claude", "stop", transcript=said))
    assert place.archived("claude") == ARCHIVED
    if not read(said):
        pytest.skip("this file system does not tell what was read")


def test_a_config_that_is_not_understood_switches_hooks_off(place: Place) -> None:
    (place.root / "config.toml").write_text("disabeld = false\n", encoding="utf-8")
    for event in EVENTS:
        assert place.hook("claude", event) == ""
    (place.root / "config.toml").unlink()

    assert place.archived("claude") == []
    assert prompt(place)


def test_the_project_that_the_client_names_is_the_workspace_wherever_it_works(
    place: Place, tmp_path: Path
) -> None:
    elsewhere = place.payload("claude", "user-prompt-submit", cwd=tmp_path)

    assert place.hook("claude", "user-prompt-submit", elsewhere) == ""
    named = {"CLAUDE_PROJECT_DIR": str(place.project)}
    assert NOTE in place.hook("claude", "user-prompt-submit", elsewhere, env=named)


@card("hooks.end")
def test_a_client_that_never_ends_its_payload_is_not_waited_for(place: Place) -> None:
    command = [*COMMAND, "hook", "stop", "--root", str(place.root), "--timeout", "0.5"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"session_id": ')
        process.stdin.flush()

        assert process.wait(DEADLINE) == 0
        assert process.stdout is not None
        assert process.stderr is not None
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


@posix
def test_a_disk_that_hangs_is_not_waited_for(place: Place) -> None:
    # Whoever opens a pipe that nobody writes to waits for good.
    os.mkfifo(place.root / "config.toml")

    assert place.hook("claude", "session-start", timeout=0.5) == ""
    (place.root / "config.toml").unlink()
    assert place.hook("claude", "session-start") != ""


@posix
def test_what_is_no_file_is_no_transcript(place: Place) -> None:
    os.mkfifo(place.folder / "pipe.jsonl")
    typed = place.payload("claude", "stop", transcript=place.folder / "pipe.jsonl")

    assert place.hook("claude", "stop", typed) == ""
    assert place.log() == []


def test_a_failure_leaves_a_line_without_a_word_of_what_was_said(place: Place) -> None:
    secret = "the heron nests at dawn"
    typed = place.payload("claude", "user-prompt-submit", prompt=f"{PROMPT} {secret}")
    with FileLock(place.root / "lock"):
        assert place.hook("claude", "user-prompt-submit", typed) == ""

    [line] = place.log()
    assert re.fullmatch(
        r"\S+ event=user-prompt-submit client=claude session=\S+ error=Unavailable"
        r" code=unavailable at=memex_mcp\.store\.lock:\d+ ms=\d+",
        line,
    )
    assert SESSION in line


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--client"],
        ["session-start", "--no-such-option", "--client", "an editor"],
        ["session-start", "--root", "/dev/null"],
        ["session-start", "--root", "/"],
        ["session-start", "--timeout", "soon"],
        ["no such event"],
    ],
    ids=" ".join,
)
def test_no_command_line_is_wrong_for_a_client(arguments: list[str]) -> None:
    ran = memex("hook", *arguments, typed="{}")

    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_a_person_is_told_what_it_is(place: Place) -> None:
    assert memex("hook", "--help").out.startswith("usage: memex-mcp hook")
    told = at_terminal("hook", "stop")
    assert (told.code, told.out.splitlines()[0][:30]) == (0, "A client calls this when stop ")
    assert at_terminal("hook").code == 2
