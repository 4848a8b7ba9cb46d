"""``memex-mcp status``: what is on record here, and how full it is."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, opened, put
from memex_mcp.model.query import LevelUse
from memex_mcp.retrieval.plain import plain

_BAR = 24


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``status``."""
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Print counts and sizes."""
    with opened(args) as (memory, caller):
        status = memory.status(caller)
        home = memory.settings.home
    if args.json:
        put(plain(status))
        return 0
    print(look.bold(f"memex {status.version}") + look.dim(f"  {home}"))
    print(f"workspace  {status.workspace or 'none: this folder cannot be one'}")
    if status.disabled:
        print(f"memory is OFF: {status.disabled}")
    for level in status.levels:
        print(_bar(level))
    print(f"global     {status.global_records} records")
    counted = ", ".join(f"{count} {name}" for name, count in status.by_status.items())
    print(f"status     {counted or 'nothing on record'}; {status.tombstones} values refused")
    waiting = f", {status.waiting_files} files still to write" if status.waiting_files else ""
    print(f"database   {status.database_bytes / 1e6:.1f} MB{waiting}")
    print(look.dim(f"tokens counted by {status.token_method}"))
    return 0


def _bar(level: LevelUse) -> str:
    share = min(1.0, level.hot_tokens / level.capacity_tokens)
    bar = "█" * round(share * _BAR)
    return (
        f"{level.level}         {bar:·<{_BAR}} {level.records} records, "
        f"{level.hot_tokens:,} of {level.capacity_tokens:,} tokens"
    )
