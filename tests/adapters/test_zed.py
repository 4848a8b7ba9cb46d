"""Zed: settings with comments, and the first file for instructions that is there."""

import json
from pathlib import Path

import pytest

from tests.adapters.journeys import Wired
from tests.adapters.using import bare, tree
from tests.adapters.wired import LAUNCH

SETTINGS = "home/.config/zed/settings.json"


@pytest.fixture
def wired(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "zed")


@pytest.fixture
def project(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "zed", "project")


def test_the_server_stands_among_settings_with_comments_and_commas(wired: Wired) -> None:
    theirs = '// Zed settings\n{\n  "theme": "One", // nice\n  "vim_mode": true,\n}\n'
    wired.write(SETTINGS, theirs)

    wired.install()

    settings = wired.text(SETTINGS)
    assert all(line in settings for line in theirs.splitlines())
    assert json.loads(bare(settings))["context_servers"] == {
        "memex": {"source": "custom", "command": LAUNCH.command, "args": ["serve"]}
    }
    assert "memex:begin" in wired.text("home/.config/zed/AGENTS.md")
    assert "No hooks for Zed" in wired.notes()


@pytest.mark.parametrize(
    ("there", "chosen"),
    [
        ([], "AGENTS.md"),
        (["CLAUDE.md"], "CLAUDE.md"),
        (["AGENTS.md", ".rules"], ".rules"),
        (["AGENTS.md", "AGENT.md"], "AGENT.md"),
    ],
)
def test_the_manual_of_a_project_goes_where_zed_looks_first(
    project: Wired, there: list[str], chosen: str
) -> None:
    for name in there:
        project.write(f"project/{name}", "# Theirs\n")
    before = tree(project.folder)

    project.install()

    assert "memex:begin" in project.text(f"project/{chosen}")
    for name in set(there) - {chosen}:
        assert project.text(f"project/{name}") == "# Theirs\n"
    project.uninstall()
    assert tree(project.folder) == before


def test_a_folder_in_the_place_of_a_file_for_instructions_is_passed_over(project: Wired) -> None:
    (project.folder / "project" / ".clinerules").mkdir()

    project.install()

    assert "memex:begin" in project.text("project/AGENTS.md")
