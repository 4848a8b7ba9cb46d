"""Qwen Code: Gemini's settings with Claude's hooks."""

import json
from pathlib import Path

import pytest

from memex_adapters.clients import Wanted
from tests.adapters.journeys import Wired
from tests.adapters.using import tree
from tests.adapters.wired import LAUNCH

SETTINGS = "home/.qwen/settings.json"


@pytest.fixture
def wired(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "qwen")


def test_the_settings_hold_server_and_hooks_in_seconds(wired: Wired) -> None:
    wired.install()

    settings = json.loads(wired.text(SETTINGS))
    assert settings["mcpServers"]["memex"]["args"] == ["serve"]
    assert settings["mcpServers"]["memex"]["trust"] is True
    assert set(settings["hooks"]) == {
        "SessionStart",
        "UserPromptSubmit",
        "PreCompact",
        "Stop",
        "SessionEnd",
    }
    commands = [group["hooks"][0] for groups in settings["hooks"].values() for group in groups]
    # From a thousand on it would read milliseconds.
    assert {each["timeout"] for each in commands} == {10}
    assert commands[-1]["command"] == LAUNCH.hook_line("session-end", "qwen")
    assert "memex:begin" in wired.text("home/.qwen/QWEN.md")


def test_trust_is_entered_only_by_consent(wired: Wired) -> None:
    wired.install(Wanted())
    assert "trust" not in wired.text(SETTINGS)
    assert "--allow" in wired.notes(Wanted())

    wired.install(Wanted(permission=True))
    assert '"trust": true' in wired.text(SETTINGS)


def test_hooks_for_claude_in_the_same_shape_are_not_ours(wired: Wired) -> None:
    line = LAUNCH.hook_line("stop", "claude")
    theirs = {"hooks": [{"type": "command", "command": line}]}
    wired.write(SETTINGS, json.dumps({"hooks": {"Stop": [theirs]}}))

    wired.install()
    stop = json.loads(wired.text(SETTINGS))["hooks"]["Stop"]
    assert stop[0] == theirs
    assert len(stop) == 2

    wired.uninstall(knowing=False)
    assert json.loads(wired.text(SETTINGS)) == {"hooks": {"Stop": [theirs]}}


def test_ours_comes_out_of_settings_that_qwen_has_rewritten(wired: Wired) -> None:
    wired.write(SETTINGS, '{\n  // mine\n  "theme": "x"\n}\n')
    wired.install()
    rewritten = json.loads(wired.text(SETTINGS).replace("// mine", ""))
    wired.write(SETTINGS, json.dumps({**rewritten, "$version": 4}, indent=1))

    wired.uninstall()

    assert json.loads(wired.text(SETTINGS)) == {"theme": "x", "$version": 4}


def test_a_project_says_that_it_has_to_be_approved(tmp_path: Path) -> None:
    wired = Wired(tmp_path / "person", "qwen", "project")

    wired.install()

    assert "project/.qwen/settings.json" in tree(wired.folder)
    assert "approve" in wired.notes()
    assert "approve" not in Wired(tmp_path / "person", "qwen").notes()


def test_its_folder_may_be_elsewhere(wired: Wired) -> None:
    wired.on(QWEN_HOME=str(wired.folder / "other")).install()

    assert "other/settings.json" in tree(wired.folder)
    assert "home/.qwen" not in tree(wired.folder)


def test_settings_that_hold_only_qwens_own_mark_are_gone_when_we_are(wired: Wired) -> None:
    before = tree(wired.folder)
    wired.install()
    wired.write(SETTINGS, json.dumps({**json.loads(wired.text(SETTINGS)), "$version": 4}))

    wired.uninstall()

    assert tree(wired.folder) == before
