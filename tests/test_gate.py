"""What a write makes of a statement, through the one door, on a real store."""

from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import Conflict, Denied, Invalid
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Outcome, Scope, Status, Surface, Trust
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from tests.card import card
from tests.using import NEW_PORT, OTHER, PORT, found, stored


@card("write.durable")
def test_a_write_is_found_at_once_by_another_process(
    memory: Memory, agent: Caller, root: Path
) -> None:
    written = memory.write(PORT, agent)

    other = Memory(memory.settings)
    answer = other.search(Query(text="staging database port"), replace(agent, client="agent-b"))
    other.close()

    assert written.outcome is Outcome.CREATED
    assert [hit.id for hit in answer.hits] == [written.id]


@card("write.stamps")
def test_stamps_come_from_the_caller(memory: Memory, agent: Caller, person: Caller) -> None:
    mine = stored(memory, agent, memory.write(PORT, agent).id)
    theirs = stored(memory, person, memory.write(OTHER, person).id)

    assert (mine.author, mine.trust, mine.client) == (Author.AGENT, Trust.UNTRUSTED, "agent-a")
    assert (theirs.author, theirs.trust) == (Author.HUMAN, Trust.VERIFIED)
    assert agent.workspace is not None
    assert mine.workspace_id == agent.workspace.id


@card("write.reinforce")
def test_the_same_statement_again_is_counted_and_earns_no_trust(
    memory: Memory, agent: Caller
) -> None:
    first = memory.write(PORT, agent)
    again = [
        memory.write(replace(PORT, text=text), agent)
        for text in (
            "the STAGING database listens on port 5433.",
            "The  staging database\nlistens on port 5433.",
            "The staging data\u200bbase listens on port ５４３３.",
        )
    ]
    other = memory.write(OTHER, agent)

    assert {one.id for one in again} == {first.id}
    assert {one.outcome for one in again} == {Outcome.REINFORCED}
    record = stored(memory, agent, first.id)
    assert (record.observations, record.trust, record.version) == (4, Trust.UNTRUSTED, 1)
    assert other.id != first.id


@card("write.chinese_values")
def test_two_chinese_facts_are_two_records(memory: Memory, agent: Caller) -> None:
    one = memory.write(Draft(text="部署前必须先跑冒烟测试"), agent)
    two = memory.write(Draft(text="数据库备份保留三十天"), agent)

    assert one.id != two.id
    assert found(memory, agent, "备份") == [two.id]
    assert found(memory, agent, "冒烟") == [one.id]


@card("write.revise")
def test_a_revision_keeps_the_id_and_drops_what_described_the_old_text(
    memory: Memory, agent: Caller
) -> None:
    draft = replace(PORT, aliases=("blue heron",), tags=("ops",), source="ops.md:1")
    old = memory.write(draft, agent)
    new = memory.write(replace(NEW_PORT, id=old.id), agent)

    opened = memory.open(old.id, agent)
    assert (new.id, new.outcome, new.version) == (old.id, Outcome.REVISED, 2)
    assert opened.record.card.aliases == ()
    assert opened.record.card.tags == ("ops",)
    assert opened.record.source == "ops.md:1"
    assert [revision.version for revision in opened.revisions] == [1, 2]
    assert found(memory, agent, "blue heron") == []
    assert found(memory, agent, "6543") == [old.id]


def test_a_revision_without_a_change_changes_nothing(memory: Memory, agent: Caller) -> None:
    old = memory.write(replace(PORT, title="Staging port"), agent)

    again = memory.write(replace(PORT, id=old.id), agent)

    assert (again.outcome, again.version) == (Outcome.UNCHANGED, 1)


@card("write.dedupe")
def test_a_dedupe_key_names_one_record_per_scope_owner(memory: Memory, agent: Caller) -> None:
    first = memory.write(replace(PORT, dedupe_key="port"), agent)
    second = memory.write(replace(NEW_PORT, dedupe_key="port"), agent)
    private = memory.write(replace(NEW_PORT, dedupe_key="port", scope=Scope.SESSION), agent)
    sibling = replace(agent, session_id="s-b")
    theirs = memory.write(replace(NEW_PORT, dedupe_key="port", scope=Scope.SESSION), sibling)

    assert (second.id, second.outcome) == (first.id, Outcome.REVISED)
    assert len({first.id, private.id, theirs.id}) == 3
    with pytest.raises(Invalid, match="dedupe_key"):
        memory.write(replace(OTHER, id=first.id, dedupe_key="other"), agent)


@card("write.supersede")
def test_a_superseded_record_leaves_recall_and_names_its_successor(
    memory: Memory, agent: Caller
) -> None:
    old = memory.write(PORT, agent)
    new = memory.write(replace(NEW_PORT, supersedes=old.id), agent)

    gone = stored(memory, agent, old.id)
    assert (gone.status, gone.superseded_by) == (Status.SUPERSEDED, new.id)
    assert found(memory, agent, "staging database port") == [new.id]
    with_old = memory.search(Query(text="staging database", include=("superseded",)), agent)
    assert {hit.id: hit.replaced_by for hit in with_old.hits} == {old.id: new.id, new.id: None}
    assert gone.times.valid_to == stored(memory, agent, new.id).times.valid_from


@card("write.conflict")
def test_of_two_successors_the_second_learns_that_it_lost(memory: Memory, agent: Caller) -> None:
    old = memory.write(PORT, agent)
    new = memory.write(replace(NEW_PORT, supersedes=old.id), agent)

    with pytest.raises(Conflict) as caught:
        memory.write(replace(OTHER, supersedes=old.id), agent)

    assert caught.value.hint == f"Supersede {new.id}."
    assert found(memory, agent, "release branch") == []
    assert memory.write(replace(OTHER, supersedes=new.id), agent).outcome is Outcome.CREATED


def test_a_superseded_value_is_not_revived_by_repetition(memory: Memory, agent: Caller) -> None:
    old = memory.write(PORT, agent)
    new = memory.write(replace(NEW_PORT, supersedes=old.id), agent)

    again = memory.write(PORT, agent)
    back = memory.write(replace(PORT, supersedes=new.id), agent)

    assert (again.id, again.outcome, again.status) == (
        old.id,
        Outcome.UNCHANGED,
        Status.SUPERSEDED,
    )
    assert new.id in again.hint
    assert back.outcome is Outcome.CREATED
    assert found(memory, agent, "staging database port") == [back.id]


def test_a_superseding_write_may_name_what_is_already_on_record(
    memory: Memory, agent: Caller
) -> None:
    old, new = memory.write(PORT, agent), memory.write(NEW_PORT, agent)

    again = memory.write(replace(NEW_PORT, supersedes=old.id), agent)

    assert (again.id, again.outcome) == (new.id, Outcome.REINFORCED)
    assert stored(memory, agent, old.id).superseded_by == new.id


@card("trust.precedence")
def test_an_agent_only_proposes_against_what_a_person_wrote(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    theirs = memory.write(PORT, person)

    by_id = memory.write(replace(NEW_PORT, id=theirs.id), agent)
    again = memory.write(replace(NEW_PORT, id=theirs.id), agent)
    replacing = memory.write(replace(OTHER, supersedes=theirs.id), agent)
    with pytest.raises(Denied):
        memory.set_status(theirs.id, Status.RETRACTED, agent, reason="I know better")

    assert (by_id.outcome, by_id.status) == (Outcome.CANDIDATE, Status.CANDIDATE)
    assert (again.id, again.outcome) == (by_id.id, Outcome.REINFORCED)
    assert (replacing.outcome, replacing.status) == (Outcome.CANDIDATE, Status.CANDIDATE)
    assert stored(memory, agent, theirs.id).body == PORT.text
    assert found(memory, agent, "staging database port") == [theirs.id]
    assert found(memory, agent, "release branch") == []
    memory.set_status(by_id.id, Status.ACTIVE, person, reason="right")
    assert found(memory, agent, "staging database port") == [by_id.id]
    assert stored(memory, agent, by_id.id).trust is Trust.VERIFIED
    assert stored(memory, agent, theirs.id).superseded_by == by_id.id


def test_a_person_who_says_the_same_stands_behind_it(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    first = memory.write(PORT, agent)

    second = memory.write(PORT, person)

    assert (second.id, second.trust, second.version) == (first.id, Trust.VERIFIED, 2)


@card("write.contradicts")
def test_a_contradiction_is_told_and_linked_both_records_stay(
    memory: Memory, agent: Caller
) -> None:
    old = memory.write(PORT, agent)
    memory.write(OTHER, agent)

    new = memory.write(NEW_PORT, agent)

    assert [other.id for other in new.conflicts] == [old.id]
    assert [link.relation for link in memory.open(old.id, agent).links] == ["contradicts"]
    assert set(found(memory, agent, "staging database port")) == {old.id, new.id}


@card("secrets.masked")
def test_a_secret_reaches_no_file_of_the_store(memory: Memory, agent: Caller, root: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    drafts = [
        Draft(text=f"CI deploys with {key} every night."),
        replace(OTHER, title=f"key {key}"),
        replace(PORT, tags=(f"tag-{key}",), aliases=(key,), questions=(f"is it {key}?",)),
        Draft(text="Ask the platform team.", source=f"https://x/{key}", dedupe_key=f"k {key}"),
    ]

    written = [memory.write(draft, agent) for draft in drafts]
    memory.set_status(written[0].id, Status.RETRACTED, agent, reason=f"it named {key}")
    memory.close()

    assert all(one.masked for one in written)
    files = [path for path in root.rglob("*") if path.is_file()]
    assert not [path.name for path in files if key.encode() in path.read_bytes()]
    assert [path.name for path in files if b"platform team" in path.read_bytes()]


@card("write.derived")
def test_what_rules_or_models_derive_waits_for_a_person(memory: Memory, agent: Caller) -> None:
    worker = replace(agent, surface=Surface.WORKER, writes_as=Author.LLM)

    derived = memory.write(PORT, worker)

    assert derived.outcome is Outcome.CANDIDATE
    assert found(memory, agent, "staging database port") == []
    shown = memory.search(Query(text="staging database port", include=("candidate",)), agent)
    assert [hit.id for hit in shown.hits] == [derived.id]
