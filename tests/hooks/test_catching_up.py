"""What a hook has no time for, or comes too early for, is archived all the same."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from memex_mcp.hooks.archiving import AT_ONCE
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Kind, Scope, Surface
from memex_mcp.model.levels import Mode
from memex_mcp.model.record import Draft
from tests.hooks.using import ARCHIVED, Place, make, session
from tests.process import until
from tests.using import stored

linux = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="asks /proc who runs")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place whose conversations lie where the clients of its user keep them."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COPILOT_HOME", raising=False)
    return make(tmp_path)


def _grow(place: Place) -> None:
    """Put a turn with a huge result before the others of Claude's conversation."""
    transcript = place.transcript("claude")
    lines = transcript.read_text(encoding="utf-8").splitlines()
    huge = " ".join(f"row{number} is swept" for number in range(AT_ONCE // 16))
    grown = []
    for line in lines:
        entry = json.loads(line)
        content = entry.get("message", {}).get("content")
        if isinstance(content, list) and content[0].get("type") == "tool_result":
            content[0]["content"] = huge
        grown.append(json.dumps(entry))
    transcript.write_text("\n".join(grown) + "\n", encoding="utf-8")


def _end(place: Place, **env: str) -> None:
    """Copilot's session ends, in the payload as Copilot writes it: no transcript is named."""
    typed = place.payload("copilot", "session-end", transcript=None)
    assert place.hook("copilot", "session-end", typed, env=env) == ""


def _at_work(place: Place) -> int:
    """How many processes archive into a store for a hook that has ended."""
    mark = f"memex_mcp.hooks.catching_up\0{place.root}\0".encode()
    running = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            running += mark in (process / "cmdline").read_bytes()
        except OSError:
            continue
    return running


def test_a_turn_that_takes_long_is_archived_after_the_hook_has_ended(place: Place) -> None:
    _grow(place)

    assert place.hook("claude", "stop") == ""

    assert until(lambda: place.archived("claude").count(Kind.CHECKPOINT) == 2), place.log()
    assert place.archived("claude").count(Kind.SPAN) > 2, "the huge result is a part of its own"
    assert place.log() == []


def test_switched_off_nothing_is_archived_later_either(place: Place) -> None:
    _grow(place)
    memory = place.memory()
    memory.switches.pause(place.person(memory))
    memory.close()
    rows = place.rows()

    place.hook("claude", "stop")

    assert place.rows() == rows


def test_a_short_wait_needs_no_process_of_its_own(place: Place) -> None:
    place.hook("claude", "stop")

    assert place.archived("claude") == ARCHIVED


def _ended_early(place: Place) -> tuple[Path, bytes]:
    """Have the session end before there is a transcript; returns where it will be, and what."""
    transcript = place.transcript("copilot")
    whole = transcript.read_bytes()
    transcript.unlink()
    _end(place)
    assert _at_work(place) == 1
    return transcript, whole


@linux
def test_a_transcript_that_is_written_after_the_last_hook_is_archived_once(place: Place) -> None:
    transcript = place.transcript("copilot")
    whole = transcript.read_bytes()
    transcript.unlink()

    place.hook("copilot", "stop")
    assert _at_work(place) == 0
    # Two at once, as where a session is resumed and ends again.
    _end(place)
    _end(place)
    assert _at_work(place) == 2
    assert place.archived("copilot") == []
    transcript.write_bytes(whole)

    assert until(lambda: _at_work(place) == 0)
    assert place.archived("copilot") == ARCHIVED
    _end(place)
    assert place.archived("copilot") == ARCHIVED
    assert place.log() == []


@linux
def test_a_turn_that_is_added_after_the_last_hook_is_archived_once(place: Place) -> None:
    transcript = place.transcript("copilot")
    whole = transcript.read_bytes()
    begun = whole[: whole.index(b"And how long are they kept?")]
    transcript.write_bytes(begun)
    place.hook("copilot", "stop")
    assert place.archived("copilot") == ["checkpoint", "span"]

    _end(place)
    with transcript.open("ab") as file:
        file.write(whole[len(begun) :])

    assert until(lambda: _at_work(place) == 0)
    assert place.archived("copilot") == ARCHIVED
    assert place.log() == []


@linux
def test_the_last_turn_that_is_in_time_is_not_waited_for(place: Place) -> None:
    _end(place)

    assert _at_work(place) == 0
    assert place.archived("copilot") == ARCHIVED


@linux
def test_a_transcript_that_never_comes_leaves_nothing_behind(place: Place) -> None:
    place.transcript("copilot").unlink()
    # That of another client is not even waited for.
    gone = place.payload("claude", "session-end", transcript=place.folder / "gone.jsonl")
    place.hook("claude", "session-end", gone)
    assert _at_work(place) == 0
    _end(place)
    assert _at_work(place) == 1
    rows = place.rows()

    assert until(lambda: _at_work(place) == 0)
    assert place.rows() == rows
    assert place.log() == []


@linux
@pytest.mark.parametrize(
    ("mode", "env", "waiting"),
    [
        pytest.param(Mode.AUTO, {}, 1, id="on"),
        pytest.param(Mode.OFF, {}, 0, id="off"),
        pytest.param(Mode.READ_ONLY, {}, 0, id="read-only"),
        pytest.param(Mode.AUTO, {"MEMEX_DISABLED": "1"}, 0, id="disabled"),
        pytest.param(Mode.AUTO, {"MEMEX_MAX_LEVELS": "none"}, 0, id="no level"),
    ],
)
def test_where_nothing_may_be_archived_nobody_waits(
    place: Place, mode: Mode, env: dict[str, str], waiting: int
) -> None:
    place.transcript("copilot").unlink()
    with closing(place.memory()) as memory:
        memory.switches.set_mode(mode, place.person(memory))

    _end(place, **env)

    assert _at_work(place) == waiting


@linux
def test_memory_that_is_switched_off_meanwhile_takes_nothing(place: Place) -> None:
    transcript, whole = _ended_early(place)
    with closing(place.memory()) as memory:
        memory.switches.pause(place.person(memory))
    transcript.write_bytes(whole)
    rows = place.rows()

    assert until(lambda: _at_work(place) == 0)
    assert place.rows() == rows
    assert place.log() == []


def test_scratch_notes_end_with_a_session_whose_transcript_is_late(place: Place) -> None:
    place.transcript("copilot").unlink()
    evidence = Evidence(
        surface=Surface.TOOL,
        client="copilot",
        workspace=place.project,
        session_id=session("copilot"),
    )
    with closing(place.memory()) as memory:
        mine = memory.caller(evidence)
        note = Draft(text="No effect.", scope=Scope.SESSION, tags=("scratch",))
        written = memory.write(note, mine).id
        assert stored(memory, mine, written).times.expires_at is None

        _end(place)

        assert stored(memory, mine, written).times.expires_at is not None


@linux
def test_a_store_that_is_removed_meanwhile_is_not_made_again(place: Place) -> None:
    transcript, whole = _ended_early(place)

    shutil.rmtree(place.root)
    transcript.write_bytes(whole)

    assert until(lambda: _at_work(place) == 0)
    assert not place.root.exists()
