"""Links that somebody states, through the one door."""

from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import Conflict, Denied, Invalid, MemexError, NotFound
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import STATED, Relation, Scope, Status
from memex_mcp.model.record import Draft, Link
from memex_mcp.settings import Settings
from tests.card import card
from tests.using import NEW_PORT, OTHER, PORT, audited, file_of, links, stored


@pytest.fixture
def ends(memory: Memory, agent: Caller) -> tuple[str, str]:
    return memory.write(PORT, agent).id, memory.write(OTHER, agent).id


def between(ends: tuple[str, str], **over: object) -> Link:
    link = Link(from_id=ends[0], to_id=ends[1], relation="refines", weight=0.7)
    return replace(link, **over)  # type: ignore[arg-type]  # fields by name


@card("links.stated")
def test_a_link_is_on_record_in_the_trail_and_in_the_file(
    memory: Memory, agent: Caller, ends: tuple[str, str]
) -> None:
    before = [stored(memory, agent, each) for each in ends]
    told: list[tuple[str, str, bool]] = []
    memory.on_change(lambda change: told.append((change.record_id, change.action, change.created)))

    link = memory.link(between(ends, relation="depends-on"), agent)

    for record_id in ends:
        assert memory.open(record_id, agent).links == (link,)
    assert audited(memory)[-1] == ("link:depends-on", f"to {ends[1]}")
    assert f'"to": "{ends[1]}"' in file_of(memory, ends[0]).read_text(encoding="utf-8")
    assert told == [(ends[0], "link", False), (ends[1], "link", False)]
    after = [stored(memory, agent, each) for each in ends]
    assert [(each.version, each.times) for each in after] == [
        (each.version, each.times) for each in before
    ]


def test_the_same_link_again_takes_the_new_weight(
    memory: Memory, agent: Caller, ends: tuple[str, str]
) -> None:
    memory.link(between(ends), agent)
    memory.link(between(ends, weight=0.2), agent)

    assert [link.weight for link in memory.open(ends[0], agent).links] == [0.2]


@pytest.mark.parametrize("relation", [*STATED, *sorted({*Relation} - {*STATED}), "likes"])
def test_only_what_is_no_change_of_a_record_can_be_stated(
    memory: Memory, agent: Caller, ends: tuple[str, str], relation: str
) -> None:
    if relation in STATED:
        memory.link(between(ends, relation=relation), agent)
        assert links(memory, agent, ends[0]) == {(ends[0], relation, ends[1])}
        return
    with pytest.raises(Invalid, match="nobody states"):
        memory.link(between(ends, relation=relation), agent)
    assert links(memory, agent, ends[0]) == set()


@pytest.mark.parametrize("weight", [0.0, -1.0, 1.1, float("nan")])
def test_a_weight_lies_above_nothing_and_is_at_most_one(
    memory: Memory, agent: Caller, ends: tuple[str, str], weight: float
) -> None:
    with pytest.raises(Invalid, match="weight is"):
        memory.link(between(ends, weight=weight), agent)
    memory.link(between(ends, weight=1.0), agent)
    assert len(links(memory, agent, ends[0])) == 1


def test_what_cannot_be_linked_is_told_why(
    memory: Memory, agent: Caller, ends: tuple[str, str]
) -> None:
    mine = memory.write(replace(NEW_PORT, scope=Scope.SESSION), agent).id
    gone = memory.write(Draft(text="Herons are green."), agent).id
    memory.set_status(gone, Status.RETRACTED, agent, reason="wrong")
    tries: list[tuple[Link, type[MemexError]]] = [
        (between(ends, to_id=ends[0]), Invalid),
        (between(ends, to_id=mine), Invalid),
        (between(ends, from_id=mine), Invalid),
        (between(ends, to_id=gone), Conflict),
        (between(ends, from_id=gone), Conflict),
        (between(ends, to_id="0" * 26), NotFound),
        (between(ends, from_id="0" * 26), NotFound),
    ]

    for link, expected in tries:
        with pytest.raises(expected):
            memory.link(link, agent)
    memory.link(between(ends), agent)
    assert links(memory, agent, ends[0]) == {(ends[0], "refines", ends[1])}


def test_a_read_only_caller_links_nothing(
    memory: Memory, agent: Caller, ends: tuple[str, str]
) -> None:
    with pytest.raises(Denied):
        memory.link(between(ends), replace(agent, readonly=True))
    assert links(memory, agent, ends[0]) == set()
    memory.link(between(ends), agent)
    assert links(memory, agent, ends[0]) != set()


def test_only_listed_clients_link_global_records(root: Path, project: Path, agent: Caller) -> None:
    memory = Memory(Settings(home=root, global_writers=("agent-a",)))
    listed = replace(agent, global_writer=True)
    drafts = [replace(each, scope=Scope.GLOBAL) for each in (PORT, OTHER)]
    one, two = (memory.write(each, listed).id for each in drafts)

    with pytest.raises(Denied):
        memory.link(between((one, two)), agent)
    denied = audited(memory)[-1]
    memory.link(between((one, two)), listed)

    assert denied[0] == "deny"
    assert links(memory, listed, one) == {(one, "refines", two)}
    memory.close()
