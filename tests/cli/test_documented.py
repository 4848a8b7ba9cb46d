"""What is told about the commands is so."""

import argparse
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from memex_mcp.cli import COMMANDS, _module
from tests.card import card
from tests.cli.using import Run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

# What may follow the name in a sentence about the program.
PROSE = {"and", "at", "here", "is"}
_CALL = re.compile(r"memex-mcp\"? (--?[a-z-]+|[A-Za-z][A-Za-z-]*)([^`\n]*)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def calls() -> Iterator[tuple[str, str, str]]:
    """Every mention of the command with a word after it: file, word, rest of the line."""
    folders = ("memex_mcp", "adapters", "manuals", "docs", ".github")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    for path in [*files, *ROOT.glob("*.md")]:
        if path.suffix in (".py", ".md", ".toml", ".yml"):
            for word, rest in _CALL.findall(path.read_text(encoding="utf-8")):
                yield str(path.relative_to(ROOT)), word, rest


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented_where_people_look(name: str) -> None:
    told = import_module(f"memex_mcp.cli.{_module(name)}").__doc__ or ""

    assert told.startswith(f"``memex-mcp {name}``: ")
    assert re.search(rf"^memex-mcp {name} .+\S$", README, re.MULTILINE)


@card("cli.documented")
def test_every_command_that_is_named_exists() -> None:
    known = {*COMMANDS, *PROSE, "COMMAND", "--version", "--help", "help"}
    named = [(file, word) for file, word, _ in calls() if word not in known]

    assert not named
    assert {word for _, word, _ in calls()} >= COMMANDS.keys()


def test_every_option_that_is_named_exists() -> None:
    unknown = []
    for file, name, rest in calls():
        if name in COMMANDS:
            parser = argparse.ArgumentParser(add_help=False)
            import_module(f"memex_mcp.cli.{_module(name)}").configure(parser)
            known = parser.format_help()
            unknown += [(file, name, each) for each in _OPTION.findall(rest) if each not in known]

    assert not unknown


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("serve", "hook")])
def test_every_command_that_reports_speaks_json(run: Run, name: str) -> None:
    assert "--json" in run(name, "--help").out
