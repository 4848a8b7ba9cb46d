"""The write path through its one door, on a real store."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memex_mcp.errors import Conflict, Denied, Invalid, NotFound, Refused
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Kind, Outcome, Scope, Status, Surface, Trust
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft, Record
from memex_mcp.model.times import now
from tests.card import card

PORT = Draft(text="The staging database listens on port 5433.")
NEW_PORT = Draft(text="The staging database listens on port 6543.")
OTHER = Draft(text="The release branch is cut on Thursdays.")


def stored(memory: Memory, caller: Caller, record_id: str) -> Record:
    return memory.open(record_id, caller).record


def found(memory: Memory, caller: Caller, text: str) -> list[str]:
    return [hit.id for hit in memory.search(Query(text=text), caller).hits]


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


@card("write.derived")
def test_what_rules_or_models_derive_waits_for_a_person(memory: Memory, agent: Caller) -> None:
    worker = replace(agent, surface=Surface.WORKER, writes_as=Author.LLM)

    derived = memory.write(PORT, worker)

    assert derived.outcome is Outcome.CANDIDATE
    assert found(memory, agent, "staging database port") == []
    shown = memory.search(Query(text="staging database port", include=("candidate",)), agent)
    assert [hit.id for hit in shown.hits] == [derived.id]


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
