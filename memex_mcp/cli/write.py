"""``memex-mcp write``: remember a statement.

At a terminal a person writes, and the record is theirs and verified; through a pipe it is
an agent's word like any other.
"""

import argparse
import sys
from datetime import datetime

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, catch_up, opened, optional_id, put
from memex_mcp.errors import Invalid
from memex_mcp.model.kinds import NoteType, Scope
from memex_mcp.model.query import Similar, Written
from memex_mcp.model.record import Draft
from memex_mcp.model.times import parse_time
from memex_mcp.policy.limits import CALL_CHARACTERS, NOTE_TOKENS
from memex_mcp.retrieval.plain import plain
from memex_mcp.text import tokens

EXAMPLE = 'memex-mcp write "Staging listens on port 6543." --type fact --source ops.md:12'

# Estimates of ordinary text are closer than this share.
_ESTIMATE_ERROR = 0.25


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``write``."""
    add = parser.add_argument
    add("text", nargs="+", metavar="TEXT", help="the statement; - reads it from standard input")
    add("--title", default="", metavar="TEXT", help="default: made from the statement")
    add("--type", choices=[*map(str, NoteType)], metavar="TYPE", help=", ".join(NoteType))
    add("--tag", action="append", default=[], metavar="TAG", help="repeatable")
    add("--alias", action="append", default=[], metavar="NAME", help="another name; repeatable")
    add("--question", action="append", default=[], metavar="Q", help="it answers; repeatable")
    add("--use-when", default="", metavar="TEXT", help="the situation in which it helps")
    add("--source", default="", metavar="TEXT", help="where it comes from")
    add("--source-version", default="", metavar="TEXT", help="such as a commit")
    add("--observed-at", metavar="TIME", help="when it was learned, such as 2026-11-30")
    add("--valid-from", metavar="TIME", help="since when it is true")
    add("--valid-to", metavar="TIME", help="until when it is true")
    add("--expires-at", metavar="TIME", help="from then on recall leaves it out")
    add("--supersedes", metavar="ID", help="the record that this one replaces")
    add("--dedupe-key", metavar="KEY", help="revise the record with this key, or create it")
    add("--id", metavar="ID", help="revise this record")
    add(
        "--scope",
        choices=[*map(str, Scope)],
        metavar="SCOPE",
        help=f"{', '.join(Scope)} (workspace)",
    )
    add("--salience", type=float, metavar="0..1", help="how much it matters (default: 0.5)")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Write the statement and print what became of it."""
    draft = Draft(
        text=_typed() if args.text == ["-"] else " ".join(args.text),
        title=args.title,
        type=NoteType(args.type) if args.type else None,
        tags=tuple(args.tag),
        aliases=tuple(args.alias),
        questions=tuple(args.question),
        use_when=args.use_when,
        source=args.source,
        source_version=args.source_version,
        supersedes=optional_id(args.supersedes),
        dedupe_key=args.dedupe_key,
        id=optional_id(args.id),
        scope=Scope(args.scope) if args.scope else None,
        salience=args.salience,
        observed_at=_moment(args.observed_at, "--observed-at"),
        valid_from=_moment(args.valid_from, "--valid-from"),
        valid_to=_moment(args.valid_to, "--valid-to"),
        expires_at=_moment(args.expires_at, "--expires-at"),
    )
    with opened(args) as (memory, caller):
        catch_up(memory)
        if _near_the_limit(draft.text):
            tokens.load_vocabulary(memory.settings.vocabulary)
        written = memory.write(draft, caller)
    if args.json:
        put(plain(written))
    else:
        _show(written)
    return 0


def _typed() -> str:
    """Everything on standard input."""
    if sys.stdin is None:
        return ""
    if look.is_terminal(sys.stdin):
        print("Type the statement, then Ctrl-D on a line of its own.", file=sys.stderr)
    try:
        # Some systems begin every text with a mark of its encoding.
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid("standard input is not UTF-8", "Convert the text first.") from error


def _near_the_limit(text: str) -> bool:
    """Whether only an exact count, which costs 0.3 s to set up, tells if a note is too long."""
    if not NOTE_TOKENS < len(text.encode("utf-8", "surrogatepass")) <= 4 * CALL_CHARACTERS:
        return False
    return abs(tokens.estimate(text) - NOTE_TOKENS) <= NOTE_TOKENS * _ESTIMATE_ERROR


def _moment(text: str | None, option: str) -> datetime | None:
    return parse_time(text, option) if text else None


def _show(written: Written) -> None:
    version = f", version {written.version}" if written.version > 1 else ""
    marks = f"{written.status}, {written.trust}, {written.scope}{version}"
    print(f"{written.outcome} {written.id} ({marks})")
    if written.masked:
        look.show(f"masked before it was stored: {', '.join(written.masked)}")
    if written.hint:
        look.show(written.hint)
    _show_others(
        "These say otherwise; if one is outdated, supersede or retract it:", written.conflicts
    )
    _show_others("These say something close:", written.similar)


def _show_others(what: str, others: tuple[Similar, ...]) -> None:
    if others:
        print(what)
    for other in others:
        look.show_title(other.title, "  ")
        look.show_dim(other.id, 2)
