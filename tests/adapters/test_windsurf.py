"""Windsurf: servers for the person alone, and rules with a limit."""

import json
from pathlib import Path

import pytest

from tests.adapters.journeys import Wired
from tests.adapters.using import MANUAL, tree
from tests.adapters.wired import LAUNCH

SERVERS = "home/.codeium/windsurf/mcp_config.json"
PLUGIN = "home/.codeium/mcp_config.json"
RULES = "home/.codeium/windsurf/memories/global_rules.md"


@pytest.fixture
def wired(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "windsurf")


def test_the_editor_has_the_server_and_the_manual(wired: Wired) -> None:
    wired.install()

    servers = json.loads(wired.text(SERVERS))["mcpServers"]
    assert servers == {"memex": {"command": LAUNCH.command, "args": ["serve"]}}
    assert "memex:begin" in wired.text(RULES)
    assert PLUGIN not in tree(wired.folder)
    assert "No hooks for Windsurf" in wired.notes()


def test_the_plugin_gets_an_entry_where_it_is_used(wired: Wired) -> None:
    wired.write(PLUGIN, '{\n  "mcpServers": {}\n}')
    before = tree(wired.folder)

    wired.install()
    assert "memex" in json.loads(wired.text(PLUGIN))["mcpServers"]
    assert "memex" in json.loads(wired.text(SERVERS))["mcpServers"]
    wired.uninstall()

    assert tree(wired.folder) == before


def test_it_says_when_the_rules_grow_longer_than_what_is_read(wired: Wired) -> None:
    wired.write(RULES, "x" * (6_000 - len(MANUAL)))
    assert "6,000" not in wired.notes()

    wired.write(RULES, "x" * (6_001 - len(MANUAL)))

    assert "6,000" in wired.notes()


def test_a_project_has_the_manual_alone(tmp_path: Path) -> None:
    wired = Wired(tmp_path / "person", "windsurf", "project")

    wired.install()

    assert set(tree(wired.folder)) == {"home", "project", "project/AGENTS.md"}
    assert "servers for the person alone" in wired.notes()
    wired.uninstall()
    assert set(tree(wired.folder)) == {"home", "project"}
