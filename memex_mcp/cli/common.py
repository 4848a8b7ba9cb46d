"""What the commands share: where the store is, who asks, how an answer is printed."""

import argparse
import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

from memex_mcp import settings
from memex_mcp.cli.columns import json_safe, safe
from memex_mcp.cli.look import is_terminal
from memex_mcp.errors import Invalid, Unavailable
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.ids import is_id
from memex_mcp.model.kinds import Kind, Scope, Surface


def add_root(parser: argparse.ArgumentParser) -> None:
    """Declare ``--root`` and ``--json``."""
    parser.add_argument("--root", metavar="DIR", help="store folder (default: MEMEX_HOME)")
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def add_place(parser: argparse.ArgumentParser) -> None:
    """Declare ``--workspace``, ``--session``, ``--root`` and ``--json``."""
    parser.add_argument("--workspace", metavar="DIR", help="workspace (default: this folder)")
    parser.add_argument(
        "--session",
        metavar="ID",
        help="session whose private records count too; at a terminal its first characters will do",
    )
    add_root(parser)


def add_narrowing(parser: argparse.ArgumentParser) -> None:
    """Declare ``--kind`` and ``--scope``, for every command that looks for records."""
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=[*map(str, Kind)],
        metavar="KIND",
        help=f"only {', '.join(Kind)}; repeatable",
    )
    parser.add_argument(
        "--scope",
        choices=[*map(str, Scope)],
        metavar="SCOPE",
        help=f"only {', '.join(Scope)}",
    )


def between(least: int, most: int) -> Callable[[str], int]:
    """An argument type: a whole number in a range."""

    def number(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not between {least} and {most}")
        return value

    return number


def record_id(text: str) -> str:
    """A record id as people type it, in either case.

    Raises:
        Invalid: It has not the shape of one.
    """
    if not is_id(text.upper()):
        raise Invalid(f"{text[:40]!r} is no record id", "Use an id that a search returned.")
    return text.upper()


def optional_id(text: str | None) -> str | None:
    """The same for an option; one that is empty is no id, not an option left out."""
    return None if text is None else record_id(text)


@contextmanager
def opened(args: argparse.Namespace) -> Generator[tuple[Memory, Caller]]:
    """The store and the caller that the arguments name."""
    memory = Memory(settings.load(args.root))
    try:
        caller = memory.caller(
            Evidence(
                surface=Surface.CLI,
                client="cli",
                workspace=args.workspace,
                session_id=args.session,
                human=at_terminal(),
            )
        )
        yield memory, memory.recognised(caller) if args.session else caller
    finally:
        memory.close()


def catch_up(memory: Memory) -> None:
    """Take in what people did to the files, and tell on stderr what could not be taken.

    A store that can only be read is read as it is.
    """
    with suppress(Unavailable):
        for edit in memory.refresh():
            if edit.problem:
                print(safe(f"note: {edit.path}: {edit.problem}"), file=sys.stderr)


def at_terminal() -> bool:
    """Whether a person sits in front of this: a terminal to read from and to write to."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def put(value: object) -> None:
    """Print a value as JSON that no terminal obeys."""
    unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not unicode, indent=2)
    print(json_safe(text))
