"""``memex-mcp uninstall``: take the server, hooks and manual out of your clients again."""

import argparse

from memex_adapters import launcher
from memex_adapters.apply import apply
from memex_adapters.clients import claude, removable
from memex_adapters.launch import Launch
from memex_adapters.place import Place
from memex_adapters.plan import Planner
from memex_adapters.steps import Plan
from memex_mcp.cli import look, wiring
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
    plan, notes = _plan(args, place)
    if args.dry_run:
        done = False
    elif plan.steps:
        if not args.json and not args.yes:
            wiring.show_plan(plan, diff=True)
        done = wiring.check_agreed(args)
    else:
        done = True
    if done:
        with wiring.told():
            apply(plan)
    if args.json:
        put({"done": done, "steps": wiring.steps_of(plan, diff=args.dry_run), "notes": notes})
    elif not done and not args.dry_run:
        look.show("Nothing was changed.")
    elif not plan.steps:
        look.show("Nothing of memex is there.")
    else:
        look.show("This would be done:" if args.dry_run else "Done:")
        wiring.show_plan(plan, diff=args.dry_run)
        for note in [*notes, _KEPT]:
            look.show(f"- {note}")
    return 0 if done or args.dry_run else 1


def _plan(args: argparse.Namespace, place: Place) -> tuple[Plan, list[str]]:
    # What is ours is known by what it starts, so that any command will do here.
    launch = Launch(command="/memex-mcp")
    notes = []
    with wiring.told():
        planner = Planner(wiring.receipts_of(args.root))
        if args.plugin:
            planner.remove("plugin", claude.plugin(args.plugin.absolute(), launch))
        else:
            # Also from clients that are gone: what is left of them is ours to clean.
            for name, module in wiring.modules(args.clients, place, here=False).items():
                notes += [f"{module.TITLE}: {note}" for note in module.farewell(place)]
                planner.remove(name, removable(module, place, launch))
        script = launcher.script(place)
        if planner.is_only(wiring.LAUNCHER) and launcher.is_launcher(script.path):
            planner.remove(wiring.LAUNCHER, [script])
        plan = planner.plan()
    return plan, [*notes, *plan.notes]
