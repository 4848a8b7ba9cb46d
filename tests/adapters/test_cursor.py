"""Cursor: servers in files, rules of a project in files, and no hooks."""

import json
from pathlib import Path

import pytest

from memex_adapters.errors import Unclear
from tests.adapters.journeys import LAUNCH, Wired
from tests.adapters.using import MANUAL, tree

RULE = "project/.cursor/rules/memex.mdc"


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


def test_the_rule_of_a_project_applies_always(project: Wired) -> None:
    project.install()

    head, front, body = project.text(RULE).split("---\n")
    assert head == ""
    assert front.splitlines()[1] == "alwaysApply: true"
    assert body.strip() == MANUAL.strip()


def test_a_rule_of_that_name_by_somebody_else_stays(project: Wired) -> None:
    theirs = "---\ndescription: my own memex notes\nalwaysApply: true\n---\n\nHow to use memex.\n"
    project.write(RULE, theirs)
    before = tree(project.folder)

    with pytest.raises(Unclear, match="not ours"):
        project.install()
    project.uninstall()
    assert tree(project.folder) == before

    (project.folder / RULE).unlink()
    project.install()
    assert project.text(RULE) != theirs
