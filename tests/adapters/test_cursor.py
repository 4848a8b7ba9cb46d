"""Cursor: servers in files, the manual in projects alone, and no hooks."""

import json
from pathlib import Path

import pytest

from tests.adapters.journeys import Wired
from tests.adapters.using import MANUAL, tree
from tests.adapters.wired import LAUNCH


@pytest.fixture
def wired(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "cursor")


@pytest.fixture
def project(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "cursor", "project")


def test_for_the_person_there_is_the_server_alone(wired: Wired) -> None:
    wired.install()

    assert set(tree(wired.folder)) == {
        "home",
        "home/.cursor",
        "home/.cursor/mcp.json",
        "project",
    }
    servers = json.loads(wired.text("home/.cursor/mcp.json"))["mcpServers"]
    assert servers == {"memex": {"command": LAUNCH.command, "args": ["serve"]}}
    assert "memex-mcp manual cursor" in wired.notes()


def test_it_says_that_there_are_no_hooks_and_leaves_those_of_others(wired: Wired) -> None:
    wired.write("home/.cursor/hooks.json", '{"version": 1, "hooks": {"stop": []}}')

    wired.install()

    assert wired.text("home/.cursor/hooks.json") == '{"version": 1, "hooks": {"stop": []}}'
    assert "No hooks for Cursor" in wired.notes()


def test_a_project_has_the_manual_and_the_server(project: Wired) -> None:
    project.install()

    assert MANUAL.strip() in project.text("project/AGENTS.md")
    assert "project/.cursor/mcp.json" in tree(project.folder)
