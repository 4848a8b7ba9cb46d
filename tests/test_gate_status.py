"""Statuses and the two clocks: what holds, since when, and until when."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memex_mcp.errors import Conflict, Invalid
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Status
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from memex_mcp.model.times import now
from tests.card import card
from tests.using import NEW_PORT, OTHER, PORT, found, stored


@card("time.expiry")
def test_an_expired_record_leaves_recall_at_that_moment(memory: Memory, agent: Caller) -> None:
    past = datetime(2020, 1, 1, tzinfo=UTC)
    gone = memory.write(replace(PORT, expires_at=past), agent)
    here = memory.write(replace(NEW_PORT, expires_at=datetime(2999, 1, 1, tzinfo=UTC)), agent)

    assert found(memory, agent, "staging database port") == [here.id]
    shown = memory.search(Query(text="staging database port", include=("expired",)), agent)
    assert {hit.id: hit.expired for hit in shown.hits} == {gone.id: True, here.id: False}
    assert memory.open(gone.id, agent).expired


@card("time.as_of")
def test_two_clocks_answer_two_questions(memory: Memory, agent: Caller) -> None:
    summer = datetime(2025, 7, 1, tzinfo=UTC)
    old = memory.write(replace(PORT, valid_from=datetime(2025, 1, 1, tzinfo=UTC)), agent)
    before = stored(memory, agent, old.id).times.recorded_at
    while now() == before:
        pass  # The clock counts milliseconds; the next write has to fall into another one.
    new = memory.write(
        replace(NEW_PORT, supersedes=old.id, valid_from=datetime(2026, 1, 1, tzinfo=UTC)), agent
    )
    question = Query(text="staging database port")

    def ids(query: Query) -> list[str]:
        return [hit.id for hit in memory.search(query, agent).hits]

    assert ids(question) == [new.id]
    assert ids(replace(question, as_of=summer)) == [old.id]
    assert ids(replace(question, as_of=datetime(2026, 6, 1, tzinfo=UTC))) == [new.id]
    assert ids(replace(question, as_of=datetime(2024, 6, 1, tzinfo=UTC))) == []
    assert ids(replace(question, believed_at=before)) == [old.id]
    assert ids(replace(question, believed_at=summer)) == []


def test_a_status_change_needs_a_reason_and_a_sound_successor(
    memory: Memory, agent: Caller
) -> None:
    one, two = memory.write(PORT, agent), memory.write(OTHER, agent)

    with pytest.raises(Invalid, match="reason"):
        memory.set_status(one.id, Status.ARCHIVED, agent, reason=" ")
    with pytest.raises(Invalid, match="superseded_by"):
        memory.set_status(one.id, Status.SUPERSEDED, agent, reason="moved")
    with pytest.raises(Invalid, match="another record"):
        memory.set_status(one.id, Status.SUPERSEDED, agent, reason="moved", superseded_by=one.id)
    memory.set_status(two.id, Status.ARCHIVED, agent, reason="tidy")
    with pytest.raises(Conflict):
        memory.set_status(one.id, Status.SUPERSEDED, agent, reason="moved", superseded_by=two.id)
    three = memory.write(NEW_PORT, agent)
    moved = memory.set_status(
        one.id, Status.SUPERSEDED, agent, reason="moved", superseded_by=three.id
    )

    assert (moved.from_status, moved.to_status) == (Status.ACTIVE, Status.SUPERSEDED)
    assert stored(memory, agent, one.id).superseded_by == three.id


@card("status.hidden")
@pytest.mark.parametrize("status", [Status.RETRACTED, Status.ARCHIVED])
def test_a_record_put_aside_is_in_no_ordinary_answer(
    memory: Memory, agent: Caller, status: Status
) -> None:
    aside, here = memory.write(PORT, agent), memory.write(NEW_PORT, agent)
    memory.set_status(aside.id, status, agent, reason="wrong")

    assert found(memory, agent, "staging database port") == [here.id]
    assert [record.id for record in memory.listing(agent).records] == [here.id]
    assert aside.id not in memory.catalog(agent)
    assert here.id in memory.catalog(agent)
    everything = memory.listing(agent, every=True).records
    assert [record.id for record in everything] == [here.id, aside.id]
    assert stored(memory, agent, aside.id).status is status


def test_a_disputed_record_stays_in_sight_with_its_label(memory: Memory, agent: Caller) -> None:
    doubted = memory.write(PORT, agent)
    memory.set_status(doubted.id, Status.DISPUTED, agent, reason="saw another port")

    [hit] = memory.search(Query(text="staging database port"), agent).hits

    assert (hit.id, hit.status) == (doubted.id, Status.DISPUTED)


def test_a_record_made_current_again_holds_as_it_did_before(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    old = memory.write(PORT, agent)
    memory.write(replace(NEW_PORT, supersedes=old.id), agent)
    assert stored(memory, agent, old.id).times.valid_to is not None

    memory.set_status(old.id, Status.ACTIVE, person, reason="it was true")

    assert stored(memory, agent, old.id).times.valid_to is None


def test_superseding_ends_a_record_and_never_lengthens_it(memory: Memory, agent: Caller) -> None:
    ended = datetime(2020, 1, 1, tzinfo=UTC)
    over = memory.write(replace(PORT, valid_to=ended), agent)
    still = memory.write(OTHER, agent)

    memory.write(replace(NEW_PORT, supersedes=over.id), agent)
    memory.write(Draft(text="The release branch is cut on Fridays.", supersedes=still.id), agent)

    assert stored(memory, agent, over.id).times.valid_to == ended
    assert stored(memory, agent, still.id).times.valid_to is not None
