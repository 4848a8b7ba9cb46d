"""``memex-mcp hook``: what the hooks of a client call.

Everything a client calls goes straight to :mod:`memex_mcp.hooks.run`, which reads the command
line itself; this is what a person at a terminal sees of it.
"""

import argparse

EXAMPLE = "memex-mcp hook session-start --client claude"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``hook``."""
    parser.add_argument(
        "event",
        metavar="EVENT",
        help="session-start, user-prompt-submit, pre-compact, stop or session-end,"
        " or the client's own name for it",
    )
    parser.add_argument(
        "--client", metavar="NAME", help="claude, codex, gemini, qwen or copilot (default: guess)"
    )
    parser.add_argument("--root", metavar="DIR", help="store folder (default: MEMEX_HOME)")
    parser.add_argument(
        "--timeout", metavar="SECONDS", help="end after so long, done or not (default: 1.9)"
    )


def run(args: argparse.Namespace) -> int:
    """Tell a person who waits for an answer that none will come."""
    print(
        f"A client calls this when {args.event} happens, with what happened on standard input."
        " To see what memory would tell a model, use `memex-mcp window`."
    )
    return 0
