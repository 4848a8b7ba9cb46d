"""``memex-mcp write``: remember a statement.

At a terminal a person writes, and the record is theirs and verified; through a pipe it is
an agent's word like any other.
"""

import argparse
import sys
from datetime import datetime

from memex_mcp.cli.common import add_place, opened, put
from memex_mcp.model.kinds import NoteType, Scope
from memex_mcp.model.query import Similar, Written
from memex_mcp.model.record import Draft
from memex_mcp.model.times import parse_time
from memex_mcp.retrieval.plain import plain


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``write``."""
    parser.add_argument("text", help="the statement; - reads it from standard input")
    parser.add_argument("--title", default="")
    parser.add_argument("--type", choices=[*NoteType])
    parser.add_argument("--tag", action="append", default=[], help="repeatable")
    parser.add_argument("--alias", action="append", default=[], help="another name; repeatable")
    parser.add_argument("--question", action="append", default=[], help="it answers; repeatable")
    parser.add_argument("--use-when", default="")
    parser.add_argument("--source", default="")
    parser.add_argument("--source-version", default="")
    for option in ("--observed-at", "--valid-from", "--valid-to", "--expires-at"):
        parser.add_argument(option, metavar="TIME")
    parser.add_argument("--supersedes", metavar="ID", help="the record that this one replaces")
    parser.add_argument("--dedupe-key", metavar="KEY", help="revise the record with this key")
    parser.add_argument("--id", metavar="ID", help="revise this record")
    parser.add_argument("--scope", choices=[*Scope], help="default: workspace")
    parser.add_argument("--salience", type=float, metavar="0..1")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Write the statement and print what became of it."""
    draft = Draft(
        text=sys.stdin.read() if args.text == "-" else args.text,
        title=args.title,
        type=NoteType(args.type) if args.type else None,
        tags=tuple(args.tag),
        aliases=tuple(args.alias),
        questions=tuple(args.question),
        use_when=args.use_when,
        source=args.source,
        source_version=args.source_version,
        supersedes=args.supersedes,
        dedupe_key=args.dedupe_key,
        id=args.id,
        scope=Scope(args.scope) if args.scope else None,
        salience=args.salience,
        observed_at=_moment(args.observed_at, "--observed-at"),
        valid_from=_moment(args.valid_from, "--valid-from"),
        valid_to=_moment(args.valid_to, "--valid-to"),
        expires_at=_moment(args.expires_at, "--expires-at"),
    )
    with opened(args) as (memory, caller):
        memory.refresh()
        written = memory.write(draft, caller)
    if args.json:
        put(plain(written))
    else:
        _show(written)
    return 0


def _moment(text: str | None, option: str) -> datetime | None:
    return parse_time(text, option) if text else None


def _show(written: Written) -> None:
    print(f"{written.outcome} {written.id} ({written.status}, {written.trust}, {written.scope})")
    if written.masked:
        print(f"masked before storing: {', '.join(written.masked)}")
    if written.hint:
        print(written.hint)
    _show_others("says otherwise", written.conflicts)
    _show_others("says something close", written.similar)


def _show_others(what: str, others: tuple[Similar, ...]) -> None:
    for other in others:
        print(f"{what}: {other.id} {other.title}")
