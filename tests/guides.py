"""What the tests of the guides have in common: the blocks, tables and command lines in a text."""

import argparse
import re
import shlex
from importlib import import_module

from memex_mcp.cli import COMMANDS, Command, _module


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks in a language, in order."""
    return re.findall(rf"^```{language}\n(.+?)^```", text, re.MULTILINE | re.DOTALL)


def table(text: str, title: str) -> dict[str, list[str]]:
    """The table whose first column has a title: the other cells of a row by its first."""
    _, found, rest = text.partition(f"\n| {title} |")
    assert found, title
    rows = rest.split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows]
    return {first: others for first, *others in cells}


def command_lines(text: str) -> list[str]:
    """Every command of ours in a block or in the text, with its comment."""
    prose = re.sub(r"\s*\n\s*", " ", re.sub(r"^```.+?^```", "", text, flags=re.M | re.S))
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    return [*lines, *re.findall(r"`(memex-mcp [^`]+)`", prose)]


def parsed(line: str) -> argparse.Namespace:
    """What our command makes of a line.

    Raises:
        ArgumentError: It does not take these arguments; SystemExit where it takes more.
    """
    program, name, *words = shlex.split(line, comments=True)
    assert (program, name in COMMANDS) == ("memex-mcp", True), line
    command: Command = import_module(f"memex_mcp.cli.{_module(name)}")
    parser = argparse.ArgumentParser(line, allow_abbrev=False, exit_on_error=False)
    command.configure(parser)
    return parser.parse_args(words)
