"""``memex-mcp off``: pause memory in the whole store, for every client."""

import argparse

from memex_mcp.cli import switched
from memex_mcp.cli.common import add_place, opened

EXAMPLE = "memex-mcp off"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``off``."""
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Pause, and say how everything stands."""
    with opened(args) as (memory, caller):
        memory.switches.pause(caller)
        standing = memory.switches.standing(caller)
    return switched.report(args, standing, caller)
