"""Each turn goes into the archive once, however often and by whomever it is captured."""

import shutil
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Page
from tests.archive.using import BRANCH, PORT, hashes, kept_lines, kinds, state
from tests.card import card
from tests.claude_file import ClaudeFile
from tests.using import found


@pytest.mark.usefixtures("on")
def test_every_turn_is_kept_to_the_byte_and_the_open_one_waits(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    talk.noise()
    talk.turn(*PORT)
    talk.works("Run the tests.", "Bash", "2 passed", "They pass.", command="pytest -q")
    call = (talk.asks("Now read the notes."), talk.calls("Read", file_path="notes.md"))[1]

    first = memory.archive.capture(talk.path, "claude", hook)

    assert (first.seen, first.new, first.known, first.records) == (2, 2, 0, 4)
    assert kept_lines(memory) == hashes(talk.path)[:6]
    assert kinds(memory) == [("span", "session"), ("checkpoint", "workspace")] * 2
    talk.gets(call, "Remember the milk.")
    talk.answers("The notes say: milk.")
    second = memory.archive.capture(talk.path, "claude", hook)

    assert (second.seen, second.new, second.records) == (1, 1, 2)
    assert kept_lines(memory) == hashes(talk.path)
    assert found(memory, hook, "milk notes")[0] in second.ids


@card("evidence.once")
@pytest.mark.usefixtures("on")
def test_replaying_a_transcript_changes_nothing(
    memory: Memory, hook: Caller, talk: ClaudeFile, tmp_path: Path
) -> None:
    talk.turn(*PORT)
    talk.turn(*BRANCH)
    memory.archive.capture(talk.path, "claude", hook)
    before = state(memory)

    for _ in range(5):
        again = memory.archive.capture(talk.path, "claude", hook)
        asked = memory.archive.capture(talk.path, "claude", hook, explicit=True)
        assert (again.new, asked.seen, asked.known, asked.new) == (0, 2, 2, 0)
    assert state(memory) == before

    copy = Path(shutil.copy(talk.path, tmp_path / "copy.jsonl"))
    told = memory.archive.capture(copy, "claude", hook, explicit=True)
    assert (told.known, told.new, told.records) == (2, 0, 0)
    assert kept_lines(memory) == hashes(talk.path)


@pytest.mark.usefixtures("on")
@pytest.mark.parametrize("longer", [False, True])
def test_a_file_that_was_written_anew_is_read_from_its_start(
    memory: Memory, hook: Caller, talk: ClaudeFile, longer: bool
) -> None:
    talk.turn(*PORT)
    talk.turn(*BRANCH)
    memory.archive.capture(talk.path, "claude", hook)
    lines = talk.path.read_bytes().split(b"\n")
    talk.path.write_bytes(b"\n".join(lines[2:4]) + b"\n")
    if longer:
        talk.turn("And the next one?", "On Friday, for once. " * 60)

    told = memory.archive.capture(talk.path, "claude", hook)

    assert (told.seen, told.known, told.new) == ((2, 1, 1) if longer else (1, 1, 0))
    assert len(kept_lines(memory)) == (6 if longer else 4)


@pytest.mark.usefixtures("on")
@pytest.mark.parametrize("ends", [True, False])
def test_a_turn_that_goes_on_after_it_was_archived_is_not_doubled(
    memory: Memory, hook: Caller, talk: ClaudeFile, ends: bool
) -> None:
    talk.asks(PORT[0])
    talk.answers(PORT[1], ends=ends)
    memory.archive.capture(talk.path, "claude", hook)
    talk.answers("And on 6543 since the move.")

    memory.archive.capture(talk.path, "claude", hook)
    asked = memory.archive.capture(talk.path, "claude", hook, explicit=True)

    assert kept_lines(memory) == hashes(talk.path)
    assert (asked.new, asked.records) == (0, 0)
    assert found(memory, hook, "6543")


@pytest.mark.usefixtures("on")
@pytest.mark.parametrize("lost", [False, True])
def test_after_a_rebuild_from_files_a_replay_adds_nothing(
    memory: Memory, hook: Caller, talk: ClaudeFile, person: Caller, lost: bool
) -> None:
    talk.turn(*PORT)
    talk.turn("go on", "done")
    talk.turn("go on", "done")
    memory.archive.capture(talk.path, "claude", hook)
    before = kept_lines(memory)
    ids = set(kinds(memory))
    memory.close()
    for path in memory.settings.home.glob("memex.db*") if lost else ():
        path.unlink()

    memory.rebuild_from_files()
    told = [memory.archive.capture(talk.path, "claude", hook, explicit=True) for _ in range(2)]

    assert [(one.seen, one.known, one.records) for one in told] == [(3, 3, 0)] * 2
    assert kept_lines(memory) == before == hashes(talk.path)
    assert set(kinds(memory)) == ids
    assert memory.open(found(memory, hook, PORT[0])[0], hook, Page(events=True)).revision == 1
