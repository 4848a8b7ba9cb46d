"""A long transcript is archived a piece at a time, and goes on where the last piece ended."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import Disabled, Unavailable
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.levels import Mode
from memex_mcp.model.query import Change
from tests.archive.using import hashes, kept_lines
from tests.claude_file import ClaudeFile

LONG = "The otter reads on. " * 15_000


class Interrupted(Exception):
    """Somebody ended the process."""


def interrupt(_change: Change) -> None:
    raise Interrupted


@pytest.mark.usefixtures("on")
def test_what_is_archived_when_a_capture_is_ended_stays_and_the_next_one_goes_on(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    for number in range(3):
        talk.works(f"Read part {number}.", "Bash", f"{number} {LONG}", "Read.", command="cat")
    lines = hashes(talk.path)

    memory.on_change(interrupt)
    with pytest.raises(Interrupted):
        memory.archive.capture(talk.path, "claude", hook)
    assert kept_lines(memory) == lines[:4]
    with pytest.raises(Interrupted):
        memory.archive.capture(talk.path, "claude", hook)
    assert kept_lines(memory) == lines[:8]

    with pytest.raises(Interrupted):
        memory.archive.capture(talk.path, "claude", hook)
    told = memory.archive.capture(talk.path, "claude", hook)
    assert (told.seen, told.new) == (0, 0)
    assert kept_lines(memory) == lines


@pytest.mark.usefixtures("on")
def test_the_counts_of_all_pieces_are_told_together(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    for number in range(3):
        talk.noise()
        talk.works(f"Read part {number}.", "Bash", f"{number} {LONG}", "Read.", command="cat")

    told = memory.archive.capture(talk.path, "claude", hook)

    assert (told.seen, told.new, told.lines) == (3, 3, {"queue-operation": 3})


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes")
@pytest.mark.timeout(20)
@pytest.mark.usefixtures("on")
def test_what_is_no_file_is_not_waited_for(
    memory: Memory, hook: Caller, talk: ClaudeFile, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    talk.turn("Which port?", "5433.")

    for path in (pipe, tmp_path):
        for explicit in (False, True):
            with pytest.raises(Unavailable):
                memory.archive.capture(path, "claude", hook, explicit=explicit)
    assert memory.archive.capture(talk.path, "claude", hook).new == 1


@pytest.mark.usefixtures("on")
def test_turns_belong_to_the_session_that_their_transcript_names(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    talk.turn("Which port has the staging database?", "It listens on port 5433.")
    claims = replace(hook, session_id="another-session")

    told = memory.archive.capture(talk.path, "claude", claims)

    assert told.new == 1
    assert memory.archive.receipt(claims) == ""
    assert "1 span" in memory.archive.receipt(hook)


@pytest.mark.usefixtures("on")
def test_no_other_session_hands_in_what_was_said_while_a_session_was_off(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    memory.switches.set_mode(Mode.OFF, hook, for_session=True)
    talk.turn("Which port has the staging database?", "It listens on port 5433.")
    claims = replace(hook, session_id="another-session")

    with pytest.raises(Disabled):
        memory.archive.capture(talk.path, "claude", claims)
    assert kept_lines(memory) == []


@pytest.mark.usefixtures("on")
def test_a_session_that_goes_on_in_a_file_of_its_own_with_turns_of_another_is_itself(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    talk.turn("Which port has the staging database?", "It listens on port 5433.")
    memory.archive.capture(talk.path, "claude", hook)
    copied = talk.path.read_bytes()
    talk.turn("When is the release cut?", "On Thursdays.")
    forked = talk.path.with_name("forked-session.jsonl")
    forked.write_bytes(talk.path.read_bytes())
    fork = replace(hook, session_id="forked-session")

    told = memory.archive.capture(forked, "claude", fork)

    assert copied in forked.read_bytes()
    assert (told.new, told.known) == (1, 1)
    assert "1 span" in memory.archive.receipt(fork)
