"""Each client is found where it is used, and takes only the parts that are wanted."""

from dataclasses import replace
from pathlib import Path

import pytest

from memex_adapters.checks import asked
from memex_adapters.clients import Wanted
from tests.adapters.journeys import CLIENTS, Wired
from tests.adapters.using import MANUAL, tree
from tests.adapters.wired import ALL, LAUNCH

FOLDERS = {
    "gemini": ".gemini",
    "qwen": ".qwen",
    "copilot": ".copilot",
    "opencode": ".config/opencode",
    "cline": ".cline",
    "cursor": ".cursor",
    "windsurf": ".codeium/windsurf",
    "zed": ".config/zed",
    "vscode": ".config/Code/User",
}
COMMANDS = {name: name for name in CLIENTS} | {"vscode": "code"}
HOOKED = ("gemini", "qwen", "copilot")
NOTHING = Wanted(server=False, hooks=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "person"


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_is_here_by_its_folder_or_its_command(client: str, folder: Path) -> None:
    wired = Wired(folder, client)
    assert not wired.module.is_here(wired.place)

    program = wired.write(f"bin/{COMMANDS[client]}", "#!/bin/sh\n")
    program.chmod(0o755)
    assert wired.on(PATH=str(program.parent)).module.is_here(wired.place)

    wired.on()
    assert not wired.module.is_here(wired.place)
    wired.write(f"home/{FOLDERS[client]}/settings.json", "{}")
    assert wired.module.is_here(wired.place)


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_not_wanted_is_not_written(client: str, scope: str, folder: Path) -> None:
    wired = Wired(folder, client, scope)
    before = tree(folder)
    wired.install(NOTHING)
    assert tree(folder) == before

    alone = {
        "server": Wanted(hooks=False),
        "hooks": Wanted(server=False),
        "manual": Wanted(server=False, hooks=False, manual=MANUAL),
    }
    for part, wanted in alone.items():
        pieces = wired.module.pieces(wired.place, LAUNCH, wanted)
        assert {piece.what for piece in pieces if piece.put("")} <= {part}  # type: ignore[union-attr]
        wired.install(wanted)
        assert (tree(folder) != before) == bool(pieces)
        wired.uninstall()
        assert tree(folder) == before


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_without_hooks_says_so_only_when_they_are_wanted(
    client: str, folder: Path
) -> None:
    wired = Wired(folder, client)

    with_hooks, without = wired.notes(Wanted()), wired.notes(Wanted(hooks=False))

    assert ("no hooks" in with_hooks.lower()) == (client not in HOOKED)
    assert "no hooks" not in without.lower()


@pytest.mark.parametrize("client", (*CLIENTS, "generic"))
def test_what_a_person_is_told_are_whole_sentences(client: str, folder: Path) -> None:
    for scope in Wired(folder, client).module.SCOPES:
        wired = Wired(folder, client, scope)
        module = wired.module
        told = [*module.notes(wired.place, LAUNCH, Wanted()), *module.farewell(wired.place)]
        assert all(each[0].isalnum() or each[0] == "." for each in told)
        assert all(each.endswith(".") for each in told)


@pytest.mark.parametrize(
    ("client", "system", "variables", "expected"),
    [
        ("vscode", "linux", {}, "home/.config/Code/User/mcp.json"),
        ("vscode", "darwin", {}, "home/Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", {"APPDATA": "roaming"}, "roaming/Code/User/mcp.json"),
        ("zed", "linux", {}, "home/.config/zed/settings.json"),
        ("zed", "linux", {"XDG_CONFIG_HOME": "xdg"}, "xdg/zed/settings.json"),
        ("zed", "darwin", {}, "home/.config/zed/settings.json"),
        ("zed", "win32", {"APPDATA": "roaming"}, "roaming/Zed/settings.json"),
    ],
)
def test_each_system_keeps_an_editors_settings_in_its_own_place(
    folder: Path, client: str, system: str, variables: dict[str, str], expected: str
) -> None:
    wired = Wired(folder, client)
    absolute = {name: str(folder / value) for name, value in variables.items()}
    place = replace(wired.place, system=system, variables=absolute)

    (server,) = wired.module.pieces(place, LAUNCH, Wanted())

    assert server.path == folder / expected  # type: ignore[union-attr]
    assert len(wired.module.pieces(place, LAUNCH, ALL)) == 2


def test_a_command_that_cannot_be_started_gives_no_answer(folder: Path) -> None:
    wired = Wired(folder, "qwen").on(PATH=str(folder / "bin"))
    program = wired.write("bin/qwen", "#!/nowhere/sh\n")
    program.chmod(0o755)
    assert asked("qwen", wired.place) == ["`qwen mcp list` does not reach the server: no answer"]

    wired.write("bin/qwen", "#!/bin/sh\necho '✓ memex: x - Connected'\n")

    assert asked("qwen", wired.place) == []
