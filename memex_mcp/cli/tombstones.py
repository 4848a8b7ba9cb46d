"""``memex-mcp tombstones``: which statements are refused here; a person can lift one."""

import argparse
from collections.abc import Sequence

from memex_mcp.cli import look
from memex_mcp.cli.columns import one_line
from memex_mcp.cli.common import add_place, opened, put
from memex_mcp.retrieval.plain import Plain, plain

EXAMPLE = "memex-mcp tombstones lift 74ce5b27ecce"

_KEY_SHOWN = 12


class _Lift(argparse.Action):
    """Takes ``lift KEY`` or nothing."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[str] | None,
        _option: str | None = None,
    ) -> None:
        words = list(values or ())
        if words and (len(words) != 2 or words[0] != "lift"):
            parser.error("say `lift KEY`, or nothing to list them")
        namespace.key = words[1] if words else None


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``tombstones`` and of ``tombstones lift``."""
    parser.add_argument(
        "key",
        nargs="*",
        action=_Lift,
        metavar="lift KEY",
        help="let a statement be written again, by the first characters of its key;"
        " needs a terminal",
    )
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """List the tombstones, or lift one."""
    with opened(args) as (memory, caller):
        if args.key is None:
            found = [plain(grave) for grave in memory.tombstones(caller)]
        else:
            found = [plain(memory.lift(args.key.lower(), caller))]
    if args.json:
        put(found)
        return 0
    for grave in found:
        _show(grave, lifted=bool(args.key or grave["lifted_at"]))
    if not found:
        print("No statement is refused here.")
    return 0


def _show(grave: Plain, *, lifted: bool) -> None:
    state = "lifted" if lifted else "standing"
    times = "once" if grave["refused"] == 1 else f"{grave['refused']} times"
    look.show_title(one_line(str(grave["reason"])))
    look.show_dim(f"{str(grave['value_key'])[:_KEY_SHOWN]} · {state} · refused {times}", 2)
    origin = f"{grave['record_id']} · " if grave["record_id"] else ""
    look.show_dim(f"{origin}withdrawn {grave['at']} by {grave['client']}", 2)
