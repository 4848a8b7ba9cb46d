"""Who may write and see what, and where."""

from dataclasses import replace

import pytest

from memex_mcp.errors import Denied, Invalid, NotFound
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Kind, Outcome, Scope, Status, Surface
from tests.card import card
from tests.using import NEW_PORT, OTHER, PORT, actions, found, rows, stored


@card("scope.write")
@pytest.mark.parametrize("scope", [Scope.SESSION, Scope.WORKSPACE])
def test_a_caller_without_the_place_cannot_write_there(
    memory: Memory, agent: Caller, scope: Scope
) -> None:
    draft = replace(PORT, scope=scope)
    nowhere = replace(agent, workspace=None)

    with pytest.raises(Denied):
        memory.write(draft, nowhere)
    assert memory.write(draft, agent).scope is scope


@card("scope.global")
def test_only_listed_clients_and_people_write_global_records(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    everywhere = replace(PORT, scope=Scope.GLOBAL)

    with pytest.raises(Denied, match="agent-a"):
        memory.write(everywhere, agent)
    listed = memory.write(everywhere, replace(agent, global_writer=True))
    theirs = memory.write(replace(OTHER, scope=Scope.GLOBAL), person)

    nowhere = replace(agent, workspace=None, session_id=None)
    assert found(memory, nowhere, "staging database port") == [listed.id]
    assert found(memory, nowhere, "release branch") == [theirs.id]
    assert stored(memory, nowhere, listed.id).workspace_id == ""


@card("scope.readonly")
def test_a_read_only_caller_changes_nothing(memory: Memory, agent: Caller) -> None:
    written = memory.write(PORT, agent)
    reader = replace(agent, readonly=True)

    with pytest.raises(Denied):
        memory.write(OTHER, reader)
    with pytest.raises(Denied):
        memory.set_status(written.id, Status.ARCHIVED, reader, reason="tidy")
    memory.open(written.id, reader)

    assert found(memory, reader, "staging database port") == [written.id]
    assert memory.open(written.id, reader).record.opened_count == 0


@card("scope.not_found")
def test_a_record_of_another_scope_is_not_there_at_all(memory: Memory, agent: Caller) -> None:
    private = memory.write(replace(PORT, scope=Scope.SESSION), agent)
    sibling = replace(agent, session_id="s-b")

    for attempt in (
        lambda: memory.open(private.id, sibling),
        lambda: memory.write(replace(NEW_PORT, id=private.id), sibling),
        lambda: memory.write(replace(NEW_PORT, supersedes=private.id), sibling),
        lambda: memory.set_status(private.id, Status.RETRACTED, sibling, reason="x"),
    ):
        with pytest.raises(NotFound):
            attempt()

    assert found(memory, sibling, "staging database port") == []
    assert found(memory, agent, "staging database port") == [private.id]


@card("scope.fixed")
def test_scope_is_fixed_with_the_first_write(memory: Memory, agent: Caller) -> None:
    shared = memory.write(PORT, agent)

    with pytest.raises(Invalid, match="scope"):
        memory.write(replace(NEW_PORT, id=shared.id, scope=Scope.SESSION), agent)
    with pytest.raises(Invalid, match="own scope"):
        memory.write(replace(NEW_PORT, supersedes=shared.id, scope=Scope.SESSION), agent)
    assert memory.write(replace(NEW_PORT, id=shared.id), agent).outcome is Outcome.REVISED


@card("write.archives")
@pytest.mark.parametrize("kind", [Kind.SPAN, Kind.CHECKPOINT, Kind.DIGEST])
def test_only_capture_writes_archives(memory: Memory, agent: Caller, kind: Kind) -> None:
    span = replace(PORT, kind=kind)
    hook = replace(agent, surface=Surface.HOOK, writes_as=Author.DERIVED)

    with pytest.raises(Denied):
        memory.write(span, agent)
    written = memory.write(span, hook)

    assert written.status is Status.ACTIVE
    with pytest.raises(Invalid, match=f"the record is a {kind}"):
        memory.write(replace(NEW_PORT, id=written.id), agent)


def test_a_client_that_is_not_listed_changes_no_global_record(
    memory: Memory, agent: Caller
) -> None:
    listed = replace(agent, global_writer=True)
    shared = memory.write(replace(PORT, scope=Scope.GLOBAL), listed)

    with pytest.raises(Denied, match="global"):
        memory.write(replace(NEW_PORT, id=shared.id), agent)
    with pytest.raises(Denied, match="global"):
        memory.set_status(shared.id, Status.ARCHIVED, agent, reason="tidy")
    assert stored(memory, agent, shared.id).status is Status.ACTIVE
    assert memory.write(replace(NEW_PORT, id=shared.id), listed).outcome is Outcome.REVISED
    moved = memory.set_status(shared.id, Status.ARCHIVED, listed, reason="tidy")
    assert moved.to_status is Status.ARCHIVED


def test_what_was_denied_is_on_record_and_changed_nothing(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    theirs = memory.write(PORT, person)

    with pytest.raises(Denied):
        memory.set_status(theirs.id, Status.RETRACTED, agent, reason="I know better")

    assert actions(memory) == ["create", "deny"]
    with rows(memory) as db:
        [row] = db.execute("SELECT record_id, client, human FROM audit WHERE action = 'deny'")
        assert tuple(row) == (theirs.id, "agent-a", 0)
    assert stored(memory, agent, theirs.id).status is Status.ACTIVE
