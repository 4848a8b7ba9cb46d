"""Proposals: what an agent says against a person, and what becomes of it."""

from dataclasses import replace

import pytest

from memex_mcp.errors import Conflict, Denied, NotFound
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Outcome, Relation, Scope, Status, Surface, Trust
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from tests.using import NEW_PORT, OTHER, PORT, links, stored

SESSION = Scope.SESSION


def test_what_a_person_states_is_no_proposal_any_more(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    worker = replace(agent, surface=Surface.WORKER, writes_as=Author.LLM)
    derived = memory.write(PORT, worker)
    assert memory.search(Query(text="staging database"), agent).hits == ()

    stated = memory.write(PORT, person)

    assert (stated.id, stated.status, stated.trust) == (
        derived.id,
        Status.ACTIVE,
        Trust.VERIFIED,
    )


def test_a_proposal_that_is_repeated_replaces_nothing(memory: Memory, agent: Caller) -> None:
    worker = replace(agent, surface=Surface.WORKER, writes_as=Author.LLM)
    mine = memory.write(OTHER, agent)
    memory.write(PORT, worker)

    with pytest.raises(Conflict, match="candidate"):
        memory.write(replace(PORT, supersedes=mine.id), agent)

    assert stored(memory, agent, mine.id).status is Status.ACTIVE


def test_an_accepted_proposal_replaces_what_it_stood_against(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    theirs = memory.write(PORT, person)
    proposal = memory.write(replace(NEW_PORT, id=theirs.id), agent)

    memory.set_status(proposal.id, Status.ACTIVE, person, reason="right")

    assert stored(memory, agent, theirs.id).superseded_by == proposal.id
    assert stored(memory, agent, proposal.id).status is Status.ACTIVE


def test_a_value_that_a_person_states_is_not_withdrawn_with_an_agents_record(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    mine, other = memory.write(PORT, agent), memory.write(OTHER, agent)
    memory.set_status(mine.id, Status.ARCHIVED, agent, reason="tidy")
    theirs = memory.write(PORT, person)
    assert theirs.id != mine.id

    with pytest.raises(Denied, match=theirs.id):
        memory.set_status(mine.id, Status.RETRACTED, agent, reason="never true")

    assert memory.tombstones(agent) == []
    memory.set_status(other.id, Status.RETRACTED, agent, reason="never true")
    assert len(memory.tombstones(agent)) == 1


def test_proposals_and_successors_are_linked_to_what_they_stand_against(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    theirs = memory.write(PORT, person)
    by_id = memory.write(replace(NEW_PORT, id=theirs.id), agent)
    replacing = memory.write(replace(OTHER, supersedes=theirs.id), agent)
    mine = memory.write(Draft(text="Lunch is at noon."), agent)
    later = memory.write(Draft(text="Lunch is at one.", supersedes=mine.id), agent)

    assert links(memory, agent, theirs.id) == {
        (by_id.id, Relation.PROPOSES, theirs.id),
        (replacing.id, Relation.PROPOSES, theirs.id),
    }
    assert (later.id, Relation.SUPERSEDES, mine.id) in links(memory, agent, mine.id)


def test_a_proposal_stays_in_the_scope_of_what_it_stands_against(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    there = replace(person, session_id=agent.session_id)
    private = memory.write(replace(PORT, scope=SESSION, dedupe_key="port"), there)

    proposal = memory.write(replace(NEW_PORT, id=private.id), agent)
    by_key = memory.write(replace(OTHER, scope=SESSION, dedupe_key="port"), agent)

    assert (proposal.outcome, proposal.scope) == (Outcome.CANDIDATE, Scope.SESSION)
    assert (by_key.outcome, by_key.scope) == (Outcome.CANDIDATE, Scope.SESSION)
    with pytest.raises(NotFound):
        memory.open(proposal.id, replace(agent, session_id="s-b"))


def test_repeating_a_value_replaces_nothing_that_a_person_wrote(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    theirs, mine = memory.write(PORT, person), memory.write(NEW_PORT, agent)

    with pytest.raises(Conflict):
        memory.write(replace(NEW_PORT, supersedes=theirs.id), agent)

    assert stored(memory, agent, theirs.id).status is Status.ACTIVE
    memory.write(replace(NEW_PORT, supersedes=theirs.id), person)
    assert stored(memory, agent, theirs.id).superseded_by == mine.id
