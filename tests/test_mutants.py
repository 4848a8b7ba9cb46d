"""Steps of the write path that only show in what they leave behind."""

from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import Conflict, Disabled, Invalid, Refused
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Outcome, State, Status, Surface
from memex_mcp.model.query import Change, Query
from memex_mcp.model.record import Draft
from memex_mcp.settings import Settings, load
from memex_mcp.store import index
from tests.using import NEW_PORT, OTHER, PORT, actions, file_of, rows, stored


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
        memory = Memory(Settings(home=home, secrets="off" if kept else "mask"))
        caller = memory.caller(evidence)
        body = stored(memory, caller, memory.write(draft, caller).id).body
        with rows(memory) as db:
            [[reason]] = db.execute("SELECT reason FROM audit")
        assert ("not masked" in reason) is kept
        memory.close()
        assert ("ghp_" in body) is kept
        assert ("[MASKED:github-token]" in body) is not kept


def test_a_key_given_later_comes_too_late(memory: Memory, agent: Caller) -> None:
    first = memory.write(PORT, agent)
    keyed = memory.write(replace(OTHER, dedupe_key="branch"), agent)

    with pytest.raises(Conflict, match="dedupe_key"):
        memory.write(replace(PORT, dedupe_key="port"), agent)

    assert stored(memory, agent, first.id).dedupe_key is None
    again = memory.write(replace(OTHER, dedupe_key="branch"), agent)
    assert (again.id, again.version) == (keyed.id, 1)


def test_a_revision_does_not_say_what_another_record_says(memory: Memory, agent: Caller) -> None:
    one, two = memory.write(PORT, agent), memory.write(OTHER, agent)

    with pytest.raises(Conflict, match=one.id):
        memory.write(replace(PORT, id=two.id), agent)

    assert stored(memory, agent, two.id).body == OTHER.text
    assert memory.write(replace(NEW_PORT, id=two.id), agent).outcome is Outcome.REVISED


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
