"""``memex-mcp set-status``: correct a record; a person at a terminal may do more."""

import argparse

from memex_mcp.cli.common import add_place, opened, put
from memex_mcp.model.kinds import Status
from memex_mcp.retrieval.plain import plain


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``set-status``."""
    parser.add_argument("id", help="record id")
    parser.add_argument("status", choices=[*Status])
    parser.add_argument("--reason", required=True, help="why, in a few words")
    parser.add_argument("--superseded-by", metavar="ID", help="the record that replaces it")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Move the record and print from where to where."""
    with opened(args) as (memory, caller):
        memory.refresh()
        moved = memory.set_status(
            args.id.upper(),
            Status(args.status),
            caller,
            reason=args.reason,
            superseded_by=args.superseded_by,
        )
    if args.json:
        put(plain(moved))
    else:
        print(f"{moved.id}: {moved.from_status} -> {moved.to_status}")
    return 0
