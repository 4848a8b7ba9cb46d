"""Steps of the write path that only show in what they leave behind."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memex_mcp.errors import Conflict, Denied, Disabled, Invalid, NotFound, Refused
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Outcome, Relation, Scope, State, Status, Surface, Trust
from memex_mcp.model.query import Change, Query
from memex_mcp.model.record import Draft, Record
from memex_mcp.settings import Settings, load
from memex_mcp.store import index

PORT = Draft(text="The staging database listens on port 5433.")
NEW_PORT = Draft(text="The staging database listens on port 6543.")
OTHER = Draft(text="The release branch is cut on Thursdays.")
SESSION = Scope.SESSION


@contextmanager
def rows(memory: Memory) -> Generator[sqlite3.Connection]:
    """The database as it lies there, beside whoever has it open."""
    with closing(sqlite3.connect(memory.settings.home / "memex.db", isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        yield db


def actions(memory: Memory) -> list[str]:
    with rows(memory) as db:
        return [row[0] for row in db.execute("SELECT action FROM audit ORDER BY seq")]


def links(memory: Memory, caller: Caller, record_id: str) -> set[tuple[str, str, str]]:
    found = memory.open(record_id, caller).links
    return {(link.from_id, link.relation, link.to_id) for link in found}


def file_of(memory: Memory, record_id: str) -> Path:
    (found,) = (memory.settings.home / "records").rglob(f"{record_id}.md")
    return found


def edit(memory: Memory, record_id: str, old: str, new: str) -> None:
    path = file_of(memory, record_id)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    # Two writes within one tick of the clock would leave the file as old as it was.
    os.utime(path, (1, 1))


def stored(memory: Memory, caller: Caller, record_id: str) -> Record:
    return memory.open(record_id, caller).record


def test_every_change_leaves_its_audit_row(memory: Memory, agent: Caller, person: Caller) -> None:
    old = memory.write(PORT, agent)
    memory.write(PORT, agent)
    memory.write(replace(OTHER, id=old.id), agent)
    new = memory.write(replace(NEW_PORT, supersedes=old.id), agent)
    memory.set_status(new.id, Status.RETRACTED, agent, reason="never true")
    with pytest.raises(Refused):
        memory.write(NEW_PORT, agent)
    [grave] = memory.tombstones(person)
    memory.lift(grave.value_key, person)

    change = ["create", "reinforce", "revise", "create", "supersede", "status:retracted"]
    assert actions(memory) == [*change, "refuse", "lift"]
    with rows(memory) as db:
        after = db.execute("SELECT * FROM audit WHERE action = 'revise'").fetchone()
        assert (after["record_id"], after["client"]) == (old.id, "agent-a")
        assert after["before_hash"] != after["after_hash"]


def test_every_change_is_told_and_lies_in_its_file_when_the_call_returns(
    memory: Memory, agent: Caller
) -> None:
    heard: list[Change] = []
    memory.on_change(heard.append)

    written = memory.write(PORT, agent)
    assert "port 5433" in file_of(memory, written.id).read_text(encoding="utf-8")
    memory.write(replace(NEW_PORT, id=written.id), agent)
    assert "port 6543" in file_of(memory, written.id).read_text(encoding="utf-8")
    memory.set_status(written.id, Status.ARCHIVED, agent, reason="tidy")
    assert "archived" in file_of(memory, written.id).read_text(encoding="utf-8")

    told = [(change.record_id, change.action, change.created) for change in heard]
    expected = [("create", True), ("revise", False), ("status:archived", False)]
    assert told == [(written.id, action, created) for action, created in expected]


def test_what_is_too_long_or_cannot_be_stored_never_reaches_the_store(
    memory: Memory, agent: Caller
) -> None:
    with pytest.raises(Invalid, match="tokens"):
        memory.write(Draft(text="word " * 2100), agent)
    written = memory.write(replace(PORT, title="Staging\nport \ud800"), agent)

    assert stored(memory, agent, written.id).card.title == "Staging port ���"
    assert [record.id for record in memory.listing(agent).records] == [written.id]


def test_a_secret_stays_only_where_the_user_said_so(root: Path, project: Path) -> None:
    draft = Draft(text=f"CI deploys with ghp_{'a1B2' * 9} every night.")
    evidence = Evidence(surface=Surface.TOOL, client="agent-a", workspace=project)
    for kept, home in ((False, root / "on"), (True, root / "off")):
        memory = Memory(Settings(home=home, mask_secrets=not kept))
        caller = memory.caller(evidence)
        body = stored(memory, caller, memory.write(draft, caller).id).body
        with rows(memory) as db:
            [[reason]] = db.execute("SELECT reason FROM audit")
        assert ("not masked" in reason) is kept
        memory.close()
        assert ("ghp_" in body) is kept
        assert ("[MASKED:github-token]" in body) is not kept


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


def test_a_key_given_later_comes_too_late(memory: Memory, agent: Caller) -> None:
    first = memory.write(PORT, agent)
    keyed = memory.write(replace(OTHER, dedupe_key="branch"), agent)

    with pytest.raises(Conflict, match="dedupe_key"):
        memory.write(replace(PORT, dedupe_key="port"), agent)

    assert stored(memory, agent, first.id).dedupe_key is None
    again = memory.write(replace(OTHER, dedupe_key="branch"), agent)
    assert (again.id, again.version) == (keyed.id, 1)


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


def test_a_record_made_current_again_holds_as_it_did_before(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    old = memory.write(PORT, agent)
    memory.write(replace(NEW_PORT, supersedes=old.id), agent)
    assert stored(memory, agent, old.id).times.valid_to is not None

    memory.set_status(old.id, Status.ACTIVE, person, reason="it was true")

    assert stored(memory, agent, old.id).times.valid_to is None


def test_opening_a_record_takes_in_what_a_person_wrote_into_its_file(
    memory: Memory, agent: Caller
) -> None:
    written = memory.write(PORT, agent)
    edit(memory, written.id, "port 5433", "port 6543")

    assert stored(memory, replace(agent, readonly=True), written.id).body == PORT.text
    assert stored(memory, agent, written.id).body == NEW_PORT.text


def test_a_revision_does_not_say_what_another_record_says(memory: Memory, agent: Caller) -> None:
    one, two = memory.write(PORT, agent), memory.write(OTHER, agent)

    with pytest.raises(Conflict, match=one.id):
        memory.write(replace(PORT, id=two.id), agent)

    assert stored(memory, agent, two.id).body == OTHER.text
    assert memory.write(replace(NEW_PORT, id=two.id), agent).outcome is Outcome.REVISED


def test_the_file_of_a_successor_names_what_it_replaced(memory: Memory, agent: Caller) -> None:
    old, new = memory.write(PORT, agent), memory.write(OTHER, agent)
    assert old.id not in file_of(memory, new.id).read_text(encoding="utf-8")

    memory.set_status(old.id, Status.SUPERSEDED, agent, reason="moved", superseded_by=new.id)

    assert old.id in file_of(memory, new.id).read_text(encoding="utf-8")


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


def test_superseding_ends_a_record_and_never_lengthens_it(memory: Memory, agent: Caller) -> None:
    ended = datetime(2020, 1, 1, tzinfo=UTC)
    over = memory.write(replace(PORT, valid_to=ended), agent)
    still = memory.write(OTHER, agent)

    memory.write(replace(NEW_PORT, supersedes=over.id), agent)
    memory.write(Draft(text="The release branch is cut on Fridays.", supersedes=still.id), agent)

    assert stored(memory, agent, over.id).times.valid_to == ended
    assert stored(memory, agent, still.id).times.valid_to is not None


def test_sources_are_kept_for_the_first_statement_and_for_its_repetition(
    memory: Memory, agent: Caller
) -> None:
    worker = replace(agent, surface=Surface.WORKER, writes_as=Author.DERIVED)
    one, two = memory.write(OTHER, agent), memory.write(NEW_PORT, agent)

    first = memory.write(replace(PORT, sources=(one.id,)), worker)
    again = memory.write(replace(PORT, sources=(two.id,)), worker)

    assert (again.id, again.outcome) == (first.id, Outcome.REINFORCED)
    assert memory.open(first.id, agent).sources == (one.id, two.id)


def test_no_word_of_an_earlier_version_stays_in_the_index(memory: Memory, agent: Caller) -> None:
    old = memory.write(replace(PORT, aliases=("blue heron",)), agent)
    memory.write(replace(NEW_PORT, id=old.id), agent)

    with rows(memory) as db:
        counts = {word: index.document_frequency(db, word) for word in ("5433", "heron", "6543")}
        assert counts == {"5433": 0, "heron": 0, "6543": 1}
        assert index.check(db) == []


def test_an_index_of_another_analyzer_is_built_anew_before_it_is_changed(
    memory: Memory, agent: Caller
) -> None:
    written = memory.write(PORT, agent)
    with rows(memory) as db:
        db.execute("UPDATE meta SET value = 'old' WHERE key = 'analyzer_version'")
        db.execute("INSERT INTO card_index(card_index) VALUES ('delete-all')")

    memory.set_status(written.id, Status.DISPUTED, agent, reason="saw another port")

    with rows(memory) as db:
        assert index.check(db) == []
        assert not index.stale(db)


def test_a_hand_edit_is_a_revision_by_a_file_and_earns_no_trust(
    memory: Memory, agent: Caller
) -> None:
    written = memory.write(PORT, agent)
    edit(memory, written.id, "port 5433", "port 6543")

    [taken] = memory.refresh()

    record = stored(memory, agent, written.id)
    assert taken.record_id == written.id
    assert (record.body, record.version) == (NEW_PORT.text, 2)
    assert (record.author, record.trust) == (Author.FILE, Trust.UNTRUSTED)


def test_a_hand_edit_passes_the_gate_like_any_other_write(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    wrong = memory.write(NEW_PORT, agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="never true")
    mine, theirs = memory.write(PORT, agent), memory.write(OTHER, person)
    edit(memory, mine.id, "port 5433", "port 6543")
    edit(memory, theirs.id, "cut on Thursdays", "cut on Fridays")

    memory.refresh()

    assert stored(memory, agent, mine.id).body == PORT.text
    assert stored(memory, agent, theirs.id).body == OTHER.text
    proposed = memory.search(Query(text="release branch", include=("candidate",)), agent)
    assert {hit.status for hit in proposed.hits} == {Status.ACTIVE, Status.CANDIDATE}
    aside = list((memory.settings.home / "quarantine").iterdir())
    assert [path for path in aside if "6543" in path.read_text(encoding="utf-8")]


def test_the_master_switch_says_that_it_was_set(root: Path) -> None:
    environ = {"MEMEX_HOME": str(root)}

    assert load(environ=environ | {"MEMEX_DISABLED": "1"}).disabled == "MEMEX_DISABLED is set"
    assert load(environ=environ).disabled == ""


def test_memory_that_is_switched_off_does_nothing_and_says_why(root: Path, project: Path) -> None:
    evidence = Evidence(surface=Surface.CLI, client="cli", workspace=project, human=True)
    on, off = Memory(Settings(home=root)), Memory(Settings(home=root, disabled="a typing error"))
    caller = on.caller(evidence)
    written = on.write(PORT, caller)
    key = "0" * 64

    for attempt in (
        lambda: off.write(OTHER, caller),
        lambda: off.open(written.id, caller),
        lambda: off.set_status(written.id, Status.RETRACTED, caller, reason="x"),
        lambda: off.listing(caller),
        lambda: off.catalog(caller),
        lambda: off.tombstones(caller),
        lambda: off.lift(key, caller),
        lambda: off.refresh(),
    ):
        with pytest.raises(Disabled, match="a typing error"):
            attempt()
    answer = off.search(Query(text="staging database"), caller)
    assert (answer.state, answer.hits, answer.hint) == (State.DISABLED, (), "a typing error")
    assert [hit.id for hit in on.search(Query(text="staging database"), caller).hits] == [
        written.id
    ]
    on.close()
    off.close()
