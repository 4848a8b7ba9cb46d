"""``memex-mcp rebuild``: index from records, files from database, or database from files."""

import argparse

from memex_mcp import settings
from memex_mcp.cli.common import put
from memex_mcp.memory import Memory
from memex_mcp.retrieval.plain import plain


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rebuild``."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--index", action="store_true", help="the search index, from the records")
    what.add_argument("--files", action="store_true", help="the Markdown files, from the database")
    what.add_argument("--from-files", action="store_true", help="the database, from the files")
    parser.add_argument("--root", metavar="DIR", help="store folder (default: MEMEX_HOME)")
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(args: argparse.Namespace) -> int:
    """Rebuild one part and say what came of it."""
    memory = Memory(settings.load(args.root))
    try:
        if args.from_files:
            report = plain(memory.rebuild_from_files())
        elif args.files:
            report = {"files": memory.rebuild_files()}
        else:
            report = {"records": memory.rebuild_index()}
    finally:
        memory.close()
    if args.json:
        put(report)
    else:
        print(", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in report.items()))
    return 0
