"""``memex-mcp level``: which archives are on; a person turns one on, for good."""

import argparse
from collections.abc import Sequence

from memex_mcp.cli import switched
from memex_mcp.cli.common import add_place, opened
from memex_mcp.model.levels import CHOICES

EXAMPLE = "memex-mcp level on both"

_NAMES = list(CHOICES)[1:]


class _Turn(argparse.Action):
    """Takes ``on LEVEL``, ``off LEVEL`` or nothing."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[str] | None,
        _option: str | None = None,
    ) -> None:
        words = tuple(values or ())
        if words == ("off",):
            words = ("off", "both")
        if words and (len(words) != 2 or words[0] not in ("on", "off") or words[1] not in _NAMES):
            parser.error("say `on l2`, `on l3` or `on both`, or nothing to see what is on")
        namespace.turn = words


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``level`` and of ``level on``."""
    parser.add_argument(
        "turn",
        nargs="*",
        action=_Turn,
        metavar="on l2|l3|both",
        help="turn the archive of sessions (l2), of the workspace (l3) or both on, for good;"
        " needs a terminal.  With --session, l2 is turned on for that session alone",
    )
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Show the levels, or turn some on; turning one off is refused."""
    deed, name = args.turn or ("", "")
    with opened(args) as (memory, caller):
        for level in CHOICES.get(name, ()):
            if deed == "off":
                memory.switches.turn_off(level)
            memory.switches.turn_on(level, caller, for_session=args.session is not None)
        standing = memory.switches.standing(caller)
    return switched.report(args, standing, caller)
