"""``memex-mcp link``: state what one record is to another."""

import argparse

from memex_mcp.cli.common import add_place, catch_up, opened, put, record_id
from memex_mcp.model.kinds import STATED, Relation
from memex_mcp.model.record import Link
from memex_mcp.retrieval.lists import render_linked
from memex_mcp.retrieval.plain import plain

EXAMPLE = "memex-mcp link FROM TO --relation depends-on"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``link``."""
    parser.add_argument("from_id", metavar="FROM", help="id of the record that is linked")
    parser.add_argument("to_id", metavar="TO", help="id of the record that it is linked to")
    parser.add_argument(
        "--relation",
        choices=[*map(str, STATED)],
        default=str(Relation.RELATED),
        metavar="R",
        help=f"{', '.join(STATED)} (default: related)",
    )
    parser.add_argument(
        "--weight", type=float, default=0.7, metavar="0..1", help="how strong (default: 0.7)"
    )
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Link two records."""
    link = Link(
        from_id=record_id(args.from_id),
        to_id=record_id(args.to_id),
        relation=args.relation,
        weight=args.weight,
    )
    with opened(args) as (memory, caller):
        catch_up(memory)
        linked = memory.link(link, caller)
    if args.json:
        put(plain(linked))
    else:
        print(render_linked(linked))
    return 0
