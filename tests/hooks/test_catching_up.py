"""What a hook has no time for is archived all the same."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memex_mcp.hooks.archiving import AT_ONCE
from memex_mcp.model.kinds import Kind
from tests.hooks.using import ARCHIVED, Place, make
from tests.process import DEADLINE


def _until(done: Callable[[], bool]) -> bool:
    """Whether it comes true in time; the process that brings it about is nobody's child here."""
    wait = threading.Event().wait
    return any(done() or wait(0.1) for _ in range(int(DEADLINE * 10)))


@pytest.fixture
def place(tmp_path: Path) -> Place:
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


def test_a_turn_that_takes_long_is_archived_after_the_hook_has_ended(place: Place) -> None:
    _grow(place)

    assert place.hook("claude", "stop") == ""

    assert _until(lambda: place.archived("claude").count(Kind.CHECKPOINT) == 2), place.log()
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
