"""Who may put which switch, and what is on record of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import Denied, Disabled, Invalid
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Scope, Surface
from memex_mcp.model.levels import Allowed, Level, Levels, Mode
from memex_mcp.policy.levels import History
from memex_mcp.settings import Settings
from tests.card import card
from tests.using import OTHER, PORT, actions, audited, rows


def person_in(memory: Memory, folder: Path, session: str | None = None) -> Caller:
    return memory.caller(
        Evidence(
            surface=Surface.CLI, client="cli", workspace=folder, session_id=session, human=True
        )
    )


@card("levels.person")
def test_a_person_turns_a_level_on_and_nobody_else_does(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    piped = replace(person, human=False)
    for caller in (agent, piped, replace(agent, surface=Surface.HOOK), replace(agent, client="")):
        with pytest.raises(Denied, match="only a person turns a level on"):
            memory.switches.turn_on(Level.L2, caller)
    assert memory.switches.levels(agent) == Levels()

    assert memory.switches.turn_on(Level.L2, person) is True

    assert memory.switches.levels(agent).l2 is not None
    assert actions(memory) == ["deny"] * 4 + ["l2:on"]


def test_turning_on_what_is_on_changes_nothing(memory: Memory, person: Caller) -> None:
    memory.switches.turn_on(Level.L3, person)
    before = memory.switches.history(person)

    assert memory.switches.turn_on(Level.L3, person) is False

    assert memory.switches.history(person) == before
    assert actions(memory) == ["l3:on"]


@card("levels.sticky")
@pytest.mark.parametrize("level", Level)
def test_no_level_is_ever_turned_off(memory: Memory, person: Caller, level: Level) -> None:
    memory.switches.turn_on(level, person)
    before = memory.switches.levels(person)

    with pytest.raises(Denied, match="sticky") as refused:
        memory.switches.turn_off(level)

    assert "mode off" in refused.value.hint
    assert memory.switches.levels(person) == before != Levels()


def test_l2_of_one_session_is_not_l2_of_another(memory: Memory, project: Path) -> None:
    one, two = (person_in(memory, project, session) for session in ("s-1", "s-2"))

    memory.switches.turn_on(Level.L2, one, for_session=True)

    assert memory.switches.levels(one).l2 is not None
    assert memory.switches.levels(two) == Levels()
    memory.switches.turn_on(Level.L2, two)
    assert memory.switches.levels(person_in(memory, project, "s-3")).l2 is not None


def test_a_level_is_on_in_one_workspace_only(
    memory: Memory, person: Caller, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    stranger = person_in(memory, tmp_path / "elsewhere")

    memory.switches.turn_on(Level.L3, person)

    assert memory.switches.levels(person).l3 is not None
    assert memory.switches.levels(stranger) == Levels()
    assert memory.switches.now(stranger).checkpoints is None


def test_a_server_turns_on_what_a_person_wrote_on_its_command_line(
    memory: Memory, agent: Caller
) -> None:
    memory.switches.start_with((Level.L2, Level.L3), agent)
    memory.switches.start_with((), agent)

    allowed = memory.switches.now(agent)
    assert (allowed.spans, allowed.checkpoints) == (True, Scope.WORKSPACE)
    assert audited(memory) == [("l2:on", "serve --levels"), ("l3:on", "serve --levels")]
    with pytest.raises(Denied):
        memory.switches.start_with((Level.L2,), replace(agent, readonly=True))


def test_no_switch_is_put_where_there_is_nothing_to_switch(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    nowhere = replace(person, workspace=None)
    assert person.session_id is None

    attempts: list[Callable[[], object]] = [
        lambda: memory.switches.turn_on(Level.L2, nowhere),
        lambda: memory.switches.turn_on(Level.L2, person, for_session=True),
        lambda: memory.switches.set_mode(Mode.OFF, nowhere),
        lambda: memory.switches.set_mode(Mode.OFF, person, for_session=True),
        lambda: memory.switches.set_mode(Mode.OFF, replace(agent, readonly=True)),
        lambda: memory.switches.pause(replace(agent, readonly=True)),
        lambda: memory.switches.resume(replace(agent, readonly=True)),
    ]
    for attempt in attempts:
        with pytest.raises(Denied):
            attempt()
    with pytest.raises(Invalid, match="whole workspace"):
        memory.switches.turn_on(
            Level.L3, replace(agent, human=True, surface=Surface.CLI), for_session=True
        )
    assert set(actions(memory)) == {"deny"}
    assert memory.switches.history(agent) == History()
    assert memory.switches.set_mode(Mode.OFF, agent, for_session=True) is True


@card("levels.capped")
def test_nothing_turns_on_what_the_environment_keeps_off(
    root: Path, project: Path, memory: Memory, person: Caller
) -> None:
    capped = Memory(Settings(home=root, max_levels="l2"))
    with pytest.raises(Denied, match="MEMEX_MAX_LEVELS keeps l3 off"):
        capped.switches.turn_on(Level.L3, person)
    with pytest.raises(Denied):
        capped.switches.start_with((Level.L3,), person)
    memory.switches.turn_on(Level.L3, person)
    memory.switches.turn_on(Level.L2, person)

    on = capped.switches.levels(person)

    assert (on.l2 is not None, on.l3) == (True, None)
    assert capped.switches.now(person).checkpoints is Scope.SESSION
    assert memory.switches.now(person).checkpoints is Scope.WORKSPACE
    capped.close()


def test_switched_off_from_outside_nothing_is_turned_on(root: Path, person: Caller) -> None:
    off = Memory(Settings(home=root, disabled="MEMEX_DISABLED is set"))

    with pytest.raises(Disabled, match="MEMEX_DISABLED is set"):
        off.switches.turn_on(Level.L2, person)

    why = "MEMEX_DISABLED is set"
    assert off.switches.now(person) == Allowed(read=False, write=False, why=why)
    assert not root.exists()
    off.close()


def test_asking_how_switches_stand_makes_no_store(
    memory: Memory, root: Path, person: Caller
) -> None:
    for ask in (
        memory.switches.now,
        memory.switches.mode,
        memory.switches.levels,
        memory.switches.history,
        memory.switches.standing,
        memory.switches.resume,
    ):
        ask(person)

    assert not root.exists()
    assert memory.switches.now(person) == Allowed(recall=True, why="no level is on")


def test_a_store_that_cannot_be_read_allows_nothing_by_itself(
    root: Path, memory: Memory, person: Caller
) -> None:
    root.mkdir()
    (root / "memex.db").write_bytes(b"garbage " * 4_000)

    allowed = memory.switches.now(person)

    assert allowed == Allowed(read=False, write=False, why="the memory store is damaged")


def test_the_pause_is_of_the_whole_store_and_ends_as_it_began(
    memory: Memory, agent: Caller, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    stranger = person_in(memory, tmp_path / "elsewhere")

    assert memory.switches.resume(agent) is False
    assert (memory.switches.pause(agent), memory.switches.pause(agent)) == (True, False)
    assert not memory.switches.now(stranger).read
    assert memory.switches.standing(stranger).paused

    assert (memory.switches.resume(agent), memory.switches.resume(agent)) == (True, False)
    assert memory.switches.now(stranger).read
    assert actions(memory) == ["master:off", "master:on"]


BROKEN: dict[str, Callable[[Memory, Caller], object]] = {
    "mode": lambda memory, caller: memory.switches.set_mode(Mode.WORK, caller),
    "master switch": lambda memory, caller: (
        memory.switches.pause(caller),
        memory.switches.resume(caller),
    ),
    "l2": lambda memory, caller: memory.switches.turn_on(Level.L2, caller),
}


@card("levels.corrupt")
@pytest.mark.parametrize("table", ["setting", "switch_log"])
@pytest.mark.parametrize("key", BROKEN)
def test_a_corrupt_setting_means_off_until_it_is_put_anew(
    memory: Memory, person: Caller, key: str, table: str
) -> None:
    put = BROKEN[key]
    put(memory, person)
    assert memory.switches.now(person).read
    with rows(memory) as db:
        db.execute(f"UPDATE {table} SET value = 'nonsense' WHERE key = ?", (key,))

    off = memory.switches.now(person)

    assert off == Allowed(read=False, write=False, why=off.why)
    assert key in off.why
    assert [one.check for one in memory.examine() if not one.ok] == ["switches"]
    put(memory, person)
    assert memory.switches.now(person).read
    assert [one.check for one in memory.examine() if not one.ok] == []


def test_a_corrupt_past_stops_what_happens_by_itself_and_is_mended_the_same_way(
    memory: Memory, person: Caller
) -> None:
    memory.switches.set_mode(Mode.WORK, person)
    memory.switches.set_mode(Mode.AUTO, person)
    with rows(memory) as db:
        db.execute("UPDATE switch_log SET value = 'wrok' WHERE value = 'work'")

    assert memory.switches.now(person).why == "the mode on record cannot be read"
    assert memory.switches.standing(person).allowed == memory.switches.now(person)

    memory.switches.set_mode(Mode.AUTO, person)
    assert memory.switches.now(person).recall
    past = [change.value for change in memory.switches.history(person).mode]
    assert past == ["off", "auto", "auto"]


def age(memory: Memory, session: str) -> None:
    """Let it be long ago that anything was put for a session, or seen of it."""
    with rows(memory) as db:
        db.execute("UPDATE setting SET updated_at = 1 WHERE owner LIKE '%:' || ?", (session,))
        db.execute("UPDATE session SET last_seen = 1 WHERE id = ?", (session,))


def test_a_level_outlives_the_settings_of_its_session_and_so_do_records(
    memory: Memory, project: Path
) -> None:
    mine = person_in(memory, project, "s-old")
    written = memory.write(PORT, mine)
    memory.switches.turn_on(Level.L2, mine, for_session=True)
    memory.switches.set_mode(Mode.OFF, mine, for_session=True)
    on = memory.switches.levels(mine)
    assert (memory.switches.prune(), memory.switches.now(mine).read) == (0, False)
    age(memory, "s-old")

    assert memory.switches.prune() == 2

    assert memory.switches.levels(mine) == on != Levels()
    assert memory.switches.now(mine).spans
    assert memory.open(written.id, mine).text == PORT.text
    with rows(memory) as db:
        assert db.execute("SELECT count(*) FROM setting").fetchone()[0] == 0


def test_a_refresh_forgets_what_was_put_for_sessions_that_are_long_gone(
    memory: Memory, project: Path
) -> None:
    old, new = (person_in(memory, project, session) for session in ("s-old", "s-new"))
    for caller in (old, new):
        memory.switches.set_mode(Mode.READ_ONLY, caller, for_session=True)
    age(memory, "s-old")

    memory.refresh()

    assert memory.switches.mode(old) is Mode.AUTO
    assert memory.switches.mode(new) is Mode.READ_ONLY
    assert memory.write(OTHER, old).id
