"""``memex-mcp set-status``: correct a record; a person at a terminal may do more."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, catch_up, opened, optional_id, put, record_id
from memex_mcp.model.kinds import Status
from memex_mcp.retrieval.plain import plain

EXAMPLE = "memex-mcp set-status 01M8P3BW606FGARXPKWD7Q9N59 retracted --reason wrong"

_MOVES = [status for status in Status if status is not Status.CANDIDATE]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``set-status``."""
    parser.add_argument("id", metavar="ID", help="record id")
    parser.add_argument("status", choices=_MOVES, metavar="STATUS", help=", ".join(_MOVES))
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why, in a few words")
    parser.add_argument("--superseded-by", metavar="ID", help="the record that replaces it")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Move the record and print from where to where."""
    with opened(args) as (memory, caller):
        catch_up(memory)
        moved = memory.set_status(
            record_id(args.id),
            Status(args.status),
            caller,
            reason=args.reason,
            superseded_by=optional_id(args.superseded_by),
        )
    if args.json:
        put(plain(moved))
        return 0
    after = f", replaced by {moved.superseded_by}" if moved.superseded_by else ""
    print(f"{moved.id}: {moved.from_status} -> {moved.to_status}{after}")
    if moved.to_status is Status.RETRACTED:
        look.show_dim("The statement is refused here from now on; memex-mcp tombstones lists it.")
    return 0
