"""What the guide to clients says is written is written, and what it shows can be typed."""

import argparse
import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from memex_adapters.clients import NAMES, Wanted, client
from memex_adapters.clients.claude import PERMISSION
from memex_adapters.launch import Launch
from memex_adapters.place import VARIABLES, Place
from memex_mcp.cli import main
from tests.cli.using import posix
from tests.guides import blocks, command_lines, parsed, table
from tests.process import COMMAND

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs/clients.md").read_text(encoding="utf-8")
CLIENTS = [name for name in NAMES if name != "generic"]
PARTS = ("server", "hooks", "manual")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and no client on PATH."""
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("MEMEX_HOME", str(tmp_path / "store"))
    monkeypatch.chdir(home / "work")
    monkeypatch.setattr(sys, "argv", COMMAND)
    return home


def written(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, str]:
    """Which file ``init`` would write each part to."""
    capsys.readouterr()
    assert main(["init", *options, "--dry-run", "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    return {what: step["path"] for step in steps for what in step["what"]}


@pytest.mark.skipif(sys.platform != "linux", reason="the paths shown are those of Linux")
@pytest.mark.parametrize("scope", ["user", "project"])
def test_each_client_is_written_to_where_the_table_says(
    home: Path, scope: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = table(GUIDE, f"`--scope {scope}`")
    above = "~/" if scope == "user" else ""
    base = home if scope == "user" else home / "work"

    assert list(shown) == CLIENTS
    for name, cells in shown.items():
        paths = {part: cell.strip("`") for part, cell in zip(PARTS, cells, strict=True)}
        there = written(capsys, name, "--scope", scope)
        told = {
            part: above + str(Path(there[part]).relative_to(base)) if part in there else "–"
            for part in PARTS
        }
        assert paths == told, name


def test_what_is_left_to_do_is_what_init_says(home: Path) -> None:
    shown = table(GUIDE, "client")

    assert list(shown) == CLIENTS
    for name, [cell] in shown.items():
        # What a note says depends on what is there: the module has all of them.
        source = (ROOT / f"adapters/memex_adapters/clients/{name}.py").read_text(encoding="utf-8")
        quoted = re.findall(r"`([^`]+)`", cell)
        assert [each for each in quoted if each not in f"{source} {PERMISSION}"] == [], name
        module = client(name)
        for scope in module.SCOPES:
            place = Place(home=home, scope=scope, project=home / "work")
            assert module.notes(place, Launch(command="/memex-mcp"), Wanted(manual="-")), name


def test_every_command_in_it_is_a_command_line() -> None:
    lines = [line for line in command_lines(GUIDE) if line.startswith("memex-mcp ")]

    assert len(lines) > 25
    for line in lines:
        if line != "memex-mcp is no longer installed":
            parsed(line)
    others = {line.split()[0] for line in command_lines(GUIDE)} - {"memex-mcp"}
    assert others == {"claude", "codex", "gemini"}
    with pytest.raises((argparse.ArgumentError, SystemExit)):
        parsed("memex-mcp purge --yes")


def test_by_hand_each_is_given_a_command_that_serves_and_one_that_removes_it() -> None:
    [block] = [block for block in blocks(GUIDE, "sh") if "mcp add" in block]
    lines = block.splitlines()

    assert [line.split()[0] for line in lines] == ["claude", "codex", "gemini"]
    for line in lines:
        assert shlex.split(line)[-2:] == ["$PWD/.venv/bin/memex-mcp", "serve"]
        assert f"`{line.split()[0]} mcp remove" in GUIDE


@posix
def test_a_plugin_folder_holds_what_is_said(home: Path) -> None:
    [sentence] = re.findall(r"^It holds (.+?), and no manual", GUIDE, re.MULTILINE)
    [block] = [block for block in blocks(GUIDE, "sh") if "--plugin " in block]
    write, start, remove = (shlex.split(line, comments=True)[1:] for line in block.splitlines())

    assert main([*write, "--yes"]) == 0
    folder = home / "work" / start[-1]
    there = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert there == set(re.findall(r"`([^`]+)`", sentence))
    assert main([*remove, "--yes"]) == 0
    assert not folder.exists()


def test_what_it_shows_of_the_options_is_true() -> None:
    options = " ".join(table(GUIDE, "option")).replace("`", "").replace(",", " ").split("--")[1:]

    plain = vars(parsed("memex-mcp init"))
    assert len(options) >= 3
    for option in options:
        words = {"PATH": "/x", "NAME": "claude"}
        given = [words.get(word, word) for word in option.split()]
        told = vars(parsed(shlex.join(["memex-mcp", "init", f"--{given[0]}", *given[1:]])))
        assert told != plain, f"--{option} says what goes without saying"


def test_what_it_quotes_is_said_somewhere() -> None:
    sources = "".join(
        re.sub(r'"\s*\n?\s*f?"', "", path.read_text(encoding="utf-8"))
        for top in ("memex_mcp", "adapters")
        for path in (ROOT / top).rglob("*.py")
    )
    symptoms = table(GUIDE, "what you see")
    quoted = [text for symptom in symptoms for text in re.findall(r"`([^`]+)`", symptom)]

    assert len(quoted) >= 3
    assert [text for text in quoted if text not in sources] == []


def test_it_is_reached_from_where_people_look() -> None:
    capture = (ROOT / "docs/capture.md").read_text(encoding="utf-8")

    assert "(clients.md)" in capture
    assert "(capture.md)" in GUIDE
