"""``memex-mcp list``: records, newest first."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, opened, put
from memex_mcp.retrieval.plain import plain


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``list``."""
    parser.add_argument("--all", action="store_true", help="every status, and expired ones too")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="1 to 200 on a page")
    parser.add_argument("--cursor", metavar="ID", help="where an earlier page ended")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """List a page of records."""
    with opened(args) as (memory, caller):
        memory.refresh()
        page = memory.listing(caller, every=args.all, limit=args.limit, cursor=args.cursor)
    if args.json:
        put(plain(page))
        return 0
    for record in page.records:
        print(look.bold(look.safe(record.card.title)))
        print(look.dim(f"  {record.id} · {look.marks(record)}"))
    if not page.records:
        print("Nothing is on record here.")
    if page.next_cursor:
        print(look.dim(f"… more: --cursor {page.next_cursor}"))
    return 0
