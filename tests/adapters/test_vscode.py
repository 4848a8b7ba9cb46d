"""VS Code: its own key, every edition, and one manual together with Copilot CLI."""

import json
from pathlib import Path

import pytest

from memex_adapters.clients import Wanted
from memex_adapters.errors import Unclear
from tests.adapters.journeys import Wired
from tests.adapters.using import MANUAL, tree
from tests.adapters.wired import LAUNCH

USER = "home/.config/Code/User"
INSIDERS = "home/.config/Code - Insiders/User"


@pytest.fixture
def wired(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "vscode")


def test_the_key_is_servers_and_the_manual_applies_to_all_files(wired: Wired) -> None:
    wired.install()

    assert json.loads(wired.text(f"{USER}/mcp.json")) == {
        "servers": {"memex": {"type": "stdio", "command": LAUNCH.command, "args": ["serve"]}}
    }
    manual = wired.text(f"{USER}/prompts/memex.instructions.md")
    assert "\napplyTo: '**'\n---\n" in manual
    assert manual.endswith(MANUAL)
    assert "No hooks for VS Code" in wired.notes()


def test_every_edition_that_is_here_gets_an_entry(wired: Wired) -> None:
    (wired.folder / INSIDERS).mkdir(parents=True)
    wired.install(Wanted())
    assert f"{INSIDERS}/mcp.json" in tree(wired.folder)
    assert USER not in tree(wired.folder)

    (wired.folder / USER).mkdir(parents=True)
    wired.install(Wanted())

    assert f"{USER}/mcp.json" in tree(wired.folder)
    wired.uninstall()
    assert [name for name in tree(wired.folder) if name.endswith(".json")] == []


def test_instructions_of_that_name_by_somebody_else_stay(wired: Wired) -> None:
    (wired.folder / USER).mkdir(parents=True)
    theirs = "---\ndescription: my own notes\napplyTo: '**'\n---\n\nHow to use memex.\n"
    file = wired.write(f"{USER}/prompts/memex.instructions.md", theirs)
    before = tree(wired.folder)

    with pytest.raises(Unclear, match="not ours"):
        wired.install()
    wired.uninstall()
    assert tree(wired.folder) == before

    file.unlink()
    wired.install()
    assert MANUAL.strip() in file.read_text("utf-8")
