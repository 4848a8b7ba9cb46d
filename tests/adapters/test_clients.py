"""Claude Code and Codex, without their programs: what is entered, and that it comes out again."""

import json
import shlex
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from memex_adapters.clients import NAMES, Wanted, client, every_piece
from memex_adapters.place import Place
from tests.adapters.using import LATER
from tests.adapters.wired import ALL, LAUNCH, both, install, uninstall

EVENTS = ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"]


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "generic"])
def test_any_client_in_any_scope_goes_in_once_and_out_without_a_trace(
    place: Place, store: Path, name: str, scope: str
) -> None:
    module = client(name)
    place = next((replace(place, scope=each) for each in module.SCOPES if each == scope), place)
    if place.scope != scope:
        pytest.skip(f"{name} has no {scope} scope")
    before = both(place)
    install(store, place, name)
    once = both(place)

    install(store, place, name)
    assert both(place) == once
    install(store, place, name, replace(ALL, manual_in="shared"), LATER)
    uninstall(store, place, name)

    assert both(place) == before
    assert [before[0] == once[0], before[1] == once[1]] == [scope == "project", scope == "user"]


def test_hooks_that_a_person_entered_by_hand_are_taken_over_and_not_doubled(
    place: Place, store: Path
) -> None:
    by_hand = {"type": "command", "command": "/old/venv/bin/memex hook Stop"}
    theirs = {"type": "command", "command": "/opt/memex-notes hook stop --client claude"}
    settings = place.home / ".claude" / "settings.json"
    hooks = {"hooks": {"Stop": [{"hooks": [theirs, by_hand]}, {"hooks": [by_hand]}]}}
    settings.write_text(json.dumps(hooks), encoding="utf-8")

    install(store, place, "claude", Wanted())

    stop = json.loads(settings.read_text(encoding="utf-8"))["hooks"]["Stop"]
    assert [[each["command"] for each in group["hooks"]] for group in stop] == [
        [theirs["command"], LAUNCH.command]
    ]
    uninstall(store, place, "claude")
    assert json.loads(settings.read_text(encoding="utf-8")) == {
        "hooks": {"Stop": [{"hooks": [theirs]}]}
    }


def test_claude_gets_hooks_that_need_no_shell_after_those_of_others(
    place: Place, store: Path
) -> None:
    install(store, place, "claude")

    settings = json.loads((place.home / ".claude" / "settings.json").read_text(encoding="utf-8"))
    assert sorted(settings["hooks"]) == sorted([*EVENTS, "SubagentStop"])
    assert settings["hooks"]["Stop"] == [
        {"hooks": []},
        {
            "hooks": [
                {
                    "type": "command",
                    "command": LAUNCH.command,
                    "args": ["hook", "stop", "--client", "claude"],
                    "timeout": 10,
                }
            ]
        },
    ]
    assert settings["permissions"] == {"allow": ["mcp__memex__*"]}


def test_claude_gets_no_permission_that_nobody_gave(place: Place, store: Path) -> None:
    install(store, place, "claude", replace(ALL, permission=False))

    settings = (place.home / ".claude" / "settings.json").read_text(encoding="utf-8")
    assert "session-start" in settings
    assert "permissions" not in settings


def test_codex_gets_lines_that_a_shell_reads_back_as_they_were(place: Place, store: Path) -> None:
    install(store, place, "codex")

    told = json.loads((place.home / ".codex" / "hooks.json").read_text(encoding="utf-8"))
    assert list(told) == ["hooks"]
    ours = {event: groups[-1]["hooks"][0] for event, groups in told["hooks"].items()}
    assert told["hooks"]["Stop"][0] == {"hooks": [{"command": "a"}]}
    assert sorted(ours) == sorted(EVENTS)
    assert shlex.split(ours["Stop"]["command"]) == [
        LAUNCH.command, "hook", "stop", "--client", "codex",
    ]  # fmt: skip
    assert {event: each["timeout"] for event, each in ours.items()} == {
        **dict.fromkeys(EVENTS, 10),
        "SessionEnd": 3,
    }


def test_codex_gets_a_server_that_names_no_project(place: Place, store: Path) -> None:
    install(store, place, "codex")

    text = (place.home / ".codex" / "config.toml").read_text(encoding="utf-8")
    assert text.startswith('# mine\nmodel = "x"\n')
    server = tomllib.loads(text)["mcp_servers"]["memex"]
    assert (server["command"], server["args"]) == (LAUNCH.command, ["serve"])
    assert str(place.project) not in text


def test_trust_that_codex_noted_goes_with_our_hooks_and_that_of_others_stays(
    place: Place, store: Path
) -> None:
    install(store, place, "codex")
    config, hooks = (place.home / ".codex" / name for name in ("config.toml", "hooks.json"))
    state = '\n[hooks.state."{}:stop:{}:0"]\ntrusted_hash = "sha256:1"\n'
    theirs, ours = state.format(hooks, 0), state.format(hooks, 1)
    config.write_text(config.read_text(encoding="utf-8") + theirs + ours, encoding="utf-8")

    uninstall(store, place, "codex")

    assert config.read_text(encoding="utf-8") == '# mine\nmodel = "x"\n' + theirs


def test_codex_is_warned_about_hooks_that_move_up(place: Place, store: Path) -> None:
    install(store, place, "codex")
    assert client("codex").farewell(place) == []
    hooks = place.home / ".codex" / "hooks.json"
    told = json.loads(hooks.read_text(encoding="utf-8"))
    told["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    hooks.write_text(json.dumps(told), encoding="utf-8")

    assert "for Stop move up" in client("codex").farewell(place)[0]
    uninstall(store, place, "codex")

    left = json.loads(hooks.read_text(encoding="utf-8"))["hooks"]
    assert [group["hooks"][0]["command"] for group in left["Stop"]] == ["a", "later"]


def test_codex_says_that_an_override_hides_the_manual(store: Path, place: Place) -> None:
    codex = client("codex")
    override = place.home / ".codex" / "AGENTS.override.md"

    def told() -> tuple[bool, bool]:
        noted, troubles = codex.notes(place, LAUNCH, ALL), codex.check(place, LAUNCH)
        return any("override" in note for note in noted), any("override" in t for t in troubles)

    install(store, place, "codex")
    assert told() == (False, False)
    override.write_text("x", encoding="utf-8")
    assert told() == (True, True)
    uninstall(store, place, "codex")
    # Where no manual is, none is hidden.
    assert told() == (True, False)


def test_codex_is_told_that_hooks_wait_for_trust(place: Place) -> None:
    codex = client("codex")

    assert any("Trust all" in note for note in codex.notes(place, LAUNCH, ALL))
    assert not any(
        "Trust all" in note for note in codex.notes(place, LAUNCH, replace(ALL, hooks=False))
    )


def test_folders_that_the_environment_names_are_used(place: Place, tmp_path: Path) -> None:
    moved = replace(
        place,
        variables={"CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x")},
    )

    claude, codex = (
        {piece.path for piece in every_piece(client(name), moved, LAUNCH) if hasattr(piece, "path")}
        for name in ("claude", "codex")
    )

    assert {path.parts[: len(tmp_path.parts) + 1][-1] for path in claude} == {"c"}
    assert {path.parts[: len(tmp_path.parts) + 1][-1] for path in codex} == {"x"}
