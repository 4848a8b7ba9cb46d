"""``memex-mcp mode``: what sessions may do now: capture and recall, one of them, or neither."""

import argparse

from memex_mcp.cli import switched
from memex_mcp.cli.common import add_place, opened
from memex_mcp.model.levels import Mode

EXAMPLE = "memex-mcp mode read-only"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``mode``."""
    parser.add_argument(
        "mode",
        nargs="?",
        choices=[mode.value for mode in Mode],
        metavar="MODE",
        help=f"{', '.join(Mode)}: for every session of the workspace, or with --session for one",
    )
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Show the mode, or change it."""
    with opened(args) as (memory, caller):
        if args.mode is not None:
            mode, one = Mode(args.mode), args.session is not None
            memory.switches.set_mode(mode, caller, for_session=one)
        standing = memory.switches.standing(caller)
    return switched.report(args, standing, caller)
