"""``memex-mcp on``: end the pause that `off` began."""

import argparse

from memex_mcp.cli import switched
from memex_mcp.cli.common import add_place, opened

EXAMPLE = "memex-mcp on"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``on``."""
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Resume, and say what still holds memory back."""
    with opened(args) as (memory, caller):
        memory.switches.resume(caller)
        standing = memory.switches.standing(caller)
    return switched.report(args, standing, caller)
