"""``memex-mcp grep``: find lines that hold a text or match a pattern."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_narrowing, add_place, between, catch_up, opened, put
from memex_mcp.model.browse import Browse, Grep, Grepped
from memex_mcp.model.kinds import Kind, Scope
from memex_mcp.retrieval.plain import plain
from memex_mcp.retrieval.view import EXPIRED

EXAMPLE = 'memex-mcp grep "listens on port" --ignore-case'

_STATUSES = ("active", "disputed", "candidate", "superseded", "retracted", "archived", EXPIRED)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``grep``."""
    add = parser.add_argument
    add("pattern", metavar="PATTERN", help="a text, or a regular expression with --regex")
    add("--regex", action="store_true", help="read the pattern as a regular expression")
    add("--ignore-case", action="store_true", help="upper and lower case are the same")
    add_narrowing(parser)
    add(
        "--status",
        action="append",
        default=[],
        choices=_STATUSES,
        metavar="STATUS",
        help=f"{', '.join(_STATUSES)}; repeatable (default: current ones)",
    )
    add("--limit", type=between(1, 100), default=20, metavar="N", help="1 to 100 (default: 20)")
    add("--cursor", help="where an earlier page for the same pattern ended")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Print a page of lines; finding none is an answer."""
    asked = Grep(
        pattern=args.pattern,
        regex=args.regex,
        ignore_case=args.ignore_case,
        among=Browse(
            kinds=tuple(map(Kind, args.kind)),
            statuses=tuple(args.status),
            scope=Scope(args.scope) if args.scope else None,
            limit=args.limit,
            cursor=args.cursor,
        ),
    )
    with opened(args) as (memory, caller):
        catch_up(memory)
        grepped = memory.grep(asked, caller)
    if args.json:
        put(plain(grepped))
        return 0
    _show(grepped)
    if caller.workspace is None:
        look.show(look.NOWHERE)
    return 0


def _show(grepped: Grepped) -> None:
    for line in grepped.lines:
        look.show_title(line.title)
        look.show(line.excerpt, 2)
        place = f"line {line.line}" if line.line else "title"
        look.show_dim(f"{line.id} · {place} · {line.status} · {line.trust}", 2)
    if not grepped.lines and not grepped.truncated:
        print("No line on record matches.")
    if grepped.truncated:
        look.show_dim("Time ran out before all was looked at.")
    if grepped.next_cursor:
        look.show_dim(f"More: repeat it with --cursor {grepped.next_cursor}")
