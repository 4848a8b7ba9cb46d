"""``memex-mcp search``: find records."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, opened, put
from memex_mcp.model.kinds import Kind, NoteType, Scope, State
from memex_mcp.model.query import Hit, Query, SearchAnswer
from memex_mcp.model.times import parse_time
from memex_mcp.retrieval.plain import plain

_INCLUDED = ("candidate", "superseded", "retracted", "archived", "expired")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``search``."""
    parser.add_argument("query", help="words to look for, in any language")
    parser.add_argument("--variant", action="append", default=[], help="a rephrasing; repeatable")
    parser.add_argument("--limit", type=int, default=8, metavar="N", help="1 to 50 hits")
    parser.add_argument("--kind", action="append", default=[], choices=[*Kind])
    parser.add_argument("--type", action="append", default=[], choices=[*NoteType])
    parser.add_argument("--tag", action="append", default=[])
    parser.add_argument("--path", default="", help="only what is about this file or folder")
    parser.add_argument("--scope", choices=[*Scope])
    parser.add_argument("--include", action="append", default=[], choices=_INCLUDED)
    parser.add_argument("--as-of", metavar="TIME", help="what was true then")
    parser.add_argument("--believed-at", metavar="TIME", help="what was on record then")
    parser.add_argument("--explain", action="store_true", help="show what each score is made of")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Search and print the hits."""
    query = Query(
        text=args.query,
        variants=tuple(args.variant),
        limit=args.limit,
        kinds=tuple(map(Kind, args.kind)),
        types=tuple(map(NoteType, args.type)),
        tags=tuple(tag.lower() for tag in args.tag),
        path=args.path,
        scope=Scope(args.scope) if args.scope else None,
        include=tuple(args.include),
        as_of=parse_time(args.as_of, "--as-of") if args.as_of else None,
        believed_at=parse_time(args.believed_at, "--believed-at") if args.believed_at else None,
        explain=args.explain,
    )
    with opened(args) as (memory, caller):
        memory.refresh()
        answer = memory.search(query, caller)
    if args.json:
        put(plain(answer))
    else:
        _show(answer)
    return 0


def _show(answer: SearchAnswer) -> None:
    told = {
        State.NO_MATCH: "Nothing on record matches.",
        State.EMPTY_ARCHIVE: "Nothing is on record here yet.",
        State.FILTERED: "The filters hide every match.",
        State.DISABLED: "Memory is off.",
    }
    if not answer.hits:
        print(told.get(answer.state, f"No hits ({answer.state})."))
    for number, hit in enumerate(answer.hits, start=1):
        _show_hit(number, hit)
    for line in (answer.hint, answer.notice, *answer.skipped):
        if line:
            print(look.dim(line))


def _show_hit(number: int, hit: Hit) -> None:
    marks: list[str] = [hit.type if hit.kind is Kind.NOTE else hit.kind, hit.status, hit.trust]
    marks += [hit.author, hit.recorded_at.date().isoformat()]
    if hit.replaced_by:
        marks.append(f"replaced by {hit.replaced_by}")
    print(f"{number}. {look.bold(look.safe(hit.title))}")
    print(look.dim(f"   {hit.id} · {' · '.join(marks)}"))
    print(look.indented(hit.snippet))
    if hit.parts:
        parts = ", ".join(f"{name} {value:.4f}" for name, value in hit.parts.items())
        print(look.dim(f"   {hit.score:.4f} = {parts}"))
    print()
