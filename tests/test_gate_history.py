"""What a correction leaves behind: values, statuses and authority over several steps."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import Conflict, Denied, Invalid, Refused
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Outcome, Scope, Status, Surface, Trust
from memex_mcp.model.record import Draft
from memex_mcp.settings import Secrets, Settings
from tests.using import NEW_PORT, OTHER, PORT, actions, audited, edit, found


def test_an_agent_cannot_withdraw_a_value_that_a_person_restated(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    old = memory.write(PORT, agent)
    new = memory.write(replace(NEW_PORT, supersedes=old.id), agent)
    back = memory.write(replace(PORT, supersedes=new.id), person)

    with pytest.raises(Denied, match=back.id):
        memory.set_status(old.id, Status.RETRACTED, agent, reason="never true")

    assert memory.write(PORT, person).outcome is Outcome.REINFORCED
    memory.set_status(new.id, Status.RETRACTED, agent, reason="never true")
    with pytest.raises(Refused):
        memory.write(NEW_PORT, agent)


def test_nothing_current_is_replaced_by_a_candidate(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    theirs = memory.write(PORT, person)
    waiting = memory.write(replace(NEW_PORT, supersedes=theirs.id), agent)
    own = memory.write(OTHER, agent)

    with pytest.raises(Conflict, match="candidate"):
        memory.write(replace(NEW_PORT, supersedes=own.id), agent)

    assert waiting.status is Status.CANDIDATE
    assert found(memory, agent, "release branch") == [own.id]


def test_a_person_who_states_a_candidate_accepts_it(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    theirs = memory.write(PORT, person)
    waiting = memory.write(replace(NEW_PORT, supersedes=theirs.id), agent)

    said = memory.write(NEW_PORT, person)

    assert (said.id, said.status, said.trust) == (waiting.id, Status.ACTIVE, Trust.VERIFIED)
    assert found(memory, agent, "staging database port") == [waiting.id]


def test_a_superseded_record_made_active_is_valid_again(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    old = memory.write(PORT, agent)
    new = memory.write(replace(NEW_PORT, supersedes=old.id), agent)

    memory.set_status(new.id, Status.ARCHIVED, person, reason="wrong")
    memory.set_status(old.id, Status.ACTIVE, person, reason="was right all along")

    assert found(memory, agent, "staging database port") == [old.id]
    opened = memory.open(old.id, agent)
    assert (opened.record.times.valid_to, opened.record.superseded_by) == (None, None)


def test_an_archived_statement_can_be_made_again(memory: Memory, agent: Caller) -> None:
    done = memory.write(PORT, agent)
    memory.set_status(done.id, Status.ARCHIVED, agent, reason="done")

    again = memory.write(PORT, agent)

    assert (again.outcome, again.id != done.id) == (Outcome.CREATED, True)
    assert found(memory, agent, "staging database port") == [again.id]


def test_what_was_retracted_comes_back_whole_or_not_at_all(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    wrong = memory.write(PORT, agent)
    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="never true")

    with pytest.raises(Invalid):
        memory.set_status(wrong.id, Status.DISPUTED, person, reason="perhaps")
    with pytest.raises(Refused):
        memory.write(PORT, agent)
    memory.set_status(wrong.id, Status.ACTIVE, person, reason="true after all")

    assert memory.write(PORT, agent).outcome is Outcome.REINFORCED
    assert found(memory, agent, "staging database port") == [wrong.id]
    assert actions(memory).count("lift") == 1


def test_a_dedupe_key_that_comes_too_late_is_told(memory: Memory, agent: Caller) -> None:
    first = memory.write(PORT, agent)

    with pytest.raises(Conflict, match=first.id):
        memory.write(replace(PORT, dedupe_key="port"), agent)

    keyed = memory.write(replace(NEW_PORT, dedupe_key="port"), agent)
    assert memory.write(replace(NEW_PORT, dedupe_key="port"), agent).id == keyed.id


def test_two_live_records_never_hold_one_value(memory: Memory, agent: Caller) -> None:
    one, two = memory.write(PORT, agent), memory.write(OTHER, agent)

    with pytest.raises(Conflict, match=one.id):
        memory.write(replace(PORT, id=two.id), agent)

    assert memory.write(replace(NEW_PORT, id=two.id), agent).outcome is Outcome.REVISED


def test_writing_without_masking_is_on_record(memory: Memory, agent: Caller) -> None:
    home = memory.settings.home
    choices: tuple[Secrets, ...] = ("mask", "off")
    for choice in choices:
        with closing(Memory(Settings(home=home, secrets=choice))) as other:
            other.write(Draft(text=f"Written with secrets {choice}."), agent)

    assert audited(memory) == [("create", ""), ("create", "secrets are not masked")]


def test_whatever_is_denied_is_on_record(memory: Memory, agent: Caller, person: Caller) -> None:
    theirs = memory.write(PORT, person)

    with pytest.raises(Denied):
        memory.set_status(theirs.id, Status.RETRACTED, agent, reason="I know better")
    with pytest.raises(Denied):
        memory.write(replace(OTHER, scope=Scope.GLOBAL), agent)
    with pytest.raises(Denied):
        memory.lift("0" * 12, agent)

    assert actions(memory) == ["create", "deny", "deny", "deny"]


def test_a_reader_takes_no_edit_in(memory: Memory, agent: Caller) -> None:
    written = memory.write(PORT, agent)
    edit(memory, written.id, "port 5433", "port 9999")

    by_reader = memory.open(written.id, replace(agent, readonly=True))
    by_agent = memory.open(written.id, agent)

    assert by_reader.record.version == 1
    assert (by_agent.record.version, "9999" in by_agent.text) == (2, True)


def test_a_contradiction_is_told_however_many_like_notes_others_keep(
    memory: Memory, agent: Caller, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    stranger = memory.caller(Evidence(surface=Surface.TOOL, client="agent-a", workspace=elsewhere))
    for n in range(80):
        memory.write(Draft(text=f"The staging database listens on port 7{n:03}."), stranger)
    old = memory.write(PORT, agent)

    new = memory.write(NEW_PORT, agent)

    assert [other.id for other in new.conflicts] == [old.id]


@pytest.mark.parametrize("reason", ["\ud800", "nul \0 and\nline"])
def test_any_reason_can_be_stored(memory: Memory, agent: Caller, reason: str) -> None:
    wrong = memory.write(PORT, agent)

    memory.set_status(wrong.id, Status.RETRACTED, agent, reason=f"because {reason}")

    [tombstone] = memory.tombstones(agent)
    assert tombstone.reason.startswith("because ")
    assert "\n" not in tombstone.reason
