"""The ``memex-mcp`` command.

Only the module of the chosen command is imported: ``--version`` must not wait for a server.
Exit codes: 0 done, 1 a failure the caller can act on, 2 wrong usage, 3 a bug, 130 interrupted.
"""

import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TextIO

from memex_mcp.errors import MemexError, Unavailable

if TYPE_CHECKING:
    import argparse

COMMANDS = {
    "serve": "run the MCP server on stdin and stdout",
    "hook": "what the hooks of a client call",
    "try": "play a whole round in a temporary store",
    "search": "find records",
    "window": "a page of context for one question",
    "open": "read one record",
    "write": "remember a statement",
    "list": "records, newest first",
    "grep": "find lines that hold a text or match a pattern",
    "link": "state what one record is to another",
    "pin": "have a record counted among what every session begins with",
    "set-status": "dispute, supersede, retract, archive or activate a record",
    "tombstones": "statements that are refused here; lift one",
    "backfill": "archive the conversations that your clients have on disk",
    "import": "take in what you wrote for your agents as notes",
    "init": "enter the server, hooks and manual into your clients",
    "uninstall": "take them out of your clients again",
    "clients": "which clients are here and what of memex they have",
    "level": "which archives are on; turn one on for good",
    "mode": "what sessions may do now: capture, recall, both or nothing",
    "off": "pause memory in the whole store",
    "on": "end the pause",
    "purge": "remove everything memex has on this machine, data included",
    "profile": "what is known of models, and which profile applies",
    "manual": "what an agent should know of memory, for its client and model",
    "status": "what is on record here, and how full it is",
    "doctor": "check the store without changing it",
    "rebuild": "build the index, the files or the database anew",
}


class Command(Protocol):
    """A module that carries out one command.

    Attributes:
        EXAMPLE: One command line that works, for ``--help``.
    """

    EXAMPLE: str

    def configure(self, parser: "argparse.ArgumentParser") -> None:
        """Declare the command's arguments."""

    def run(self, args: "argparse.Namespace") -> int:
        """Carry the command out; returns the exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given[:1] == ["hook"] and not _is_persons(given):
        # A hook has a tenth of a second, and ends in its own way.
        from memex_mcp.hooks.run import process

        process(given[1:])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a character shows its number instead of failing.
            stream.reconfigure(errors="backslashreplace")
    as_json = "--json" in given
    try:
        code = _dispatch(given)
        if sys.stdout is not None:
            # A failure to print should be told while it still can be.
            sys.stdout.flush()
    except MemexError as error:
        return _expected(error, as_json=as_json)
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        return _unprinted(error, as_json=as_json)
    except Exception as error:  # noqa: BLE001  # the last boundary: a bug is told as one
        return _bug(error, as_json=as_json)
    return code


def _dispatch(given: list[str]) -> int:
    if given[:1] in (["--version"], ["-V"]):
        from importlib.metadata import version

        print(f"memex-mcp {version('memex-mcp-server')}")
        return 0
    if given[:1] == ["help"] and given[1:2]:
        given = [given[1], "--help"]
    if not given or given[0] in ("-h", "--help", "help"):
        _overview(sys.stdout)
        return 0
    if given[0] not in COMMANDS:
        return _unknown(given[0])
    command: Command = import_module(f"memex_mcp.cli.{_module(given[0])}")
    return carry_out(command, given[0], given[1:])


def _is_persons(given: list[str]) -> bool:
    """Whether a person asks: for help, or at a terminal."""
    return not {"-h", "--help"}.isdisjoint(given) or (sys.stdin is not None and sys.stdin.isatty())


def carry_out(command: Command, name: str, given: Sequence[str]) -> int:
    """Parse the arguments of one command and run it; returns the exit code."""
    import argparse

    parser = argparse.ArgumentParser(
        f"memex-mcp {name}",
        description=f"{COMMANDS[name]}.".capitalize(),
        epilog=f"example:\n  {command.EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.configure(parser)
    try:
        args = parser.parse_args(given)
    except SystemExit as ended:
        # How argparse leaves after --help and after wrong usage.
        return ended.code if isinstance(ended.code, int) else 2
    return command.run(args)


def _module(name: str) -> str:
    return {"try": "trial", "list": "listing", "import": "import_"}.get(
        name, name.replace("-", "_")
    )


def _overview(out: TextIO) -> None:
    print("usage: memex-mcp COMMAND [options]\n", file=out)
    for name, told in COMMANDS.items():
        print(f"  {name:<12} {told}", file=out)
    print(
        "\nmemex-mcp COMMAND --help tells more about one; memex-mcp try shows them all.", file=out
    )


def _unknown(name: str) -> int:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    guess = f"; did you mean {close[0]}?" if close else ""
    print(f"memex-mcp: there is no command {name!r}{guess}\n", file=sys.stderr)
    _overview(sys.stderr)
    return 2


def _expected(error: MemexError, *, as_json: bool) -> int:
    from memex_mcp.cli.columns import safe
    from memex_mcp.cli.common import put

    if as_json:
        put({"error": {"code": error.code, "message": str(error), "hint": error.hint}})
    else:
        print(safe(error.told()), file=sys.stderr)
    return 1


def _unprinted(error: OSError, *, as_json: bool) -> int:
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has seen enough.
        _discard_output()
        return 0
    if error.errno == errno.ENOSPC:
        _discard_output()
        full = Unavailable("there is no room to write the answer to", "Make room, then try again.")
        return _expected(full, as_json=False)
    return _bug(error, as_json=as_json)


def _bug(error: Exception, *, as_json: bool) -> int:
    import traceback

    traceback.print_exception(error)
    print("memex-mcp: this is a bug in memex, not your fault. Please report it.", file=sys.stderr)
    if as_json:
        print('{"error": {"code": "bug", "message": "memex failed", "hint": ""}}')
    return 3


def _discard_output() -> None:
    """Send what is still buffered nowhere; else Python would fail on it once more at its end."""
    # Not open(): by now that name may be the module of the command of the same name.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
