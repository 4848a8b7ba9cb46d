"""``memex-mcp init``: enter the server, hooks and manual into your clients."""

import argparse
import shlex
from dataclasses import replace
from pathlib import Path

from memex_adapters import launcher
from memex_adapters.clients import Client, Wanted, claude, generic
from memex_adapters.launch import Launch
from memex_adapters.place import Place
from memex_adapters.plan import Planner
from memex_adapters.steps import Plan
from memex_manuals.core import LANGUAGES
from memex_mcp.cli import look, wiring
from memex_mcp.cli.common import at_terminal, opened, put
from memex_mcp.errors import Denied, Invalid
from memex_mcp.model.levels import CHOICES

EXAMPLE = "memex-mcp init claude codex --dry-run"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``init``."""
    wiring.add_clients(parser, "enter")
    parser.add_argument("--no-hooks", action="store_true", help="no hooks: nothing is automatic")
    parser.add_argument("--no-manual", action="store_true", help="no manual for the model")
    parser.add_argument(
        "--block",
        action="store_true",
        help="put the manual into the client's shared file, such as CLAUDE.md, as a marked block",
    )
    parser.add_argument(
        "--model", metavar="NAME", default="", help="write for this model (default: by the client)"
    )
    parser.add_argument(
        "--language", choices=LANGUAGES, help="of the manual (default: as the settings say)"
    )
    parser.add_argument(
        "--allow",
        action="store_true",
        help="also enter the permission to use the tools without being asked each time",
    )
    parser.add_argument(
        "--levels", choices=list(CHOICES)[1:], help="also turn archives of this folder on, for good"
    )
    parser.add_argument(
        "--all-tools", action="store_true", help="have the server offer the advanced tools too"
    )
    parser.add_argument(
        "--command", metavar="PATH", help="command for the clients (default: the one that runs)"
    )
    parser.add_argument(
        "--no-check", action="store_true", help="do not ask the clients whether it works now"
    )
    parser.add_argument(
        "--print",
        action="store_true",
        help="only print an entry and a manual, for a client that is not known here",
    )
    parser.add_argument(
        "--statusline", action="store_true", help="only print a status line for Claude Code"
    )


def run(args: argparse.Namespace) -> int:
    """Show what would change, ask, and change all of it or nothing.

    Raises:
        Denied: Nobody agreed, or a level needs a person.
        Invalid: No client is named or found, or a file cannot be changed safely.
    """
    place = wiring.place_of(args.scope)
    chosen = wiring.choice(args.command, place)
    words = (
        *(("--all-tools",) if args.all_tools else ()),
        *(("--model", args.model) if args.model else ()),
    )
    launch = wiring.launch_of(chosen.command, args.root, words)
    if args.statusline or args.print:
        _print(args, replace(launch, command=_there(chosen)))
        return 0
    if args.levels and not args.dry_run and not at_terminal():
        raise Denied("only a person turns a level on", "Run it in a terminal.")
    modules = {} if args.plugin else wiring.modules(args.clients, place)
    if not modules and not args.plugin:
        raise Invalid("no client is found here", "Name one: memex-mcp init claude.")
    wanted = {name: _wanted(args, name) for name in modules}
    with wiring.in_turn(args):
        plan = _plan(args, place, launch, chosen, modules, wanted)
        done = wiring.carry_out(args, plan)
    notes = [*([chosen.warning] if chosen.warning else []), *plan.notes]
    for name, module in modules.items():
        told = module.notes(place, launch, wanted[name])
        notes += [f"{module.TITLE}: {note}" for note in told]
    asked = modules if done and plan.steps and not args.no_check else {}
    troubles = _troubles(asked, place, launch, notes)
    if args.plugin:
        start = shlex.join(["claude", "--plugin-dir", str(args.plugin.absolute())])
        notes.append(f"Claude Code: start it as {start}")
    if done:
        _turn_on(args)
    if args.json:
        steps = wiring.steps_of(plan, diff=args.dry_run)
        outcome = {"done": done, "steps": steps, "notes": notes, "troubles": troubles}
        put({"command": launch.command, **outcome})
    else:
        otherwise = "Everything is in place already."
        wiring.show_outcome(args, plan, notes, done=done, otherwise=otherwise)
        _show_troubles(asked, troubles)
    return 0 if done or args.dry_run else 1


def _troubles(
    modules: dict[str, Client], place: Place, launch: Launch, notes: list[str]
) -> dict[str, list[str]]:
    """What is wrong all the same and not noted, by client; one with a command is asked itself."""
    there = replace(place, project=place.project or wiring.working_folder())
    return {
        name: [
            trouble
            for trouble in module.check(there, launch)
            if f"{module.TITLE}: {trouble}" not in notes
        ]
        for name, module in modules.items()
    }


def _show_troubles(modules: dict[str, Client], troubles: dict[str, list[str]]) -> None:
    for name, module in modules.items():
        for trouble in troubles[name]:
            look.show(f"! {module.TITLE}: {trouble}")
    sound = [module.TITLE for name, module in modules.items() if not troubles[name]]
    if sound:
        look.show(f"Checked, and well: {', '.join(sound)}.")


def _print(args: argparse.Namespace, launch: Launch) -> None:
    """Print what a person enters by hand."""
    if args.statusline:
        told = claude.statusline(launch)
    else:
        name = args.clients[0] if args.clients else "generic"
        told = generic.printed(launch, "" if args.no_manual else _manual(args, name))
    print(told.rstrip())


def _there(chosen: launcher.Chosen) -> str:
    """The chosen command, or the one that runs now while there is no launcher."""
    return chosen.command if Path(chosen.command).exists() else str(wiring.running())


def _wanted(args: argparse.Namespace, name: str) -> Wanted:
    return Wanted(
        hooks=not args.no_hooks,
        manual="" if args.no_manual else _manual(args, name),
        common_manual="" if args.no_manual else _manual(args, "generic"),
        manual_in="shared" if args.block else "own",
        permission=args.allow,
    )


def _manual(args: argparse.Namespace, name: str) -> str:
    return wiring.manual_of(name, args.root, args.model, args.language)


def _plan(
    args: argparse.Namespace,
    place: Place,
    launch: Launch,
    chosen: launcher.Chosen,
    modules: dict[str, Client],
    wanted: dict[str, Wanted],
) -> Plan:
    with wiring.told():
        planner = Planner(wiring.receipts_of(args.root))
        if chosen.script:
            planner.install(wiring.LAUNCHER, [chosen.script], mode=0o755)
        mode = 0o600 if args.scope == "user" else 0o644
        for name, module in modules.items():
            planner.install(name, module.pieces(place, launch, wanted[name]), mode=mode)
        if args.plugin:
            planner.install("plugin", claude.plugin(args.plugin.absolute(), launch), mode=0o644)
        return planner.plan()


def _turn_on(args: argparse.Namespace) -> None:
    """Turn on what ``--levels`` names, for the folder one is in."""
    for level in CHOICES.get(args.levels, ()):
        here = argparse.Namespace(root=args.root, workspace=None, session=None)
        with opened(here) as (memory, caller):
            memory.switches.turn_on(level, caller, for_session=False)
