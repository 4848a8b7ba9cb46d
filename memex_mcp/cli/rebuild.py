"""``memex-mcp rebuild``: the index, the files, the vectors or the database anew."""

import argparse
import sys
from collections.abc import Iterator

from memex_mcp import settings
from memex_mcp.cli import look
from memex_mcp.cli.common import add_root, put
from memex_mcp.errors import Unavailable
from memex_mcp.memory import Memory
from memex_mcp.policy.authorise import check_enabled
from memex_mcp.retrieval.plain import Plain, plain

EXAMPLE = "memex-mcp rebuild --index"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rebuild``."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--index", action="store_true", help="the search index, from the records")
    what.add_argument("--files", action="store_true", help="the Markdown files, from the database")
    what.add_argument("--from-files", action="store_true", help="the database, from the files")
    what.add_argument(
        "--vectors", action="store_true", help="the vectors that search by meaning still lacks"
    )
    add_root(parser)


def run(args: argparse.Namespace) -> int:
    """Rebuild one part and say what came of it."""
    memory = Memory(settings.load(args.root))
    try:
        if args.from_files:
            told = plain(memory.rebuild_from_files())
            lines = list(_lines(told))
        elif args.files:
            written = memory.rebuild_files()
            told = {"files": written}
            lines = [f"Wrote the {look.counted(written, 'record')} as Markdown files."]
        elif args.vectors:
            told = _embed(memory, show=not args.json)
            lines = [f"Embedded {_count(told, 'chunks', 'chunk')}."]
        else:
            indexed = memory.rebuild_index()
            told = {"records": indexed}
            lines = [f"Indexed {look.counted(indexed, 'record')}."]
    finally:
        memory.close()
    if args.json:
        put(told)
        return 0
    for line in lines:
        look.show(line)
    return 0


def _embed(memory: Memory, *, show: bool) -> Plain:
    """Embed all that waits; a line on stderr says how far it is.

    Raises:
        Unavailable: No model is configured, or it does not answer.
    """
    check_enabled(memory.settings)
    embedding = memory.embedding
    if embedding is None:
        raise Unavailable(
            "search by meaning is off: config.toml in the store folder names no embedder",
            "docs/dense.md says what to write there.",
        )
    done = 0
    while some := embedding.embed_pending():
        done += some
        if show and look.is_terminal(sys.stderr):
            waiting = embedding.size().pending
            print(f"\r{done:,} chunks embedded, {waiting:,} to go ", end="", file=sys.stderr)
    if show and done and look.is_terminal(sys.stderr):
        print(file=sys.stderr)
    return {"chunks": done, "vectors": embedding.size().vectors}


def _lines(report: Plain) -> Iterator[str]:
    yield (
        f"Built the database: {_count(report, 'records', 'record')}, "
        f"{_count(report, 'revisions', 'earlier version')}, "
        f"{_count(report, 'tombstones', 'tombstone')}."
    )
    if report["from_database"]:
        yield f"{_count(report, 'from_database', 'record')} came from the old database alone."
    if report["unverified"]:
        yield (
            f"{_count(report, 'unverified', 'record')} had the mark of a person, which files "
            "cannot prove: untrusted until a person writes the statement again."
        )
    if report["backup"]:
        yield f"The old database lies in {report['backup']}."
        if not report["audit_kept"]:
            yield "Its audit trail could not be carried on; a new one begins."
    quarantined = report["quarantined"]
    for name in quarantined if isinstance(quarantined, list) else ():
        yield f"set aside: {name}"


def _count(report: Plain, name: str, noun: str) -> str:
    return look.counted(int(str(report[name])), noun)
