"""A check says what is wrong with a client, by its files and its command, and changes nothing."""

import json
import sys
from pathlib import Path

import pytest

from memex_adapters import launcher
from memex_adapters.launch import Launch
from tests.adapters.journeys import CLIENTS, Spot, Wired, spots
from tests.adapters.using import tree

JSON = [spot for spot in spots() if spot.kind != "text" and spot.scope == "user"]
LISTS = {
    "gemini": "✓ memex: /x serve (stdio) - Connected",
    "qwen": "\033[32m✓\033[0m memex: /x serve (stdio) - Connected",
    "opencode": "│\n●  ✓ memex \033[90mconnected\n│      /x serve",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "person"


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    return Launch(command=str(program(tmp_path / "bin o'x" / "memex-mcp", "exit 0")))


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("client", CLIENTS)
def test_nothing_is_wrong_after_installing_and_the_server_is_missed_before(
    client: str, folder: Path, launch: Launch
) -> None:
    wired = Wired(folder, client)
    assert "no entry for the server" in wired.check(launch)[0]
    wired.install(launch=launch)
    before = tree(folder)

    assert wired.check(launch) == []
    assert tree(folder) == before


@pytest.mark.parametrize("spot", JSON, ids=str)
def test_a_second_name_for_the_server_is_found(spot: Spot, folder: Path, launch: Launch) -> None:
    wired = Wired(folder, spot.client)
    wired.install(launch=launch)
    file = folder / spot.file
    told = json.loads(file.read_text("utf-8"))
    (servers,) = (each for each in told.values() if "memex" in each)
    servers["old-memory"] = servers["memex"]
    servers["other"] = {"command": "memex-like", "args": ["serve"]}
    file.write_text(json.dumps(told), encoding="utf-8")

    (trouble,) = wired.check(launch)

    assert "more than once" in trouble
    assert "old-memory" in trouble
    assert "other" not in trouble


@pytest.mark.parametrize("client", CLIENTS)
def test_a_program_that_is_gone_is_named(client: str, folder: Path, launch: Launch) -> None:
    wired = Wired(folder, client)
    wired.install(launch=launch)

    Path(launch.command).unlink()

    troubles = wired.check(launch)
    assert any(f"starts {launch.command}, which is not there" in each for each in troubles)
    if client in ("gemini", "qwen"):
        assert any("Hooks in" in each for each in troubles)


@pytest.mark.parametrize("client", ["gemini", "qwen", "copilot", "opencode", "cursor", "zed"])
def test_an_entry_in_the_project_as_well_is_one_too_many(
    client: str, folder: Path, launch: Launch
) -> None:
    wired, project = Wired(folder, client), Wired(folder, client, "project")
    wired.install(launch=launch)
    assert wired.check(launch) == []

    project.install(launch=launch)

    assert any("more than once" in each for each in wired.check(launch))
    project.uninstall()
    assert wired.check(launch) == []


@pytest.mark.parametrize("client", ["gemini", "qwen", "copilot"])
def test_hooks_of_another_installation_are_found(client: str, folder: Path, launch: Launch) -> None:
    wired = Wired(folder, client)
    wired.install(launch=launch)

    other = Launch(command=str(program(folder.with_name("new") / "memex-mcp", "exit 0")))

    assert any("hooks" in each and "another installation" in each for each in wired.check(other))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_damaged_file_is_told_and_not_touched(client: str, folder: Path, launch: Launch) -> None:
    wired = Wired(folder, client)
    wired.install(launch=launch)
    file = next(folder / spot.file for spot in JSON if spot.client == client)
    file.write_text('{"cut": ', encoding="utf-8")

    assert any(str(file) in each and "not valid JSON" in each for each in wired.check(launch))
    assert file.read_text("utf-8") == '{"cut": '


@pytest.mark.parametrize("client", LISTS)
def test_the_clients_own_command_is_believed(
    client: str, folder: Path, launch: Launch, tmp_path: Path
) -> None:
    bin_ = tmp_path / "bin"
    shown = tmp_path / "shown"
    shown.write_text(LISTS[client] + "\n", encoding="utf-8")
    # One of them prints its list where errors go.
    program(bin_ / client, f'[ "$1 $2" = "mcp list" ] && cat "{shown}" >&2')
    wired = Wired(folder, client).on(PATH=str(bin_))
    wired.install(launch=launch)
    assert wired.check(launch) == []

    failed = LISTS[client].replace("Connected", "Disconnected").replace("connected", "failed")
    shown.write_text(failed, encoding="utf-8")
    (trouble,) = wired.check(launch)
    assert "does not reach the server" in trouble

    shown.write_text("", encoding="utf-8")
    assert "no answer" in wired.check(launch)[0]


def test_gemini_says_that_it_does_not_trust_the_folder(
    folder: Path, launch: Launch, tmp_path: Path
) -> None:
    program(tmp_path / "bin" / "gemini", "echo '○ memex: /x serve (stdio) - Disabled' >&2")
    wired = Wired(folder, "gemini").on(PATH=str(tmp_path / "bin"))
    wired.install(launch=launch)

    (trouble,) = wired.check(launch)

    assert "does not trust" in trouble


@pytest.mark.parametrize("client", ["claude", "codex", *CLIENTS])
def test_a_launcher_whose_program_is_gone_is_told(
    client: str, folder: Path, tmp_path: Path
) -> None:
    running = program(tmp_path / "v o'x" / "memex-mcp", "exit 0")
    wired = Wired(folder, client)
    script = launcher.script(wired.place, running)
    start = Launch(command=str(program(script.path, "")))
    script.path.write_text(script.body, encoding="utf-8")
    wired.install(launch=start)
    sound = wired.check(start)

    running.unlink()

    assert not any("not there" in each for each in sound)
    assert any(f"starts {running}, which is not there" in each for each in wired.check(start))


def test_codex_is_searched_for_a_second_entry_too(folder: Path, launch: Launch) -> None:
    wired, project = Wired(folder, "codex"), Wired(folder, "codex", "project")
    wired.install(launch=launch)
    assert not any("more than once" in each for each in wired.check(launch))

    project.install(launch=launch)

    assert any("more than once" in each for each in wired.check(launch))


def test_claude_is_searched_for_an_entry_of_the_folder_alone(folder: Path, launch: Launch) -> None:
    wired = Wired(folder, "claude")
    wired.install(launch=launch)
    assert wired.check(launch) == []
    file = folder / "home" / ".claude.json"
    told = json.loads(file.read_text("utf-8"))
    told["projects"] = {str(folder / "project"): {"mcpServers": told["mcpServers"]}}

    file.write_text(json.dumps(told), encoding="utf-8")

    assert any("more than once" in each for each in wired.check(launch))


_CODEX = """#!{python}
import json, pathlib, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] in {told!r}:
        print("a line of no JSON", json.dumps([1]), json.dumps({{"method": "note"}}), sep="\\n")
        print(json.dumps({{"id": asked["id"], "result": {told!r}[asked["method"]]}}), flush=True)
    elif "/" in asked["method"]:
        sys.exit("never heard of it")
"""


def codex_that_says(folder: Path, told: dict[str, object]) -> Wired:
    bin_ = folder.with_name("bin")
    command = program(bin_ / "codex", "")
    command.write_text(_CODEX.format(python=sys.executable, told=told), encoding="utf-8")
    return Wired(folder, "codex").on(PATH=str(bin_))


def hooks_of_codex(launch: Launch, *trust: str, enabled: bool = True) -> dict[str, object]:
    lines = [launch.hook_line("stop", "codex")] * len(trust)
    ours = [
        {"command": line, "eventName": "stop", "trustStatus": each, "enabled": enabled}
        for line, each in zip(lines, trust, strict=True)
    ]
    theirs = {"command": "x", "eventName": "stop", "trustStatus": "untrusted", "enabled": False}
    return {"data": [{"cwd": "/x", "hooks": [*ours, theirs, {"command": None}]}]}


@pytest.mark.parametrize(
    ("server", "trust", "expected"),
    [
        pytest.param({"serverInfo": {"name": "memex"}}, ("trusted", "managed"), "", id="sound"),
        pytest.param({"serverInfo": None, "toolsError": "it died"}, (), "it died", id="no start"),
        pytest.param({"serverInfo": None}, (), "it does not start", id="no reason"),
        pytest.param({"serverInfo": {}, "name": "other"}, (), "does not list it", id="unknown"),
        pytest.param(
            {"serverInfo": {"name": "memex"}}, ("untrusted", "modified"), "none of", id="new hooks"
        ),
        pytest.param(
            {"serverInfo": {"name": "memex"}}, ("trusted", "modified"), "1 of the 2", id="changed"
        ),
    ],
)
def test_codex_is_asked_for_its_server_and_what_it_trusts(
    folder: Path,
    launch: Launch,
    server: dict[str, object],
    trust: tuple[str, ...],
    expected: str,
) -> None:
    servers = {"data": [{"name": "a", "serverInfo": {}}, {"name": "memex", **server}]}
    hooks = hooks_of_codex(launch, *trust)
    told = {"initialize": {}, "mcpServerStatus/list": servers, "hooks/list": hooks}
    wired = codex_that_says(folder, told)
    wired.install(launch=launch)

    troubles = wired.check(launch)

    assert len(troubles) == bool(expected)
    assert expected in "".join(troubles)


def test_hooks_that_are_turned_off_and_answers_that_nobody_knows_are_told(
    folder: Path, launch: Launch
) -> None:
    servers = {"data": [{"name": "memex", "serverInfo": {"name": "memex"}}]}
    hooks = hooks_of_codex(launch, "trusted", enabled=False)
    wired = codex_that_says(folder, {"mcpServerStatus/list": servers, "hooks/list": hooks})
    wired.install(launch=launch)
    assert wired.check(launch) == ["Hooks are turned off in Codex: stop."]

    for odd in ({"data": 1}, {"data": [{"hooks": [{"command": 1}, 2]}]}):
        codex_that_says(folder, {"mcpServerStatus/list": servers, "hooks/list": odd})
        assert "no answer" in wired.check(launch)[0]
    codex_that_says(folder, {"mcpServerStatus/list": servers})
    assert "no answer" in wired.check(launch)[0]
