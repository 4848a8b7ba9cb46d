"""The file of a record: what it tells, and what a hand that edits it may do."""

from dataclasses import replace

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Status, Trust
from memex_mcp.model.query import Query
from tests.using import NEW_PORT, OTHER, PORT, edit, file_of, stored


def test_opening_a_record_takes_in_what_a_person_wrote_into_its_file(
    memory: Memory, agent: Caller
) -> None:
    written = memory.write(PORT, agent)
    edit(memory, written.id, "port 5433", "port 6543")

    assert stored(memory, replace(agent, readonly=True), written.id).body == PORT.text
    assert stored(memory, agent, written.id).body == NEW_PORT.text


def test_the_file_of_a_successor_names_what_it_replaced(memory: Memory, agent: Caller) -> None:
    old, new = memory.write(PORT, agent), memory.write(OTHER, agent)
    assert old.id not in file_of(memory, new.id).read_text(encoding="utf-8")

    memory.set_status(old.id, Status.SUPERSEDED, agent, reason="moved", superseded_by=new.id)

    assert old.id in file_of(memory, new.id).read_text(encoding="utf-8")


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


def test_a_hand_that_leaves_nothing_visible_changes_nothing(memory: Memory, agent: Caller) -> None:
    port, other = memory.write(PORT, agent), memory.write(OTHER, agent)
    edit(memory, port.id, PORT.text, "\x1b\u200b")
    edit(memory, other.id, "Thursdays", "Fridays")

    told = memory.refresh()

    assert [bool(each.problem) for each in told if each.record_id == port.id] == [True]
    assert stored(memory, agent, port.id).body == PORT.text
    assert "Fridays" in stored(memory, agent, other.id).body
