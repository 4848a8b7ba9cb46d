"""``memex-mcp serve``: the MCP server, until the client closes its input."""

import argparse
import gc
import sys

from memex_mcp.cli.look import is_terminal
from memex_mcp.errors import Invalid
from memex_mcp.model.levels import CHOICES

EXAMPLE = "memex-mcp serve --readonly"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``serve``."""
    parser.add_argument("--root", metavar="DIR", help="store folder (default: MEMEX_HOME)")
    parser.add_argument("--workspace", metavar="DIR", help="serve this workspace only")
    parser.add_argument("--session", metavar="ID", help="serve this session only")
    parser.add_argument(
        "--levels",
        choices=list(CHOICES),
        default="none",
        help="turn archives of the workspace on, for good; none leaves them as they are",
    )
    parser.add_argument(
        "--model", metavar="NAME", default="", help="write for this model (default: by the client)"
    )
    parser.add_argument("--all-tools", action="store_true", help="offer the advanced tools too")
    parser.add_argument("--tools", metavar="A,B", help="offer only these tools")
    parser.add_argument("--readonly", action="store_true", help="offer no tool that writes")
    parser.add_argument(
        "--structured", action="store_true", help="declare output schemas and answer in JSON too"
    )


def run(args: argparse.Namespace) -> int:
    """Serve; returns when the input ends.

    Raises:
        Invalid: The options contradict each other, or name a tool that does not exist.
    """
    if args.readonly and args.levels != "none":
        raise Invalid("a read-only server turns no level on", "Leave one of the two options out.")
    if is_terminal(sys.stdin):
        print(
            "This server speaks MCP on standard input and output: a client starts it."
            " Ctrl-D ends it.",
            file=sys.stderr,
        )
    # Importing the server costs half a second, which no other command should pay; an eighth of
    # that would be the collector's, looking again and again at modules that never go away.
    gc.disable()
    from memex_mcp.server.main import serve
    from memex_mcp.server.options import Options

    gc.freeze()
    gc.enable()
    options = Options(
        workspace=args.workspace,
        session_id=args.session,
        levels=CHOICES[args.levels],
        model=args.model,
        tools=None if args.tools is None else tuple(map(str.strip, args.tools.split(","))),
        all_tools=args.all_tools,
        readonly=args.readonly,
        structured=args.structured,
    )
    serve(args.root, options)
    return 0
