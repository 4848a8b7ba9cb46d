"""``memex-mcp status``: what is on record here, and how full it is."""

import argparse
from pathlib import Path

from memex_mcp.cli import look, switched
from memex_mcp.cli.common import add_place, opened, put
from memex_mcp.model.levels import Injected, Level
from memex_mcp.model.status import LevelUse, StoreStatus
from memex_mcp.retrieval.plain import plain
from memex_mcp.text import tokens

EXAMPLE = "memex-mcp status --json"

_BAR = 20
_LEVELS = {"L2": (Level.L2, "session"), "L3": (Level.L3, "workspace")}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``status``."""
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Print counts and sizes; works while memory is switched off, too."""
    with opened(args) as (memory, caller):
        # The server counts exactly where it can: what is told here should be what it does.
        tokens.load_vocabulary(memory.settings.vocabulary)
        status = memory.status(caller)
        home = memory.settings.home
    if args.json:
        put({"store": str(home), **plain(status)})
    else:
        _show(status, home)
    return 0


def _show(status: StoreStatus, home: Path) -> None:
    print(look.bold(f"memex {status.version}"))
    if status.disabled:
        look.show(f"Memory is OFF: {status.disabled}.")
    if status.workspace is None:
        look.show(look.NOWHERE)
    print()
    by_status = ", ".join(f"{number:,} {name}" for name, number in status.by_status.items())
    by_origin = ", ".join(f"{number:,} {name}" for name, number in status.by_origin.items())
    size = f"{status.database_bytes / 1e6:.1f} MB"
    if status.waiting_files:
        size += f"; {look.counted(status.waiting_files, 'file')} still to be written"
    look.show_table(
        [
            ("store", str(home)),
            ("workspace", status.workspace or "none"),
            ("session", status.session_id or "none; --session ID counts its private records"),
            *([("injected", _injected(status.injected))] if status.injected else []),
            *(_level(level, status) for level in status.levels),
            ("global", look.counted(status.global_records, "record")),
            ("in all", by_status or "nothing on record"),
            *([("from", by_origin)] if by_origin else []),
            *switched.rows(status.switches),
            ("refused", look.counted(status.tombstones, "withdrawn statement")),
            ("database", size),
            ("tokens", f"counted by {status.token_method}"),
            ("meaning", _meaning(status)),
        ]
    )


def _injected(told: Injected) -> str:
    if not told.blocks:
        return "nothing since the session began, or was compacted"
    texts = look.counted(told.blocks, "text")
    return f"{told.tokens:,} tokens at most, in {texts} since the session began or was compacted"


def _meaning(status: StoreStatus) -> str:
    if not status.embedder:
        return "off: words only"
    waiting = status.waiting_vectors
    left = f"; {look.counted(waiting, 'chunk')} still to be embedded" if waiting else ""
    return f"{status.embedder}, {look.counted(status.vectors, 'vector')}{left}"


def _level(level: LevelUse, status: StoreStatus) -> tuple[str, str]:
    switch, owner = _LEVELS[level.level]
    # Without a session its count would be 0, however much is in the archives of all.
    counted = switch is Level.L3 or status.session_id is not None
    use = _use(level) if counted else "private to each session"
    return f"{level.level} {owner}", f"{use}; {switched.turned(status.switches, switch)}"


def _use(level: LevelUse) -> str:
    share = min(1.0, level.hot_tokens / level.capacity_tokens)
    cells = round(share * _BAR)
    # Something is not nothing, however little of a hundred million it is.
    cells = max(cells, 1) if level.hot_tokens else cells
    cold = f" + {level.cold_tokens:,} cold" if level.cold_tokens else ""
    return (
        f"{'█' * cells}{'░' * (_BAR - cells)}  {look.counted(level.records, 'record')}, "
        f"{level.hot_tokens:,}{cold} of {level.capacity_tokens // 1_000_000} M tokens"
    )
