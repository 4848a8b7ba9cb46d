"""``memex-mcp uninstall``: take the server, hooks and manual out of your clients again."""

import argparse

from memex_mcp.cli import look, unwiring, wiring
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
        put(
            {
                "done": done,
                "steps": wiring.steps_of(plan, diff=args.dry_run),
                "notes": [*wanted.notes],
            }
        )
    elif not done and not args.dry_run:
        look.show("Nothing was changed.")
    elif not plan.steps:
        look.show("Nothing of memex is there.")
    else:
        look.show("This would be done:" if args.dry_run else "Done:")
        wiring.show_plan(plan, diff=args.dry_run)
        for note in [*wanted.notes, _KEPT]:
            look.show(f"- {note}")
    return 0 if done or args.dry_run else 1
