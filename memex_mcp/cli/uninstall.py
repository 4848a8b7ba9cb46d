"""``memex-mcp uninstall``: take the server, hooks and manual out of your clients again."""

import argparse

from memex_mcp.cli import unwiring, wiring
from memex_mcp.cli.common import put

EXAMPLE = "memex-mcp uninstall codex --dry-run"

_KEPT = "What memory holds stays in its store; memex-mcp status says where that is."


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``uninstall``."""
    wiring.add_clients(parser, "take out")


def run(args: argparse.Namespace) -> int:
    """Show what would go, ask, and take all of it out or nothing.

    Raises:
        Denied: Nobody agreed.
        Invalid: A file cannot be changed safely.
    """
    place = wiring.place_of(args.scope)
    with wiring.in_turn(args):
        wanted = unwiring.some(args.root, args.clients, place, args.plugin)
        plan = wanted.plan
        done = wiring.carry_out(args, plan)
    if args.json:
        steps = wiring.steps_of(plan, diff=args.dry_run)
        put({"done": done, "steps": steps, "notes": [*wanted.notes]})
    else:
        notes = [*wanted.notes, *([_KEPT] if plan.steps else [])]
        otherwise = "Nothing of memex is there."
        wiring.show_outcome(args, plan, notes, done=done, otherwise=otherwise)
    return 0 if done or args.dry_run else 1
