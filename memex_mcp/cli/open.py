"""``memex-mcp open``: read one record whole."""

import argparse
import sys
from collections.abc import Iterator

from memex_mcp.cli import look
from memex_mcp.cli.columns import one_line, safe
from memex_mcp.cli.common import add_place, between, opened, put, record_id
from memex_mcp.model.query import Opened, Page
from memex_mcp.model.record import Link, Record, Revision
from memex_mcp.model.times import iso
from memex_mcp.retrieval.plain import plain

EXAMPLE = "memex-mcp open 01M8P3BW606FGARXPKWD7Q9N59 --revision 1"

# More than any body has: a person wants the whole text unless they say otherwise.
_WHOLE = 1_000_000_000
_REVISIONS = 1_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``open``."""
    parser.add_argument("id", metavar="ID", help="record id")
    parser.add_argument(
        "--revision", type=between(1, _REVISIONS), metavar="N", help="an earlier version, from 1"
    )
    parser.add_argument(
        "--events",
        action="store_true",
        help="the lines of the transcript that it stands for, exactly as they are kept",
    )
    parser.add_argument("--query", default="", metavar="TEXT", help="begin near these words")
    parser.add_argument("--cursor", help="where an earlier page ended")
    parser.add_argument(
        "--max-tokens",
        type=between(1, _WHOLE),
        default=_WHOLE,
        metavar="N",
        help="read in pages of this size (default: the whole text)",
    )
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Open the record and print it."""
    page = Page(
        cursor=args.cursor,
        max_tokens=args.max_tokens,
        query=args.query,
        revision=args.revision,
        events=args.events,
    )
    with opened(args) as (memory, caller):
        found = memory.open(record_id(args.id), caller, page)
    if args.json:
        put(plain(found) | ({"events": _lines(found)} if args.events else {}))
    elif args.events:
        _put_lines(found.text)
    else:
        _show(found)
    return 0


def _lines(found: Opened) -> list[dict[str, object]]:
    """What is known of each line; the lines themselves are the text."""
    return [
        {
            "role": line.role,
            "type": line.type,
            "at": None if line.at is None else iso(line.at),
            "start": line.start,
            "stop": line.stop,
            "sha256": line.sha256,
            "masked": line.masked,
        }
        for line in found.events
    ]


def _put_lines(text: str) -> None:
    """Print lines to the byte; only a terminal, which could obey them, is shown them safely."""
    if look.is_terminal(sys.stdout):
        print(safe(text), end="")
        return
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def _show(found: Opened) -> None:
    record = found.record
    look.show_title(record.card.title)
    told = f"{record.id} · version {found.revision} · {look.marks(record)}"
    look.show_dim(told + (" · expired" if found.expired else ""))
    look.show_table(list(_facts(record, found)))
    print()
    look.show(found.text)
    if found.next_cursor:
        look.show_dim(f"\nMore: memex-mcp open {record.id} --cursor {found.next_cursor}")
    if found.links or found.sources or len(found.revisions) > 1:
        print()
    for link in found.links:
        look.show_dim(_relation(link, record.id))
    for source in found.sources:
        look.show_dim(f"derived from {source}")
    if len(found.revisions) > 1:
        for revision in found.revisions:
            look.show_dim(_version(revision))


def _facts(record: Record, found: Opened) -> Iterator[tuple[str, str]]:
    """What the card and the clocks say, as names and values; nothing that is empty."""
    card, times = record.card, record.times
    if found.offset:
        yield "from", f"character {found.offset:,} on"
    if found.revisions_total > 1:
        yield "earlier versions", f"{found.revisions_total - 1:,}; --revision 1 shows the first"
    yield from (
        (name, value)
        for name, value in (
            ("use when", card.use_when),
            ("tags", ", ".join(card.tags)),
            ("also called", ", ".join(card.aliases)),
            ("answers", " ".join(card.questions)),
            ("source", f"{record.source} {record.source_version}".strip()),
            ("replaced by", record.superseded_by or ""),
        )
        if value
    )
    for name, moment in (
        ("true from", times.valid_from if times.valid_from != times.recorded_at else None),
        ("true until", times.valid_to),
        ("expires", times.expires_at),
    ):
        if moment is not None:
            yield name, iso(moment)


def _relation(link: Link, record_id: str) -> str:
    if link.from_id == record_id:
        return f"this {link.relation} {link.to_id}"
    return f"{link.from_id} {link.relation} this"


def _version(revision: Revision) -> str:
    who = f"{revision.author} ({revision.client})" if revision.client else revision.author
    title = one_line(revision.title)
    return f"version {revision.version} · {iso(revision.at)} · {revision.status} · {who} · {title}"
