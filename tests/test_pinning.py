"""What is pinned always counts; who may say so, and what becomes of it."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import Denied, Invalid, NotFound
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Scope, Status, Surface
from memex_mcp.model.levels import Mode
from memex_mcp.model.record import Draft
from tests.card import card
from tests.using import OTHER, PORT, actions, file_of, stored
from tests.whole.injected import hook


@card("pin.leads")
def test_what_is_pinned_leads_the_catalog_and_the_brief_until_it_is_unpinned(
    memory: Memory, agent: Caller, project: Path
) -> None:
    old = memory.write(PORT, agent).id
    new = memory.write(OTHER, agent).id
    session = hook(memory, project)

    def first() -> list[str]:
        told = (memory.catalog(agent), memory.injection.start(session, source="startup"))
        return [min((old, new), key=text.index) for text in told]

    assert first() == [new, new]
    assert memory.pin(old, agent).pinned
    assert first() == [old, old]
    assert memory.window("", 1_000, agent).excerpts[0].why == "pinned"
    memory.pin(old, agent, pinned=False)
    assert first() == [new, new]


def test_a_pin_is_a_version_with_its_audit_row_its_file_and_its_event(
    memory: Memory, agent: Caller
) -> None:
    told: list[str] = []
    one = memory.write(PORT, agent).id
    memory.on_change(lambda change: told.append(change.action))

    memory.pin(one, agent)
    again = memory.pin(one, agent)
    memory.pin(one, agent, pinned=False)

    assert (again.pinned, again.was) == (True, True)
    assert actions(memory) == ["create", "pin", "unpin"]
    assert told == ["pin", "unpin"]
    assert "pinned: true" not in file_of(memory, one).read_text(encoding="utf-8")
    memory.pin(one, agent)
    assert "pinned: true" in file_of(memory, one).read_text(encoding="utf-8")
    record = stored(memory, agent, one)
    assert (record.version, record.pinned, record.body) == (4, True, PORT.text)


def test_a_pin_survives_revisions_and_rebuilds(memory: Memory, agent: Caller) -> None:
    one = memory.write(PORT, agent).id
    memory.pin(one, agent)

    memory.write(Draft(id=one, text=f"{PORT.text} Still."), agent)
    memory.rebuild_index()
    assert stored(memory, agent, one).pinned
    memory.close()
    for path in memory.settings.home.glob("memex.db*"):
        path.unlink()
    memory.rebuild_from_files()

    assert stored(memory, agent, one).pinned


def test_only_a_person_pins_what_a_person_wrote(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    theirs = memory.write(PORT, person).id
    agents = memory.write(OTHER, agent).id

    with pytest.raises(Denied, match="person"):
        memory.pin(theirs, agent)
    memory.pin(theirs, person)
    with pytest.raises(Denied, match="person"):
        memory.pin(theirs, agent, pinned=False)

    assert stored(memory, agent, theirs).pinned
    assert memory.pin(agents, person).pinned
    assert actions(memory) == ["create", "create", "deny", "pin", "deny", "pin"]


def test_only_what_is_current_is_pinned_and_anything_is_unpinned(
    memory: Memory, agent: Caller
) -> None:
    gone, waiting = memory.write(PORT, agent).id, memory.write(OTHER, agent).id
    memory.pin(gone, agent)
    memory.set_status(gone, Status.RETRACTED, agent, reason="wrong")
    memory.set_status(waiting, Status.DISPUTED, agent, reason="not sure")

    assert memory.pin(waiting, agent).pinned
    assert not memory.pin(gone, agent, pinned=False).pinned
    with pytest.raises(Invalid, match="retracted"):
        memory.pin(gone, agent)


def test_nobody_pins_in_a_scope_that_is_not_theirs(
    memory: Memory, agent: Caller, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    place = Evidence(surface=Surface.TOOL, client="agent-a", workspace=tmp_path / "elsewhere")
    stranger = memory.caller(place)
    one = memory.write(PORT, agent).id
    with closing(Memory(replace(memory.settings, global_writers=("agent-b",)))) as listed:
        other = listed.caller(replace(place, client="agent-b"))
        everybodys = listed.write(Draft(text=OTHER.text, scope=Scope.GLOBAL), other).id

    with pytest.raises(NotFound):
        memory.pin(one, stranger)
    with pytest.raises(Denied):
        memory.pin(everybodys, agent)
    memory.switches.set_mode(Mode.READ_ONLY, agent)
    with pytest.raises(Denied, match="read-only"):
        memory.pin(one, agent)
    memory.switches.set_mode(Mode.AUTO, agent)

    assert memory.pin(one, agent).pinned
