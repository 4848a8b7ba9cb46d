"""``memex-mcp pin``: have a record lead the catalog and what every session begins with."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, catch_up, opened, put, record_id
from memex_mcp.retrieval.plain import plain

EXAMPLE = "memex-mcp pin 01M8P3BW606FGARXPKWD7Q9N59"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``pin``."""
    parser.add_argument("id", metavar="ID", help="record id")
    parser.add_argument("--off", action="store_true", help="pin it no longer")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Pin or unpin the record and print which one."""
    with opened(args) as (memory, caller):
        catch_up(memory)
        told = memory.pin(record_id(args.id), caller, pinned=not args.off)
    if args.json:
        put(plain(told))
        return 0
    now = "pinned" if told.pinned else "not pinned"
    print(f"{told.id}: {now}{' already' if told.was is told.pinned else ''}")
    look.show_title(told.title, "  ")
    return 0
