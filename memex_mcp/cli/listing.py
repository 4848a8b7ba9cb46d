"""``memex-mcp list``: records, newest first."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, between, catch_up, opened, put
from memex_mcp.errors import Invalid
from memex_mcp.model.ids import is_id
from memex_mcp.retrieval.plain import plain

EXAMPLE = "memex-mcp list --all --limit 20"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``list``."""
    parser.add_argument("--all", action="store_true", help="every status, and expired ones too")
    parser.add_argument(
        "--limit", type=between(1, 200), default=50, metavar="N", help="1 to 200 (default: 50)"
    )
    parser.add_argument("--cursor", metavar="ID", help="where an earlier page ended")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """List a page of records."""
    if args.cursor is not None and not is_id(args.cursor):
        raise Invalid("--cursor is not one of ours", "Use next_cursor of an earlier page.")
    with opened(args) as (memory, caller):
        catch_up(memory)
        page = memory.listing(caller, every=args.all, limit=args.limit, cursor=args.cursor)
    if args.json:
        put(plain(page))
        return 0
    for record in page.records:
        look.show_title(record.card.title)
        look.show_dim(f"{record.id} · {look.marks(record)}", 2)
    if not page.records:
        print("Nothing is on record here yet." if args.all else "Nothing is on record here.")
    if caller.workspace is None:
        look.show(look.NOWHERE)
    if page.next_cursor:
        look.show_dim(f"More: memex-mcp list --cursor {page.next_cursor}")
    return 0
