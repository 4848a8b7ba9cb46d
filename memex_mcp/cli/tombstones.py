"""``memex-mcp tombstones``: which statements are refused here; a person can lift one."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, opened, put
from memex_mcp.model.times import iso
from memex_mcp.retrieval.plain import plain


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``tombstones``."""
    parser.add_argument("action", nargs="?", choices=["lift"], help="needs a terminal")
    parser.add_argument("key", nargs="?", help="the tombstone's key, or its first characters")
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """List the tombstones, or lift one."""
    with opened(args) as (memory, caller):
        found = [memory.lift(args.key or "", caller)] if args.action else memory.tombstones(caller)
    if args.json:
        put([plain(grave) for grave in found])
        return 0
    for grave in found:
        state = f"lifted {iso(grave.lifted_at)}" if grave.lifted_at else "standing"
        if args.action:
            state = "lifted"
        print(f"{grave.value_key[:12]}  {state}, refused {grave.refused} times")
        print(look.dim(f"  {iso(grave.at)} · {grave.client} · {look.safe(grave.reason)}"))
    if not found:
        print("No statement is refused here.")
    return 0
