"""What the rules find while a conversation is archived, from end to end."""

import logging
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.capture import rules
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Surface
from memex_mcp.model.turn import Captured
from memex_mcp.settings import Settings
from tests.capture.homes import Exchange, write_conversation
from tests.using import found, rows

TURN = Exchange(
    "I prefer tabs over spaces. Could you fix the Makefile?", "tabs", "Fixed: tabs are used."
)
SAID = "I prefer tabs over spaces"


@pytest.fixture
def ruled(root: Path) -> Generator[Memory]:
    """A store whose user switched the rules on."""
    opened = Memory(Settings(home=root, rules=True))
    yield opened
    opened.close()


def archive(memory: Memory, agent: Caller, home: Path, project: Path) -> Captured:
    path = write_conversation(home, "claude", project, [TURN])
    deed = replace(agent, surface=Surface.IMPORT, writes_as=Author.DERIVED)
    return memory.archive.capture(path, "claude", deed, explicit=True)


def kinds(memory: Memory) -> list[tuple[str, str, str]]:
    with rows(memory) as db:
        asked = db.execute("SELECT kind, scope, status FROM record ORDER BY n")
        return [(kind, scope, status) for kind, scope, status in asked]


def test_a_note_waits_as_a_candidate_that_names_its_span(
    ruled: Memory, agent: Caller, tmp_path: Path, project: Path
) -> None:
    span, checkpoint = archive(ruled, agent, tmp_path, project).ids

    assert kinds(ruled) == [
        ("span", "session", "active"),
        ("checkpoint", "workspace", "active"),
        ("note", "workspace", "candidate"),
    ]
    with rows(ruled) as db:
        (note,) = db.execute("SELECT * FROM record WHERE kind = 'note'")
    told = ruled.open(note["id"], agent)
    assert (told.record.body, told.record.type, told.sources) == (SAID, "preference", (span,))
    assert (told.record.author, told.record.salience, told.record.confidence) == (
        "derived",
        0.7,
        0.68,
    )
    assert found(ruled, agent, "tabs over spaces") == [checkpoint]


def test_without_being_asked_nothing_is_suggested(
    memory: Memory, agent: Caller, tmp_path: Path, project: Path
) -> None:
    archive(memory, agent, tmp_path, project)

    assert {kind for kind, _, _ in kinds(memory)} == {"span", "checkpoint"}


def test_what_goes_wrong_with_the_rules_costs_a_line_in_the_log_and_no_evidence(
    ruled: Memory,
    agent: Caller,
    tmp_path: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(_: str) -> list[rules.Found]:
        raise RuntimeError(SAID)

    monkeypatch.setattr(rules, "find", fails)
    with caplog.at_level(logging.INFO):
        done = archive(ruled, agent, tmp_path, project)

    assert (done.new, done.records) == (1, 2)
    assert {kind for kind, _, _ in kinds(ruled)} == {"span", "checkpoint"}
    assert [each.getMessage() for each in caplog.records] == [
        "no notes of a turn of claude: RuntimeError"
    ]
