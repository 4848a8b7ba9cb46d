"""What a mode holds back of what callers ask for; a sibling session goes on meanwhile."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.embedding import Embedding
from memex_mcp.errors import Denied, Disabled
from memex_mcp.memory import Memory
from memex_mcp.model.browse import Browse, Grep
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind, Scope, State, Status, Surface
from memex_mcp.model.levels import Mode
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft, Link
from memex_mcp.settings import Settings
from tests.card import card
from tests.llm.offline import Words
from tests.using import NEW_PORT, OTHER, PORT, QUESTION, actions, edit, file_of, rows

READS: dict[str, Callable[[Memory, Caller, str], object]] = {
    "open": lambda memory, caller, one: memory.open(one, caller),
    "grep": lambda memory, caller, one: memory.grep(Grep(pattern="port"), caller),
    "index": lambda memory, caller, one: memory.index(Browse(), caller),
    "stats": lambda memory, caller, one: memory.stats(caller),
    "listing": lambda memory, caller, one: memory.listing(caller),
    "catalog": lambda memory, caller, one: memory.catalog(caller),
    "tombstones": lambda memory, caller, one: memory.tombstones(caller),
}
WRITES: dict[str, Callable[[Memory, Caller, str], object]] = {
    "write": lambda memory, caller, one: memory.write(NEW_PORT, caller),
    "global": lambda memory, caller, one: memory.write(Draft(text="x", scope=Scope.GLOBAL), caller),
    "span": lambda memory, caller, one: memory.write(Draft(text="x", kind=Kind.SPAN), caller),
    "nothing": lambda memory, caller, one: memory.write(Draft(text=""), caller),
    "write_all": lambda memory, caller, one: memory.write_all([OTHER, NEW_PORT], caller),
    "set_status": lambda memory, caller, one: memory.set_status(
        one, Status.RETRACTED, caller, reason="wrong"
    ),
    "pin": lambda memory, caller, one: memory.pin(one, caller),
    "link": lambda memory, caller, one: memory.link(
        Link(from_id=one, to_id=one, relation="related"), caller
    ),
    "lift": lambda memory, caller, one: memory.lift("0" * 64, caller),
}


@pytest.fixture
def sibling(agent: Caller) -> Caller:
    return replace(agent, session_id="s-b")


@pytest.fixture
def one(memory: Memory, agent: Caller) -> str:
    """Id of a record that every session of the workspace sees."""
    return memory.write(PORT, agent).id


def dump(memory: Memory) -> list[str]:
    """Everything that the database holds."""
    with rows(memory) as db:
        return list(db.iterdump())


def files(memory: Memory) -> dict[Path, bytes]:
    records = memory.settings.home / "records"
    return {path: path.read_bytes() for path in records.rglob("*") if path.is_file()}


def ways_off() -> Iterator[Callable[[Memory, Caller], object]]:
    yield lambda memory, caller: memory.switches.set_mode(Mode.OFF, caller, for_session=True)
    yield lambda memory, caller: memory.switches.set_mode(Mode.OFF, caller)
    yield lambda memory, caller: memory.switches.pause(caller)


@pytest.mark.parametrize("off", list(ways_off()), ids=["session", "workspace", "store"])
def test_whoever_is_off_reads_nothing_and_leaves_no_trace(
    memory: Memory, agent: Caller, one: str, off: Callable[[Memory, Caller], object]
) -> None:
    off(memory, agent)
    before, lying = dump(memory), files(memory)

    for attempt in (*READS.values(), *WRITES.values()):
        with pytest.raises(Disabled, match=r"is (off|paused)"):
            attempt(memory, agent, one)
    answer = memory.search(Query(text=QUESTION), agent)
    window = memory.window(QUESTION, 2_000, agent)

    assert (answer.state, answer.hits) == (State.DISABLED, ())
    assert answer.hint == memory.switches.now(agent).why != ""
    assert (window.state, window.excerpts, PORT.text in window.text) == (State.DISABLED, (), False)
    assert (dump(memory), files(memory)) == (before, lying)


@card("levels.off")
def test_a_sibling_of_a_session_that_is_off_reads_and_writes(
    memory: Memory, agent: Caller, sibling: Caller, one: str
) -> None:
    memory.switches.set_mode(Mode.OFF, agent, for_session=True)

    for read in READS.values():
        assert read(memory, sibling, one) is not None
    assert [hit.id for hit in memory.search(Query(text=QUESTION), sibling).hits] == [one]
    assert PORT.text in memory.window(QUESTION, 2_000, sibling).text
    assert memory.write(NEW_PORT, sibling).id
    with pytest.raises(Disabled, match="the mode of this session is off"):
        memory.open(one, agent)
    memory.switches.set_mode(Mode.AUTO, agent, for_session=True)
    assert memory.open(one, agent).text == PORT.text


def test_read_only_reads_and_changes_nothing_not_even_a_counter(
    memory: Memory, agent: Caller, sibling: Caller, one: str
) -> None:
    memory.switches.set_mode(Mode.READ_ONLY, agent, for_session=True)
    edit(memory, one, "port 5433", "port 6543")
    before = dump(memory)

    for read in READS.values():
        assert read(memory, agent, one) is not None
    assert [hit.id for hit in memory.search(Query(text=QUESTION), agent).hits] == [one]
    assert memory.open(one, agent).text == PORT.text
    assert dump(memory) == before
    for write in WRITES.values():
        with pytest.raises(Denied, match="read-only"):
            write(memory, agent, one)
    assert actions(memory)[-len(WRITES) :] == ["deny"] * len(WRITES)
    assert memory.open(one, sibling).text == NEW_PORT.text
    assert memory.write(OTHER, sibling).id


def test_write_only_writes_and_reads_nothing(
    memory: Memory, agent: Caller, sibling: Caller, one: str
) -> None:
    memory.switches.set_mode(Mode.WRITE_ONLY, agent, for_session=True)

    written = memory.write(NEW_PORT, agent)
    memory.set_status(written.id, Status.DISPUTED, agent, reason="not sure")

    for read in READS.values():
        with pytest.raises(Disabled, match="the mode is write-only"):
            read(memory, agent, one)
    assert memory.search(Query(text=QUESTION), agent).state is State.DISABLED
    assert memory.window(QUESTION, 2_000, agent).state is State.DISABLED
    assert memory.open(written.id, sibling).current_status is Status.DISPUTED


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.CHAT, Mode.WORK])
def test_the_other_modes_hold_nothing_back(
    memory: Memory, agent: Caller, one: str, mode: Mode
) -> None:
    memory.switches.set_mode(mode, agent)

    for read in READS.values():
        assert read(memory, agent, one) is not None
    assert memory.write(NEW_PORT, agent).id
    assert memory.search(Query(text=QUESTION), agent).hits


def test_a_write_that_waits_while_its_session_is_switched_off_is_not_made(
    memory: Memory, agent: Caller, sibling: Caller
) -> None:
    memory.write(PORT, agent)
    memory.switches.set_mode(Mode.OFF, agent, for_session=True)

    with pytest.raises(Disabled), memory._writer.passage(agent):
        pass
    with memory._writer.passage(sibling) as passage:
        assert passage.changes == []


def test_what_a_person_did_to_a_file_is_no_doing_of_a_session(
    memory: Memory, agent: Caller, sibling: Caller, one: str
) -> None:
    memory.switches.set_mode(Mode.OFF, agent)
    memory.switches.set_mode(Mode.AUTO, sibling, for_session=True)
    edit(memory, one, "port 5433", "port 6543")

    [taken] = memory.refresh()

    assert (taken.record_id, taken.problem) == (one, "")
    assert memory.open(one, sibling).text == NEW_PORT.text


def test_a_paused_store_takes_nothing_in_of_its_own(
    memory: Memory, agent: Caller, one: str
) -> None:
    memory.switches.pause(agent)
    edit(memory, one, "port 5433", "port 6543")
    before = dump(memory)

    with pytest.raises(Disabled, match="memory is paused"):
        memory.refresh()

    assert dump(memory) == before
    assert "6543" in file_of(memory, one).read_text(encoding="utf-8")
    memory.switches.resume(agent)
    assert [edit.record_id for edit in memory.refresh()] == [one]


def test_no_model_hears_the_question_of_a_session_that_is_off(
    memory: Memory, agent: Caller, sibling: Caller, one: str
) -> None:
    model = Words()
    memory.embedding = Embedding(memory._database, model)
    memory.switches.set_mode(Mode.OFF, agent, for_session=True)

    assert memory.search(Query(text="my secret plan"), agent).state is State.DISABLED
    assert memory.window("my secret plan", 2_000, agent).state is State.DISABLED

    assert model.asked == []
    memory.search(Query(text=QUESTION), sibling)
    assert model.asked == [QUESTION]


def test_memory_that_is_switched_off_from_outside_touches_nothing(
    tmp_path: Path, agent: Caller
) -> None:
    homes = tmp_path / "off", tmp_path / "on"
    off, on = (
        Memory(Settings(home=home, disabled=why))
        for home, why in zip(homes, ("x", ""), strict=True)
    )
    absent = "0" * 26

    for attempt in (*READS.values(), *WRITES.values()):
        with pytest.raises(Disabled):
            attempt(off, agent, absent)
    with pytest.raises(Disabled):
        off.refresh()
    assert off.search(Query(text=QUESTION), agent).state is State.DISABLED
    assert on.search(Query(text=QUESTION), agent).state is State.EMPTY_ARCHIVE

    assert [home.exists() for home in homes] == [False, True]
    off.close()
    on.close()


def test_status_and_doctor_answer_while_everything_is_off(
    memory: Memory, agent: Caller, one: str
) -> None:
    memory.switches.pause(agent)

    status = memory.status(agent)

    assert (status.switches.paused, status.by_status) == (True, {"active": 1})
    assert status.switches.allowed == memory.switches.now(agent)
    assert all(found.ok for found in memory.examine())


def test_the_origin_of_every_record_is_counted(
    memory: Memory, agent: Caller, sibling: Caller, person: Caller
) -> None:
    capturing = replace(sibling, surface=Surface.HOOK)
    taken = replace(sibling, surface=Surface.IMPORT)
    memory.write(PORT, agent)
    memory.write(OTHER, person)
    for caller, kind in ((capturing, Kind.SPAN), (taken, Kind.SPAN), (taken, Kind.NOTE)):
        text = f"A {kind} of {caller.surface}."
        memory.write(Draft(text=text, kind=kind), caller)

    told = {"backfill": 1, "cli": 1, "hook": 1, "import": 1, "tool": 1}

    assert memory.status(sibling).by_origin == told
    assert memory.stats(sibling).by_origin == told
    assert sum(told.values()) == sum(memory.stats(sibling).by_kind.values())


def test_switches_are_read_by_many_threads_at_once(
    memory: Memory, agent: Caller, sibling: Caller, one: str
) -> None:
    memory.switches.set_mode(Mode.OFF, agent, for_session=True)
    seen: list[tuple[bool, bool]] = []

    def look() -> None:
        for _ in range(20):
            pair = [memory.switches.now(caller).read for caller in (agent, sibling)]
            seen.append((pair[0], pair[1]))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(seen) == {(False, True)}
    assert len(seen) == 80
