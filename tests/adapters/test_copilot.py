"""Copilot CLI: a file of its own for hooks, and one manual among the many that it reads."""

import json
from pathlib import Path

import pytest

from memex_adapters.clients import Wanted
from memex_adapters.errors import Unclear
from memex_adapters.launch import Launch
from tests.adapters.journeys import Wired
from tests.adapters.using import MANUAL, tree
from tests.adapters.wired import LAUNCH

HOOKS = "home/.copilot/hooks/memex.json"
BLOCK = "<!-- memex:begin -->\nold\n<!-- memex:end -->\n"


@pytest.fixture
def wired(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "copilot")


@pytest.fixture
def project(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "copilot", "project")


def test_the_server_is_local_and_offers_all_its_tools(wired: Wired) -> None:
    wired.install()

    servers = json.loads(wired.text("home/.copilot/mcp-config.json"))
    assert servers == {
        "mcpServers": {
            "memex": {
                "type": "local",
                "command": LAUNCH.command,
                "args": ["serve"],
                "tools": ["*"],
            }
        }
    }
    assert "--allow-tool memex" in wired.notes()


def test_a_choice_among_the_tools_stays(wired: Wired) -> None:
    wired.install(launch=Launch(command="/old/memex-mcp"))
    file = "home/.copilot/mcp-config.json"
    wired.write(file, wired.text(file).replace('"*"', '"memory_search"'))

    wired.install()

    entry = json.loads(wired.text(file))["mcpServers"]["memex"]
    assert entry["tools"] == ["memory_search"]
    assert entry["command"] == LAUNCH.command


def test_hooks_are_one_file_with_lines_for_both_shells(wired: Wired) -> None:
    wired.install()

    told = json.loads(wired.text(HOOKS))
    assert told["version"] == 1
    assert set(told["hooks"]) == {
        "sessionStart",
        "userPromptSubmitted",
        "preCompact",
        "agentStop",
        "sessionEnd",
    }
    (stop,) = told["hooks"]["agentStop"]
    assert stop["bash"] == LAUNCH.hook_line("stop", "copilot")
    assert stop["powershell"].startswith("& '/home/o''neil a/记忆/bin/memex-mcp' 'hook' 'stop'")
    assert stop["timeoutSec"] == 10


def test_an_earlier_file_of_hooks_is_replaced_and_somebody_elses_is_not(wired: Wired) -> None:
    wired.install(launch=Launch(command="/old/memex-mcp"))
    wired.install()
    assert "/old/" not in wired.text(HOOKS)

    theirs = '{"version": 1, "hooks": {}}'
    wired.uninstall()
    wired.write(HOOKS, theirs)
    with pytest.raises(Unclear, match="not ours"):
        wired.install()
    wired.uninstall()
    assert wired.text(HOOKS) == theirs


def test_hooks_of_others_in_that_folder_are_not_touched(wired: Wired) -> None:
    wired.write("home/.copilot/hooks/guard.json", '{"version": 1}')
    before = tree(wired.folder)

    wired.install()
    assert wired.text("home/.copilot/hooks/guard.json") == '{"version": 1}'
    wired.uninstall()

    assert tree(wired.folder) == before


@pytest.mark.parametrize("name", ["CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"])
def test_in_a_project_the_manual_is_written_once(project: Wired, name: str) -> None:
    project.write(f"project/{name}", "# Theirs\n")
    project.install()
    assert MANUAL.strip() in project.text("project/AGENTS.md")
    assert project.text(f"project/{name}") == "# Theirs\n"
    project.uninstall()

    project.write(f"project/{name}", f"# Theirs\n\n{BLOCK}")
    project.install()

    assert "project/AGENTS.md" not in tree(project.folder)
    assert MANUAL.strip() in project.text(f"project/{name}")
    assert project.text(f"project/{name}").count("memex:begin") == 1


def test_a_project_does_not_use_the_file_that_is_claudes(project: Wired) -> None:
    project.install(Wanted())

    assert "project/.github/mcp.json" in tree(project.folder)
    assert "project/.github/hooks/memex.json" in tree(project.folder)
    assert "project/.mcp.json" not in tree(project.folder)
    assert "version control" in project.notes()


def test_its_folder_may_be_elsewhere(wired: Wired) -> None:
    wired.on(COPILOT_HOME=str(wired.folder / "other")).install()

    assert "other/mcp-config.json" in tree(wired.folder)
    assert "home/.copilot" not in tree(wired.folder)
