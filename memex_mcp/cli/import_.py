"""``memex-mcp import``: notes from CLAUDE.md, AGENTS.md, rules and other Markdown."""

import argparse
from contextlib import nullcontext
from pathlib import Path

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, at_terminal, put
from memex_mcp.errors import Denied
from memex_mcp.importing import Imported
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Author, Surface
from memex_mcp.retrieval.plain import plain
from memex_mcp.settings import load

EXAMPLE = "memex-mcp import CLAUDE.md docs/decisions"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``import``."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", type=Path, help="a file, or a folder of Markdown"
    )
    parser.add_argument(
        "--accept",
        action="store_true",
        help="the notes are yours and count at once, instead of waiting for your review;"
        " needs a terminal",
    )
    parser.add_argument("--dry-run", action="store_true", help="count only, change nothing")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Import the files and say what became of their statements."""
    if args.accept and not at_terminal():
        raise Denied(
            "only a person accepts what is imported",
            "Run it in a terminal, or without --accept: the notes then wait for review.",
        )
    memory = Memory(load(args.root))
    try:
        caller = memory.caller(
            Evidence(
                surface=Surface.IMPORT,
                client="cli",
                workspace=args.workspace,
                session_id=args.session,
                human=args.accept,
                writes_as=Author.FILE,
            )
        )
        with memory.rehearsed() if args.dry_run else nullcontext(memory) as where:
            imported = where.importing.run(args.paths, caller)
    finally:
        memory.close()
    if args.json:
        put(plain(imported))
    else:
        _show(imported, dry_run=args.dry_run, accepted=args.accept)
    return 0


def _show(told: Imported, *, dry_run: bool, accepted: bool) -> None:
    would = "Would import" if dry_run else "Imported"
    files = look.counted(told.files, "file")
    print(f"{would} {look.counted(told.statements, 'statement')} of {files}.")
    rows = [
        (name, f"{number:,}")
        for name, number in (
            ("new", told.new),
            ("revised", told.revised),
            ("known", told.known),
            ("withdrawn", told.refused),
            ("gone from the file", told.gone),
            ("masked", told.masked),
        )
        if number or name in ("new", "known")
    ]
    look.show_table(rows)
    for what, counts in (("left out", told.left_out), ("not read", told.skipped)):
        if counts:
            look.show(f"{what}: " + ", ".join(f"{n:,} {reason}" for reason, n in counts.items()))
    if told.new + told.revised and not accepted and not dry_run:
        look.show(
            "They wait as candidates; memex-mcp list --all shows them, and an import with"
            " --accept at a terminal makes them yours."
        )
