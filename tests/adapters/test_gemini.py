"""Gemini CLI: what is entered, and what its own command says of it."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memex_adapters.clients import Wanted
from memex_adapters.launch import Launch
from tests.adapters.journeys import Wired
from tests.adapters.using import bare, tree
from tests.adapters.wired import LAUNCH
from tests.clients.ground import environment, need, program

SETTINGS = "home/.gemini/settings.json"


@pytest.fixture
def wired(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "gemini")


def test_the_settings_hold_server_and_hooks_in_milliseconds(wired: Wired) -> None:
    wired.install()

    settings = json.loads(wired.text(SETTINGS))
    assert settings["mcpServers"]["memex"] == {
        "command": LAUNCH.command,
        "args": ["serve"],
        "trust": True,
    }
    assert set(settings["hooks"]) == {
        "SessionStart",
        "BeforeAgent",
        "PreCompress",
        "AfterAgent",
        "SessionEnd",
    }
    (group,) = settings["hooks"]["BeforeAgent"]
    assert group["hooks"] == [
        {
            "type": "command",
            "command": LAUNCH.hook_line("user-prompt-submit", "gemini"),
            "name": "memex",
            "timeout": 10_000,
        }
    ]
    assert "<!-- memex:begin gemini -->" in wired.text("home/.gemini/GEMINI.md")


def test_trust_is_entered_only_by_consent_and_what_a_person_said_of_it_stays(wired: Wired) -> None:
    wired.install(Wanted())
    assert "trust" not in wired.text(SETTINGS)
    assert "--allow" in wired.notes(Wanted())

    wired.install(Wanted(permission=True))
    assert json.loads(wired.text(SETTINGS))["mcpServers"]["memex"]["trust"] is True
    assert "--allow" not in wired.notes(Wanted(permission=True))

    wired.install(Wanted())
    assert json.loads(wired.text(SETTINGS))["mcpServers"]["memex"]["trust"] is True


def test_a_project_has_files_of_its_own(tmp_path: Path) -> None:
    wired = Wired(tmp_path / "person", "gemini", "project")

    wired.install()

    assert set(tree(wired.folder)) == {
        "home",
        "project",
        "project/.gemini",
        "project/.gemini/settings.json",
        "project/GEMINI.md",
    }


def test_hooks_of_others_keep_their_places(wired: Wired) -> None:
    theirs = '{"hooks": [{"type": "command", "command": "guard"}]}'
    wired.write(SETTINGS, f'{{"hooks": {{"AfterAgent": [{theirs}], "BeforeTool": [{theirs}]}}}}')

    wired.install()
    wired.install(launch=Launch(command="/usr/local/bin/memex-mcp"))

    hooks = json.loads(wired.text(SETTINGS))["hooks"]
    assert hooks["AfterAgent"][0] == hooks["BeforeTool"][0] == json.loads(theirs)
    assert len(hooks["AfterAgent"]) == 2
    assert len(hooks["BeforeTool"]) == 1


def test_what_gemini_rewrote_meanwhile_stays_and_ours_is_gone(wired: Wired) -> None:
    wired.write(SETTINGS, '{\n  // mine\n  "general": {"old": 1}\n}\n')
    wired.install()
    wired.write(SETTINGS, wired.text(SETTINGS).replace('"old"', '"new"'))

    wired.uninstall()

    assert wired.text(SETTINGS) == '{\n  // mine\n  "general": {"new": 1}\n}\n'


def test_windows_gets_a_line_for_its_shell_or_no_hooks_at_all(wired: Wired) -> None:
    place = replace(wired.place, system="win32")
    plain = Launch(command="C:\\Users\\a\\.local\\bin\\memex-mcp.exe")
    spaced = Launch(command="C:\\Users\\a b\\memex-mcp.exe")

    server, hooks = wired.module.pieces(place, plain, Wanted())
    assert "C:/Users/a/.local/bin/memex-mcp.exe hook stop --client gemini" in str(hooks)
    text = hooks.put("")  # type: ignore[union-attr]
    assert hooks.put(text) == text  # type: ignore[union-attr]
    assert len(wired.module.pieces(place, spaced, Wanted())) == 1
    assert "no spaces" in " ".join(wired.module.notes(place, spaced, Wanted()))
    assert "no spaces" not in " ".join(wired.module.notes(place, plain, Wanted()))
    assert server.what == "server"  # type: ignore[union-attr]


@pytest.mark.timeout(120)
def test_the_real_gemini_reaches_the_server_where_it_trusts_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("gemini", "node")
    wired = Wired(tmp_path / "person 某人", "gemini")
    installed = str(Path(sys.executable).with_name("memex-mcp"))
    launch = Launch(command=installed, root=str(tmp_path / "root"))
    wired.write(SETTINGS, '{\n  // mine\n  "privacy": {"usageStatisticsEnabled": false}\n}\n')
    before = tree(wired.folder / "home")
    wired.install(launch=launch)
    assert bare(wired.text(SETTINGS)) != wired.text(SETTINGS), "the comment is gone"
    variables = environment(wired.place.home)
    path = f"{program('gemini').parent}:{variables['PATH']}"
    for name, value in {**variables, "PATH": path}.items():
        monkeypatch.setenv(name, value)
    wired.on(PATH=path)

    (untrusted,) = wired.check(launch)
    trusted = {str(wired.place.project): "TRUST_FOLDER"}
    wired.write("home/.gemini/trustedFolders.json", json.dumps(trusted))

    assert "does not trust" in untrusted
    assert wired.check(launch) == []
    wired.uninstall()
    assert {name: tree(wired.folder / "home")[name] for name in before} == before
