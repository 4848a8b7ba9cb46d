"""``memex-mcp purge``: remove everything that memex has on this machine, data included."""

import argparse
import sys
from pathlib import Path

from memex_adapters.apply import apply
from memex_mcp import settings
from memex_mcp.cli import look, unwiring, wiring
from memex_mcp.cli.common import add_root, at_terminal, put
from memex_mcp.cli.unwiring import Unwiring
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.holdings import Holdings, Purged
from memex_mcp.model.kinds import Surface
from memex_mcp.retrieval.plain import plain

EXAMPLE = "memex-mcp purge --dry-run"

_STAYS = "the transcripts that your clients keep, copies you made elsewhere, and the program itself"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``purge``."""
    parser.add_argument(
        "--dry-run", action="store_true", help="count what would go, change nothing"
    )
    parser.add_argument(
        "--keep-clients",
        action="store_true",
        help="leave your clients as they are: their next session begins an empty memory",
    )
    add_root(parser)


def run(args: argparse.Namespace) -> int:
    """Show what there is, have the person say so in a word, then remove it: clients first.

    Raises:
        Denied: Nobody is at a terminal.
        Invalid: A file of a client cannot be changed safely; nothing was done.
        Unavailable: Others use the store.
    """
    memory = Memory(settings.load(args.root))
    try:
        evidence = Evidence(surface=Surface.CLI, client="cli", human=at_terminal())
        caller = memory.caller(evidence)
        if not args.dry_run:
            memory.check_purger(caller)
        home = memory.settings.home
        with wiring.in_turn(args):
            held, wired = memory.holdings(), _wired(args)
            if not args.json:
                _show(home, held, wired)
            agreed = not args.dry_run and (_is_nothing(held, wired) or _agreed())
            if agreed and wired:
                with wiring.told():
                    apply(wired.plan)
            # What clients' files held before us is in no other place.
            keeps = wired.left if wired else args.keep_clients
            keep = [wiring.RECEIPTS] if keeps else []
            purged = memory.purge(caller, keep=keep) if agreed else None
    finally:
        memory.close()
    if args.json:
        put(_told(home, held, wired, purged))
    elif not args.dry_run:
        _show_outcome(home, wired, purged)
    return 0 if args.dry_run or (purged and not purged.failed) else 1


def _wired(args: argparse.Namespace) -> Unwiring | None:
    """What takes this store out of the clients; None where they are none of its business."""
    if args.keep_clients:
        return None
    named, usual = (settings.load(root).home for root in (args.root, None))
    if named != usual and not wiring.receipts_of(args.root).files:
        # No client was wired from there, so what they have is for another store.
        return None
    return unwiring.all_of(args.root)


def _is_nothing(held: Holdings, wired: Unwiring | None) -> bool:
    return not held.files and not (wired and wired.plan.steps)


def _agreed() -> bool:
    print("Type purge to remove all of it, for good: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "purge"


def _show(home: Path, held: Holdings, wired: Unwiring | None) -> None:
    if _is_nothing(held, wired):
        look.show(f"Nothing of memex is in {home}, and no client has it.")
        return
    look.show_table(
        [
            ("store", str(home)),
            *_counted(held),
            ("files", f"{held.files:,}, {held.bytes / 1e6:.1f} MB"),
            ("stays", _STAYS),
            *([("not ours", ", ".join(held.foreign) + ": left alone")] if held.foreign else []),
        ]
    )
    if wired:
        wiring.show_plan(wired.plan, diff=False)
    else:
        look.show("Your clients are left as they are.")


def _counted(held: Holdings) -> list[tuple[str, str]]:
    if held.counts is None:
        return [("records", "not to be counted: the database cannot be read")]
    kinds = held.counts.records
    told = ", ".join(look.counted(number, kind) for kind, number in kinds.items())
    return [
        ("records", f"{sum(kinds.values()):,}" + (f": {told}" if told else "")),
        ("workspaces", f"{held.counts.workspaces:,}"),
        ("sessions", f"{held.counts.sessions:,}"),
    ]


def _show_outcome(home: Path, wired: Unwiring | None, purged: Purged | None) -> None:
    if purged is None:
        look.show("Nothing was changed.")
        return
    look.show(f"Removed {look.counted(purged.files, 'file')}.")
    for name in purged.failed:
        look.show(f"- could not be removed: {name}; end your agents, then try again")
    for name in purged.foreign:
        look.show(f"- left alone, for memex did not make it: {name}")
    if home.exists():
        look.show(f"- the folder is still there: {home}")
    for path in wired.left if wired else ():
        once = f"what it held once lies in {wiring.RECEIPTS}/"
        look.show(f"- nothing of memex was found in {path}; {once}")
    for note in wired.notes if wired else ():
        look.show(f"- {note}")


def _told(
    home: Path, held: Holdings, wired: Unwiring | None, purged: Purged | None
) -> dict[str, object]:
    return {
        "done": purged is not None,
        "store": str(home),
        "held": plain(held),
        "purged": plain(purged) if purged else None,
        "steps": wiring.steps_of(wired.plan) if wired else [],
        "notes": [*wired.notes] if wired else [],
    }
