"""The ``memex-mcp`` command.

Only the module of the chosen command is imported: ``--version`` must not wait for a server.
Exit codes: 0 done, 1 a failure the caller can act on, 2 wrong usage, 3 a bug, 130 interrupted.
"""

import argparse
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

from memex_mcp.errors import MemexError

COMMANDS = {
    "serve": "run the MCP server on stdin and stdout",
    "try": "show a whole round in a temporary store",
    "search": "find records",
    "open": "read one record",
    "write": "remember a statement",
    "list": "records, newest first",
    "set-status": "dispute, supersede, retract, archive or activate a record",
    "tombstones": "withdrawn statements; lift one",
    "status": "what is on record here, and how full it is",
    "doctor": "check the store without changing it",
    "rebuild": "build index, files or database anew",
}


class Command(Protocol):
    """A module that carries out one command."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Carry the command out; returns the exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given[:1] in (["--version"], ["-V"]):
        from importlib.metadata import version

        print(f"memex-mcp {version('memex-mcp-server')}")
        return 0
    if not given or given[0] not in COMMANDS:
        return _overview(given)
    command: Command = import_module(f"memex_mcp.cli.{_module(given[0])}")  # type: ignore[assignment]  # a module
    parser = argparse.ArgumentParser(f"memex-mcp {given[0]}", description=COMMANDS[given[0]])
    command.configure(parser)
    return _carry_out(command, parser.parse_args(given[1:]))


def _carry_out(command: Command, args: argparse.Namespace) -> int:
    try:
        return command.run(args)
    except MemexError as error:
        return _expected(error, as_json=getattr(args, "json", False))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        sys.stderr.close()
        return 0
    except Exception:  # noqa: BLE001  # the last boundary: a bug is told as one
        traceback.print_exc()
        print("memex-mcp: this is a bug in memex, not your fault.", file=sys.stderr)
        return 3


def _module(name: str) -> str:
    return {"try": "trial", "list": "listing"}.get(name, name.replace("-", "_"))


def _overview(given: list[str]) -> int:
    wanted = not given or given[0] in ("-h", "--help", "help")
    out = sys.stdout if wanted else sys.stderr
    if not wanted:
        print(f"memex-mcp: there is no command {given[0]!r}\n", file=out)
    print("usage: memex-mcp COMMAND [options]      memex-mcp COMMAND --help\n", file=out)
    for name, told in COMMANDS.items():
        print(f"  {name:<12} {told}", file=out)
    return 0 if wanted else 2


def _expected(error: MemexError, *, as_json: bool) -> int:
    if as_json:
        import json

        body = {"code": error.code, "message": str(error), "hint": error.hint}
        print(json.dumps({"error": body}, ensure_ascii=False))
    else:
        print(f"memex-mcp: {error.told()}", file=sys.stderr)
    return 1
