"""``memex-mcp open``: read one record whole."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, opened, put
from memex_mcp.model.query import Opened, Page
from memex_mcp.model.times import iso
from memex_mcp.retrieval.plain import plain


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``open``."""
    parser.add_argument("id", help="record id")
    parser.add_argument("--revision", type=int, metavar="N", help="an earlier version, from 1")
    parser.add_argument("--query", default="", help="begin near these words")
    parser.add_argument("--cursor", help="where an earlier page ended")
    parser.add_argument("--max-tokens", type=int, default=20_000, metavar="N")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Open the record and print it."""
    page = Page(
        cursor=args.cursor, max_tokens=args.max_tokens, query=args.query, revision=args.revision
    )
    with opened(args) as (memory, caller):
        found = memory.open(args.id.upper(), caller, page)
    if args.json:
        put(plain(found))
    else:
        _show(found)
    return 0


def _show(found: Opened) -> None:
    record = found.record
    print(look.bold(look.safe(record.card.title)))
    print(look.dim(f"{record.id} · version {found.revision} · {look.marks(record)}"))
    for name in ("tags", "aliases", "questions"):
        items = getattr(record.card, name)
        if items:
            print(look.dim(f"{name}: {look.safe(', '.join(items))}"))
    if record.source:
        print(look.dim(f"source: {look.safe(record.source)} {record.source_version}".rstrip()))
    if record.superseded_by:
        print(f"replaced by {record.superseded_by}")
    print()
    print(look.safe(found.text))
    if found.next_cursor:
        print(look.dim(f"\n… more: --cursor {found.next_cursor}"))
    print()
    for link in found.links:
        print(look.dim(f"{link.from_id} {link.relation} {link.to_id}"))
    for revision in found.revisions:
        print(
            look.dim(
                f"version {revision.version} · {iso(revision.at)} · {revision.status} · "
                f"{revision.author} ({revision.client}) · {look.safe(revision.title)}"
            )
        )
