"""What goes into the archive, by what the switches said when a turn began."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memex_mcp.errors import Denied, Disabled, Unavailable
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Kind, Scope, Status, Surface
from memex_mcp.model.levels import Level, Mode
from memex_mcp.model.query import Page
from memex_mcp.model.times import now
from memex_mcp.settings import Settings
from tests.archive.using import BRANCH, PORT, hashes, kept_lines, kinds
from tests.card import card
from tests.claude_file import SESSION, ClaudeFile
from tests.using import found, rows


@pytest.mark.usefixtures("on")
def test_a_checkpoint_names_the_spans_that_it_was_made_from(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    talk.turn(*PORT)

    span, checkpoint = memory.archive.capture(talk.path, "claude", hook).ids

    told = memory.open(checkpoint, hook)
    assert (told.record.kind, told.sources) == (Kind.CHECKPOINT, (span,))
    assert told.record.times.observed_at >= memory.open(span, hook).record.times.observed_at
    assert memory.open(span, hook).record.author is Author.DERIVED
    other = replace(hook, session_id="another")
    assert found(memory, other, PORT[0]) == [checkpoint]


def test_without_a_level_nothing_is_read_and_nothing_is_written(
    memory: Memory, hook: Caller, talk: ClaudeFile, person: Caller
) -> None:
    talk.turn(*PORT)
    absent = talk.path.with_name("absent.jsonl")

    assert memory.archive.capture(absent, "claude", hook).seen == 0
    assert not memory.settings.home.exists()

    memory.switches.turn_on(Level.L2, person)
    with pytest.raises(Unavailable, match="transcript"):
        memory.archive.capture(absent, "claude", hook)
    assert memory.archive.capture(talk.path, "claude", hook).new == 1


@card("evidence.switches")
def test_turns_from_before_a_level_was_on_wait_until_somebody_asks(
    memory: Memory, hook: Caller, old: ClaudeFile, person: Caller
) -> None:
    old.turn(*PORT)
    old.turn(*BRANCH)
    memory.switches.turn_on(Level.L2, person)
    old.at = now() + timedelta(seconds=1)
    old.turn("Which editor?", "Helix.")

    hooked = memory.archive.capture(old.path, "claude", hook)
    assert (hooked.seen, hooked.new, hooked.skipped) == (3, 1, {"before": 2})
    assert kinds(memory) == [("span", "session"), ("checkpoint", "session")]
    again = memory.archive.capture(old.path, "claude", hook)
    assert (again.new, again.records) == (0, 0)

    asked = memory.archive.capture(old.path, "claude", hook, explicit=True)
    assert (asked.seen, asked.new, asked.known, asked.skipped) == (3, 2, 1, {})
    assert kept_lines(memory) == hashes(old.path)
    assert ("checkpoint", "workspace") in kinds(memory)


@card("evidence.switches")
def test_turns_from_while_memory_was_off_are_never_taken(
    memory: Memory, hook: Caller, talk: ClaudeFile, person: Caller
) -> None:
    memory.switches.turn_on(Level.L2, person)
    memory.switches.set_mode(Mode.OFF, hook)
    talk.at = now()
    talk.asks(PORT[0])
    assert memory.archive.capture(talk.path, "claude", hook).seen == 0
    with pytest.raises(Disabled):
        memory.archive.capture(talk.path, "claude", hook, explicit=True)
    assert kinds(memory) == []
    memory.switches.set_mode(Mode.AUTO, hook)
    talk.answers(PORT[1])
    talk.at = now() + timedelta(seconds=1)
    talk.turn(*BRANCH)

    told = memory.archive.capture(talk.path, "claude", hook)
    asked = memory.archive.capture(talk.path, "claude", hook, explicit=True)

    assert (told.new, told.skipped) == (1, {"parked": 1})
    assert (asked.new, asked.known, asked.skipped) == (0, 1, {"parked": 1})
    assert kept_lines(memory) == hashes(talk.path)[2:]


@pytest.mark.parametrize(
    ("levels", "settings", "expected"),
    [
        ((Level.L3,), {}, [("checkpoint", "workspace")]),
        ((Level.L2,), {}, [("span", "session"), ("checkpoint", "session")]),
        (
            (Level.L2, Level.L3),
            {"capture_level": "l2"},
            [("span", "session"), ("checkpoint", "session")],
        ),
        ((Level.L2, Level.L3), {"capture": False}, []),
    ],
)
def test_only_l3_keeps_checkpoints_alone_and_l2_keeps_them_to_the_session(
    levels: tuple[Level, ...],
    settings: dict[str, Any],
    expected: list[tuple[str, str]],
    root: Path,
    talk: ClaudeFile,
    hook: Caller,
    person: Caller,
) -> None:
    talk.turn(*PORT)
    memory = Memory(Settings(home=root, **settings))
    for level in levels:
        memory.switches.turn_on(level, person)

    for _ in range(2):
        memory.archive.capture(talk.path, "claude", hook)

    assert kinds(memory) == expected
    memory.close()


@pytest.mark.parametrize(
    ("settings", "scope", "expected"),
    [
        ({}, Scope.WORKSPACE, [("span", "session"), ("checkpoint", "workspace")]),
        ({}, Scope.SESSION, [("span", "session"), ("checkpoint", "session")]),
        (
            {"capture_level": "l2"},
            Scope.WORKSPACE,
            [("span", "session"), ("checkpoint", "session")],
        ),
        ({"max_levels": "l3"}, Scope.WORKSPACE, [("checkpoint", "workspace")]),
        ({"max_levels": "none"}, Scope.WORKSPACE, []),
    ],
)
def test_what_a_person_asks_for_needs_no_level_and_goes_where_it_should(
    settings: dict[str, Any],
    scope: Scope,
    expected: list[tuple[str, str]],
    root: Path,
    old: ClaudeFile,
    hook: Caller,
) -> None:
    old.turn(*PORT)
    caller = replace(hook, surface=Surface.IMPORT, session_id="not of this one")
    memory = Memory(Settings(home=root, **settings))

    memory.archive.capture(old.path, "claude", caller, explicit=True, checkpoints=scope)

    assert kinds(memory) == expected
    with rows(memory) as db:
        assert {row[0] for row in db.execute("SELECT session_id FROM record")} <= {SESSION}
    memory.close()


@pytest.mark.usefixtures("on")
@pytest.mark.parametrize("first", ["session", "agent"])
def test_what_a_sub_agent_did_is_linked_to_the_turn_that_it_did_it_for(
    memory: Memory, hook: Caller, talk: ClaudeFile, project: Path, first: str
) -> None:
    folder = talk.path.with_suffix("") / "subagents"
    agent = ClaudeFile(folder / "agent-a1b2c3.jsonl", project, agent="a1b2c3")
    talk.turn(*PORT)
    talk.asks("Look it up.")
    call = talk.calls("Task", prompt="Look up the branch.")
    agent.at = talk.at
    agent.turn(*BRANCH)
    talk.at = agent.at
    talk.gets(call, BRANCH[1])
    talk.answers("It is cut on Thursdays.")
    talk.turn("And then?", "Nothing.")

    paths = [talk.path, agent.path] if first == "session" else [agent.path, talk.path]
    ids = [memory.archive.capture(path, "claude", hook).ids for path in paths]

    theirs, ours = ids[::-1] if first == "session" else ids
    (link,) = memory.open(theirs[0], hook).links
    assert (link.from_id, link.relation, link.to_id) == (theirs[0], "related", ours[2])
    assert memory.open(theirs[0], hook).record.session_id == SESSION
    assert memory.open(ours[0], hook).links == ()


def test_nothing_goes_nowhere(memory: Memory, old: ClaudeFile, hook: Caller) -> None:
    old.turn(*PORT)
    with pytest.raises(Denied, match="no workspace"):
        memory.archive.capture(old.path, "claude", replace(hook, workspace=None), explicit=True)
    assert memory.archive.capture(old.path, "claude", hook, explicit=True).new == 1


@pytest.mark.usefixtures("on")
def test_a_withdrawn_turn_stays_out_and_a_withdrawn_statement_leaves_it(
    memory: Memory, hook: Caller, agent: Caller, talk: ClaudeFile, tmp_path: Path
) -> None:
    talk.turn(*PORT)
    talk.turn(*BRANCH)
    ids = memory.archive.capture(talk.path, "claude", hook).ids
    for record_id in ids[:2]:
        memory.set_status(record_id, Status.RETRACTED, hook, reason="not for keeps")
    with rows(memory) as db:
        # As if the ledger had been lost.
        for table in ("capture_turn", "capture_source", "event"):
            db.execute(f"DELETE FROM {table}")
    talk.turn("What did we say?", f"We said: {BRANCH[1]}\n{PORT[1]}")

    told = memory.archive.capture(talk.path, "claude", hook)

    assert (told.new, told.skipped, told.refused) == (2, {"refused": 1}, 2)
    with rows(memory) as db:
        status = db.execute("SELECT status, count(*) FROM capture_turn GROUP BY 1 ORDER BY 1")
        assert [tuple(row) for row in status] == [("captured", 2), ("refused", 1)]
    again = memory.archive.capture(talk.path, "claude", hook, explicit=True)
    assert (again.known, again.skipped, again.refused) == (2, {"refused": 1}, 0)
    assert found(memory, hook, "staging database") == []
    assert found(memory, hook, "release branch")


@pytest.mark.usefixtures("on")
def test_what_memexignore_names_is_left_out(
    memory: Memory, hook: Caller, talk: ClaudeFile, project: Path
) -> None:
    (project / ".memexignore").write_text("secret/\n", encoding="utf-8")
    inside = str(project / "secret" / "plan.md")
    talk.works("Read the plan.", "Read", "The plan is otters.", "Done.", file_path=inside)
    talk.works("Read the notes.", "Read", "The notes are milk.", "Done.", file_path="notes.md")

    told = memory.archive.capture(talk.path, "claude", hook)

    assert told.new == 2
    assert kept_lines(memory) == hashes(talk.path)
    events = memory.open(told.ids[0], hook, Page(events=True)).events
    assert [line.masked for line in events] == [False, True, True, False]
    assert not any("otters" in line.data or "plan.md" in line.data for line in events)
    assert found(memory, hook, "otters") == []
    assert found(memory, hook, "milk")
    (project / ".memexignore").write_text("*\n", encoding="utf-8")
    talk.turn(*PORT)
    told = memory.archive.capture(talk.path, "claude", hook)
    assert (told.new, told.skipped) == (0, {"ignored": 1})
    assert memory.archive.capture(talk.path, "claude", hook, explicit=True).known == 2
    (project / ".memexignore").unlink()
    talk.turn(*BRANCH)
    assert memory.archive.capture(talk.path, "claude", hook).new == 1
    copied = talk.path.with_name("copied.jsonl")
    copied.write_bytes(talk.path.read_bytes())
    assert memory.archive.capture(copied, "claude", hook).new == 0
    assert memory.archive.capture(copied, "claude", hook, explicit=True).new == 1


@pytest.mark.usefixtures("on")
def test_the_receipt_tells_what_this_session_has_in_the_archive(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    assert memory.archive.receipt(hook) == ""
    talk.turn(*PORT)
    talk.turn(*BRANCH)
    ids = memory.archive.capture(talk.path, "claude", hook).ids

    first, *rest = memory.archive.receipt(hook).splitlines()

    assert first == "Archived of this session: 2 spans, 2 checkpoints."
    assert sorted(line.split()[1] for line in rest) == sorted(ids)
    assert memory.archive.receipt(hook, most=1).splitlines()[-1] == "and 3 earlier"
    assert memory.archive.receipt(replace(hook, session_id="another")) == ""
    assert memory.archive.receipt(replace(hook, session_id=None)) == ""
