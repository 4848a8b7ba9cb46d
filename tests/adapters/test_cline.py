"""Cline: one program, two files, two shapes."""

import json
from pathlib import Path

import pytest

from memex_adapters.clients import Wanted
from tests.adapters.journeys import Wired
from tests.adapters.using import tree
from tests.adapters.wired import LAUNCH

COMMAND = "home/.cline/data/settings/cline_mcp_settings.json"
CODE = "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev"
EXTENSION = f"{CODE}/settings/cline_mcp_settings.json"


@pytest.fixture
def wired(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "cline")


def entry(wired: Wired, file: str) -> object:
    return json.loads(wired.text(file))["mcpServers"]["memex"]


def test_the_command_line_has_its_entry_below_a_transport(wired: Wired) -> None:
    wired.install()

    assert entry(wired, COMMAND) == {
        "transport": {"type": "stdio", "command": LAUNCH.command, "args": ["serve"]},
        "timeout": 60,
    }
    assert EXTENSION not in tree(wired.folder)


def test_the_extension_has_its_own_file_and_the_flat_shape(wired: Wired) -> None:
    (wired.folder / CODE).mkdir(parents=True)
    before = tree(wired.folder)
    wired.install()
    assert entry(wired, EXTENSION) == {"command": LAUNCH.command, "args": ["serve"], "timeout": 60}
    assert COMMAND not in tree(wired.folder)
    assert "restart memex" in wired.notes()
    wired.uninstall()
    assert tree(wired.folder) == before

    (wired.folder / "home" / ".cline").mkdir()
    wired.install()

    assert {COMMAND, EXTENSION} <= set(tree(wired.folder))


def test_an_entry_keeps_the_shape_that_it_has(wired: Wired) -> None:
    flat = {"command": "/old/memex-mcp", "args": ["serve"], "disabled": True, "autoApprove": ["x"]}
    wired.write(COMMAND, json.dumps({"mcpServers": {"memex": flat}}))

    wired.install()

    assert entry(wired, COMMAND) == {**flat, "command": LAUNCH.command, "timeout": 60}


def test_how_long_to_wait_is_the_persons_choice(wired: Wired) -> None:
    wired.install()
    file = wired.text(COMMAND)
    wired.write(COMMAND, file.replace('"timeout": 60', '"timeout": 9'))

    wired.install()

    assert wired.text(COMMAND) == file.replace('"timeout": 60', '"timeout": 9') != file


def test_the_file_may_be_elsewhere(wired: Wired) -> None:
    wired.on(CLINE_MCP_SETTINGS_PATH=str(wired.folder / "mine.json")).install()

    assert "mine.json" in tree(wired.folder)
    assert "home/.cline" not in tree(wired.folder)


def test_a_project_gets_the_manual_and_is_told_where_the_server_goes(tmp_path: Path) -> None:
    wired = Wired(tmp_path / "person", "cline", "project")

    wired.install()

    assert set(tree(wired.folder)) == {"home", "project", "project/AGENTS.md"}
    assert "servers for the person alone" in wired.notes()
    wired.uninstall()
    assert set(tree(wired.folder)) == {"home", "project"}
    assert wired.module.pieces(wired.place, LAUNCH, Wanted()) == []
