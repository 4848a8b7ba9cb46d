"""Clients get a path that stays."""

import subprocess
from pathlib import Path

import pytest

from memex_adapters.errors import Unclear
from memex_adapters.launcher import choose
from memex_adapters.place import Place
from tests.adapters.using import install, tree, uninstall


@pytest.fixture
def place(tmp_path: Path) -> Place:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return Place(home=home)


def program(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\necho {says} "$#" "$1"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


def said(path: str, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [path, *words], check=False, capture_output=True, encoding="utf-8", timeout=30
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "where", ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin", "~/.local/bin", "~/bin"]
)
def test_a_command_in_a_folder_for_commands_is_entered_as_it_is(place: Place, where: str) -> None:
    running = Path(where.replace("~", str(place.home))) / "memex-mcp"

    chosen = choose(running, place)

    assert (chosen.command, chosen.script) == (str(running), None)


@pytest.mark.parametrize(
    "where",
    [
        "venv/bin",
        "memex-0.1.0/bin",
        ".pyenv/versions/3.11.7/bin",
        ".cache/uv/archive-v0/x1/bin",
        'o\'neil "x" $HOME 记忆/bin',
    ],
)
def test_a_command_anywhere_else_is_run_by_a_launcher(
    place: Place, tmp_path: Path, where: str
) -> None:
    running = program(tmp_path / where / "memex-mcp", "one")
    chosen = choose(running, place)
    assert chosen.script is not None

    install(tmp_path / "store", [chosen.script])

    assert chosen.command == str(place.home / ".local" / "bin" / "memex-mcp")
    assert said(chosen.command, "a b", "") == (0, "one 2 a b\n")
    assert bool(chosen.warning) is (".cache" in where or "tmp" in running.parts)


def test_an_upgrade_rewrites_the_launcher_and_no_path_changes(place: Place, tmp_path: Path) -> None:
    before = tree(place.home)
    commands, scripts = [], []
    for version in ("1.0", "2.0"):
        running = program(tmp_path / version / "memex-mcp", version)
        chosen = choose(running, place)
        assert chosen.script is not None
        scripts = [chosen.script]
        install(tmp_path / "store", scripts)
        commands.append((chosen.command, said(chosen.command)))

    assert commands[0][0] == commands[1][0]
    assert [each[1][1].split()[0] for each in commands] == ["1.0", "2.0"]
    uninstall(tmp_path / "store", scripts)
    assert tree(place.home) == before


def test_a_launcher_without_its_program_is_silent_for_hooks_and_loud_for_people(
    place: Place, tmp_path: Path
) -> None:
    running = program(tmp_path / "v" / "memex-mcp", "one")
    chosen = choose(running, place)
    assert chosen.script is not None
    install(tmp_path / "store", [chosen.script])
    assert said(chosen.command, "hook", "stop") == (0, "one 2 hook\n")

    running.unlink()

    assert said(chosen.command, "hook", "stop") == (0, "")
    assert said(chosen.command, "serve") == (127, "")


def test_the_launcher_itself_is_never_taken_for_the_command_that_it_runs(
    place: Place, tmp_path: Path
) -> None:
    running = program(tmp_path / "v" / "memex-mcp", "one")
    chosen = choose(running, place)
    assert chosen.script is not None
    install(tmp_path / "store", [chosen.script])

    again = choose(running, place)

    assert again.script is not None
    assert again.script.body == Path(chosen.command).read_text(encoding="utf-8")


def test_a_link_of_an_installer_to_the_same_command_is_used(place: Place, tmp_path: Path) -> None:
    running = program(tmp_path / "pipx" / "venvs" / "memex-mcp", "one")
    link = place.home / ".local" / "bin" / "memex-mcp"
    link.parent.mkdir(parents=True)
    link.symlink_to(running)

    chosen = choose(running, place)

    assert (chosen.command, chosen.script) == (str(link), None)


def test_another_program_of_that_name_is_left_alone(place: Place, tmp_path: Path) -> None:
    theirs = program(place.home / ".local" / "bin" / "memex-mcp", "theirs")

    with pytest.raises(Unclear, match="another"):
        choose(program(tmp_path / "v" / "memex-mcp", "one"), place)

    assert said(str(theirs))[1].startswith("theirs")


def test_a_link_to_a_program_that_is_gone_is_told_and_left_alone(
    place: Place, tmp_path: Path
) -> None:
    link = place.home / ".local" / "bin" / "memex-mcp"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "gone" / "memex-mcp")

    with pytest.raises(Unclear, match="a link to a program that is gone"):
        choose(program(tmp_path / "v" / "memex-mcp", "one"), place)

    assert link.is_symlink()


def test_on_windows_the_program_itself_is_entered(place: Place) -> None:
    windows = Place(home=place.home, system="win32")

    assert choose(Path("/v/memex-mcp.exe"), windows).command == "/v/memex-mcp.exe"
