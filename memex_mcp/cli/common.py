"""What the commands share: where the store is, who asks, how an answer is printed."""

import argparse
import json
import sys
from collections.abc import Generator
from contextlib import contextmanager

from memex_mcp import settings
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Surface


def add_place(parser: argparse.ArgumentParser, *, as_json: bool = True) -> None:
    """Declare ``--root``, ``--workspace``, ``--session`` and, for readers, ``--json``."""
    parser.add_argument("--root", metavar="DIR", help="store folder (default: MEMEX_HOME)")
    parser.add_argument("--workspace", metavar="DIR", help="workspace (default: this folder)")
    parser.add_argument("--session", metavar="ID", help="session whose private records count too")
    if as_json:
        parser.add_argument("--json", action="store_true", help="answer in JSON")


@contextmanager
def opened(args: argparse.Namespace) -> Generator[tuple[Memory, Caller]]:
    """The store and the caller that the arguments name, brought up to date."""
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
        yield memory, caller
    finally:
        memory.close()


def at_terminal() -> bool:
    """Whether a person sits in front of this: a terminal to read from and to write to."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def put(value: object) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
