"""``memex-mcp search``: find records."""

import argparse
import re
from dataclasses import replace
from datetime import datetime

from memex_mcp.cli import look
from memex_mcp.cli.columns import columns, one_line
from memex_mcp.cli.common import add_narrowing, add_place, between, catch_up, opened, put
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind, NoteType, Scope, State
from memex_mcp.model.query import Hit, Query, SearchAnswer
from memex_mcp.model.times import parse_time
from memex_mcp.retrieval.plain import plain
from memex_mcp.retrieval.tuning import DEFAULT as TUNING

EXAMPLE = 'memex-mcp search "which port does staging use" --include superseded'

_BY_WORDS = replace(TUNING, legs=TUNING.legs - {"dense"})
_STATUS = re.compile(r'include=\["(\w+)"\]')
_FILTER = re.compile(r"the filters? (\w+(?:, \w+)*)")
_INCLUDED = ("candidate", "superseded", "retracted", "archived", "expired")
_TOLD = {
    State.NO_MATCH: "Nothing on record matches.",
    State.EMPTY_ARCHIVE: "Nothing is on record here yet.",
    State.FILTERED: "There are matches, but the filters hide every one.",
    State.OK: "There are no more hits.",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``search``."""
    add = parser.add_argument
    add("query", nargs="+", metavar="QUERY", help='words in any language, a "quoted phrase"')
    add("--variant", action="append", default=[], metavar="TEXT", help="a rephrasing; repeatable")
    add("--limit", type=between(1, 50), default=8, metavar="N", help="1 to 50 hits (default: 8)")
    add_narrowing(parser)
    add(
        "--type",
        action="append",
        default=[],
        choices=[*map(str, NoteType)],
        metavar="T",
        help=f"only {', '.join(NoteType)}; repeatable",
    )
    add("--tag", action="append", default=[], metavar="TAG", help="only with this tag; repeatable")
    add("--path", default="", metavar="PATH", help="only what is about this file or folder")
    add(
        "--include",
        action="append",
        default=[],
        choices=_INCLUDED,
        metavar="STATUS",
        help=f"show these too: {', '.join(_INCLUDED)}; repeatable",
    )
    add("--after", metavar="TIME", help="only what was observed then or later")
    add("--before", metavar="TIME", help="only what was observed earlier")
    add("--as-of", metavar="TIME", help="what was true then, such as 2026-11-30")
    add("--believed-at", metavar="TIME", help="what was on record then")
    add("--words", action="store_true", help="by words alone, without asking a model")
    add("--explain", action="store_true", help="show what each score is made of")
    add("--cursor", help="where an earlier page of the same search ended")
    add(
        "--max-tokens",
        type=between(200, 20_000),
        default=10_000,
        metavar="N",
        help="budget of the whole answer (default: 10000)",
    )
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Search and print the hits; finding nothing is an answer."""
    query = Query(
        text=" ".join(args.query),
        variants=tuple(args.variant),
        limit=args.limit,
        kinds=tuple(map(Kind, args.kind)),
        types=tuple(map(NoteType, args.type)),
        tags=tuple(tag.lower() for tag in args.tag),
        path=args.path,
        scope=Scope(args.scope) if args.scope else None,
        include=tuple(args.include),
        after=_moment(args.after, "--after"),
        before=_moment(args.before, "--before"),
        as_of=_moment(args.as_of, "--as-of"),
        believed_at=_moment(args.believed_at, "--believed-at"),
        explain=args.explain,
        cursor=args.cursor,
        max_tokens=args.max_tokens,
    )
    with opened(args) as (memory, caller):
        catch_up(memory)
        answer = memory.search(query, caller, tuning=_BY_WORDS if args.words else TUNING)
    if answer.hint:
        answer = replace(answer, hint=_in_options(answer.hint))
    if args.json:
        put(plain(answer))
    else:
        _show(answer, caller)
    return 0


def _moment(text: str | None, name: str) -> datetime | None:
    return parse_time(text, name) if text else None


def _in_options(hint: str) -> str:
    """A hint that names arguments of the tool, in options of this command."""

    def options(match: re.Match[str]) -> str:
        names = match[1].split(", ")
        return ", ".join(f"--{name.removesuffix('s').replace('_', '-')}" for name in names)

    return _FILTER.sub(options, _STATUS.sub(r"--include \1", hint))


def _show(answer: SearchAnswer, caller: Caller) -> None:
    if not answer.hits:
        print(_TOLD.get(answer.state, f"No hits ({answer.state})."))
    for number, hit in enumerate(answer.hits, start=1):
        _show_hit(f"{number}. ", hit)
    if caller.workspace is None:
        look.show(look.NOWHERE)
    skipped = f"This answer is poorer: skipped {', '.join(answer.skipped)}."
    more = f"More: repeat it with --cursor {answer.next_cursor}"
    for line, told in (
        (answer.hint, bool(answer.hint)),
        (answer.notice, bool(answer.notice)),
        (skipped, bool(answer.skipped)),
        (more, bool(answer.next_cursor)),
    ):
        if told:
            look.show_dim(line or "")


def _show_hit(number: str, hit: Hit) -> None:
    indent = columns(number)
    look.show_title(hit.title, number)
    if not _says_only(hit.snippet, hit.title):
        look.show(hit.snippet, indent)
    told = [look.marks(hit)]
    if hit.expired:
        told.append("expired")
    if hit.via != "lexical":
        told.append(f"by {hit.via}")
    if hit.replaced_by:
        told.append(f"replaced by {hit.replaced_by}")
    if hit.contradicted_by:
        first, *others = hit.contradicted_by
        more = f" and {len(others)} more" if others else ""
        told.append(f"contradicted by {first}{more}")
    look.show_dim(f"{hit.id} · {' · '.join(told)}", indent)
    if hit.parts:
        parts = " + ".join(f"{name} {value:.4f}" for name, value in hit.parts.items())
        look.show_dim(f"{hit.score:.4f} = {parts}; matched in {hit.matched_in}", indent)
    print()


def _says_only(snippet: str, title: str) -> bool:
    """Whether the snippet adds nothing to a title that is the whole statement."""
    return one_line(snippet).strip(" .。") == one_line(title).strip(" .。")
