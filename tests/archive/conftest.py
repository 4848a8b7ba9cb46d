from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Surface
from memex_mcp.model.levels import Level
from memex_mcp.model.times import now
from tests.claude_file import SESSION, ClaudeFile


@pytest.fixture
def hook(memory: Memory, agent: Caller) -> Caller:
    return replace(
        agent,
        surface=Surface.HOOK,
        client="claude",
        session_id=SESSION,
        writes_as=Author.DERIVED,
    )


@pytest.fixture
def talk(tmp_path: Path, project: Path) -> ClaudeFile:
    """A conversation of today that is still going on."""
    began = now() + timedelta(seconds=5)
    return ClaudeFile(tmp_path / "claude" / f"{SESSION}.jsonl", project, began=began)


@pytest.fixture
def old(tmp_path: Path, project: Path) -> ClaudeFile:
    """A conversation of yesterday."""
    return ClaudeFile(tmp_path / "claude" / "old.jsonl", project)


@pytest.fixture
def on(memory: Memory, person: Caller) -> None:
    memory.switches.turn_on(Level.L2, person)
    memory.switches.turn_on(Level.L3, person)
