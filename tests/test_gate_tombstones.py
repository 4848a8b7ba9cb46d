"""What was withdrawn does not come back, until a person lets it."""

from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import Denied, NotFound, Refused
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Outcome, Scope, Status, Surface
from memex_mcp.model.record import Draft
from tests.card import card
from tests.using import OTHER, PORT, actions, found


@card("tombstone.refuses")
def test_a_retracted_value_is_refused_however_it_is_spelled(memory: Memory, agent: Caller) -> None:
    wrong = memory.write(PORT, agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="never true")

    for text in (
        PORT.text,
        PORT.text.upper(),
        "The staging database listens on port ５４３３.",
        "Thе staging dаtabase listens on port 5433.",  # Cyrillic look-alikes
        "The stag\u00ading  data\u200bbase listens\ton port 5433.",
    ):
        with pytest.raises(Refused) as caught:
            memory.write(replace(PORT, text=text), agent)
        assert "tombstones lift" in caught.value.hint

    paraphrase = memory.write(Draft(text="Staging's database is reached at port 5433."), agent)
    assert found(memory, agent, "staging database port") == [paraphrase.id]
    [grave] = memory.tombstones(agent)
    assert grave.refused == 5


@card("tombstone.every_field")
def test_a_withdrawn_statement_does_not_come_back_in_another_field(
    memory: Memory, agent: Caller
) -> None:
    wrong = memory.write(Draft(text="Blue heron is the launch code word"), agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="a joke")
    said = "blue heron is the launch code word"

    for field in (
        {"title": said},
        {"summary": said},
        {"use_when": said},
        {"tags": (said,)},
        {"aliases": (said,)},
        {"questions": (said,)},
        {"text": f"# {said}\n\nSo it was decided."},
    ):
        with pytest.raises(Refused):
            memory.write(replace(OTHER, **field), agent)

    assert memory.write(replace(OTHER, title="Blue heron"), agent).outcome is Outcome.CREATED


@card("tombstone.session")
def test_a_workspace_tombstone_binds_its_sessions_and_nobody_else(
    memory: Memory, agent: Caller, tmp_path: Path
) -> None:
    wrong = memory.write(PORT, agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="never true")
    (tmp_path / "elsewhere").mkdir()
    elsewhere = tmp_path / "elsewhere"
    stranger = memory.caller(
        Evidence(surface=Surface.TOOL, client="agent-a", workspace=elsewhere, session_id="s-a")
    )

    with pytest.raises(Refused):
        memory.write(replace(PORT, scope=Scope.SESSION), agent)
    assert memory.write(PORT, stranger).outcome is Outcome.CREATED


def test_a_person_lifts_a_tombstone_and_an_agent_cannot(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    wrong = memory.write(PORT, agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="never true")
    [grave] = memory.tombstones(agent)

    with pytest.raises(Denied):
        memory.lift(grave.value_key, agent)
    with pytest.raises(NotFound):
        memory.lift(grave.value_key[:4], person)
    with pytest.raises(Refused):
        memory.write(PORT, agent)
    memory.lift(grave.value_key[:12], person)

    assert memory.write(PORT, agent).outcome is Outcome.CREATED
    with pytest.raises(NotFound):
        memory.lift(grave.value_key, person)


SESSION = Scope.SESSION


def test_a_refusal_binds_in_the_scope_of_the_record_that_is_revised(
    memory: Memory, agent: Caller
) -> None:
    wrong = memory.write(replace(PORT, scope=SESSION), agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="never true")
    private = memory.write(replace(OTHER, scope=SESSION), agent)

    with pytest.raises(Refused):
        memory.write(replace(PORT, id=private.id), agent)
    # The session's refusal says nothing about the workspace.
    assert memory.write(PORT, agent).outcome is Outcome.CREATED


def test_what_was_withdrawn_here_does_not_come_back_for_everywhere(
    memory: Memory, agent: Caller
) -> None:
    listed = replace(agent, global_writer=True)
    wrong = memory.write(PORT, agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="never true")

    with pytest.raises(Refused):
        memory.write(replace(PORT, scope=Scope.GLOBAL), listed)
    assert memory.write(replace(OTHER, scope=Scope.GLOBAL), listed).scope is Scope.GLOBAL
    # Whoever works elsewhere has withdrawn nothing.
    nowhere = replace(listed, workspace=None, session_id=None)
    assert memory.write(replace(PORT, scope=Scope.GLOBAL), nowhere).scope is Scope.GLOBAL


def test_a_person_who_takes_a_record_back_lets_its_value_in_again(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    wrong = memory.write(PORT, agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="never true")
    with pytest.raises(Refused):
        memory.write(PORT, agent)

    memory.set_status(wrong.id, Status.ACTIVE, person, reason="it was true")

    assert actions(memory)[-2:] == ["status:active", "lift"]
    assert memory.write(PORT, agent).outcome is Outcome.REINFORCED


def test_a_tombstone_is_lifted_from_within_its_scope_only(
    memory: Memory, agent: Caller, person: Caller, tmp_path: Path
) -> None:
    wrong = memory.write(PORT, agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="never true")
    [grave] = memory.tombstones(agent)
    (tmp_path / "elsewhere").mkdir()
    stranger = memory.caller(
        Evidence(surface=Surface.CLI, client="cli", workspace=tmp_path / "elsewhere", human=True)
    )

    with pytest.raises(NotFound):
        memory.lift(grave.value_key, stranger)
    with pytest.raises(Denied):
        memory.lift(grave.value_key, replace(person, readonly=True))
    assert memory.lift(grave.value_key, person).record_id == wrong.id
