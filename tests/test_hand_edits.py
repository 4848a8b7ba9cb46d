"""What a person is told of an edit that was not simply taken, and who waits for whom."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Status
from memex_mcp.model.record import Draft
from memex_mcp.store.lock import FileLock
from tests.using import OTHER, PORT, edit, file_of, stored

_LONG = 5.0
"""Seconds; far beyond a moment, and half of what a store waits for a writer."""


def aside(memory: Memory) -> list[str]:
    """What lies in the quarantine, the notes on it left out."""
    folder = memory.settings.home / "quarantine"
    return [path.read_text(encoding="utf-8") for path in folder.glob("*.md")]


def faults(memory: Memory) -> dict[str, str]:
    """What is told of each check that found something."""
    return {one.check: one.detail for one in memory.examine() if not one.ok}


def test_a_status_changed_by_hand_is_told_kept_and_undone(memory: Memory, agent: Caller) -> None:
    written = memory.write(PORT, agent)
    before = file_of(memory, written.id).read_text(encoding="utf-8")
    edit(memory, written.id, 'status: "active"', 'status: "archived"')

    [told] = memory.refresh()

    assert told.record_id == written.id
    assert told.problem.startswith(
        "status cannot be changed in a file; memex-mcp set-status changes a status; moved to"
    )
    assert stored(memory, agent, written.id).status is Status.ACTIVE
    assert file_of(memory, written.id).read_text(encoding="utf-8") == before
    assert ['status: "archived"' in text for text in aside(memory)] == [True]
    assert "status cannot be changed in a file" in faults(memory)["quarantine"]
    assert memory.refresh() == []


def test_a_trust_changed_beside_the_text_is_told_and_the_text_is_taken(
    memory: Memory, agent: Caller
) -> None:
    mixed, plain = memory.write(PORT, agent), memory.write(OTHER, agent)
    edit(memory, mixed.id, "port 5433", "port 6543")
    edit(memory, mixed.id, 'trust: "untrusted"', 'trust: "verified"')
    edit(memory, plain.id, "cut on Thursdays", "cut on Fridays")

    told = {one.record_id: one.problem for one in memory.refresh()}

    assert told == {mixed.id: "trust cannot be changed in a file", plain.id: ""}
    record = stored(memory, agent, mixed.id)
    assert (record.body.split()[-1], record.trust, record.version) == ("6543.", "untrusted", 2)
    assert ['trust: "verified"' in text for text in aside(memory)] == [True]
    assert 'trust: "untrusted"' in file_of(memory, mixed.id).read_text(encoding="utf-8")
    assert memory.refresh() == []


def test_a_hand_edit_that_waits_for_a_person_is_told_until_they_decide(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    mine, theirs = memory.write(PORT, agent), memory.write(OTHER, person)
    edit(memory, mine.id, "port 5433", "port 6543")
    edit(memory, theirs.id, "cut on Thursdays", "cut on Fridays")
    assert "review" not in faults(memory)

    told = {one.record_id: one.problem for one in memory.refresh()}

    assert told[mine.id] == ""
    waiting = told[theirs.id].rpartition(" ")[2]
    assert told[theirs.id] == f"it waits for your review as {waiting}"
    assert faults(memory) == {"review": f"1 hand edit waits for your review: {waiting}"}
    assert aside(memory) == []
    memory.set_status(waiting, Status.ACTIVE, person, reason="it moved")
    assert faults(memory) == {}


@pytest.mark.parametrize("busy", [True, False])
def test_opening_counts_at_once_or_not_at_all(memory: Memory, agent: Caller, busy: bool) -> None:
    written = memory.write(PORT, agent)
    opened = threading.Thread(target=memory.open, args=(written.id, agent), daemon=True)
    lock = FileLock(memory.settings.home / "lock")

    if busy:
        lock.acquire()
    opened.start()
    opened.join(_LONG)
    waits = opened.is_alive()
    lock.release()
    opened.join()

    assert not waits
    record = memory.open(written.id, replace(agent, readonly=True)).record
    assert record.opened_count == (0 if busy else 1)


def test_reading_waits_for_no_writer_of_another_process(
    memory: Memory, agent: Caller, root: Path
) -> None:
    written = memory.write(Draft(text="The staging database listens on port 5433."), agent)
    memory.close()
    late = Memory(memory.settings)
    read = threading.Thread(target=late.catalog, args=(agent,), daemon=True)

    with FileLock(root / "lock"):
        read.start()
        read.join(_LONG)
        assert not read.is_alive()
    assert written.id in late.catalog(agent)
    late.close()
