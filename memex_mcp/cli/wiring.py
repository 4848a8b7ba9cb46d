"""What the commands for clients share: where they are, which command they get, what is shown."""

import argparse
import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager, nullcontext
from pathlib import Path

from memex_adapters import clients, launcher
from memex_adapters.apply import apply
from memex_adapters.errors import AdapterError, Changed, Failed, Unclear
from memex_adapters.launch import Launch
from memex_adapters.place import VARIABLES, Place, Scope
from memex_adapters.receipts import Receipts
from memex_adapters.steps import Edit, Plan
from memex_manuals.families import FAMILIES
from memex_manuals.rendering import render
from memex_mcp import settings
from memex_mcp.cli import look
from memex_mcp.cli.common import add_root, at_terminal
from memex_mcp.errors import Conflict, Denied, Invalid, MemexError, NotFound, Unavailable
from memex_mcp.profiles.reader import reader
from memex_mcp.turns import taking_turns

LAUNCHER = "launcher"
"""Under this name the receipts note the script that clients are told to start."""

RECEIPTS = "clients"
"""Folder of the receipts in the store."""

_REACTIONS: dict[type[AdapterError], type[MemexError]] = {
    Unclear: Invalid,
    Changed: Conflict,
    Failed: Unavailable,
}


def add_clients(parser: argparse.ArgumentParser, deed: str) -> None:
    """Declare which clients, where, and whether to ask."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "clients",
        nargs="*",
        default=[],
        metavar="CLIENT",
        help=f"{', '.join(clients.NAMES)} (default: those that are here)",
    )
    which.add_argument("--all", action="store_true", help="those that are here, said aloud")
    parser.add_argument(
        "--scope",
        choices=["user", "project"],
        default="user",
        help="for all you do, or for this folder alone (default: user)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help=f"show what to {deed}, change nothing"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask; needed without a terminal")
    parser.add_argument(
        "--plugin", metavar="DIR", type=Path, help="a plugin folder for Claude Code instead"
    )
    add_root(parser)


def place_of(scope: Scope) -> Place:
    """This person's home and, for a project, the working directory.

    Raises:
        Invalid: The working directory is no project, or nobody knows where the home is.
    """
    home = _home()
    return Place(
        home=home,
        scope=scope,
        project=_project(home) if scope == "project" else None,
        variables=settings.environment(VARIABLES),
        system=sys.platform,
    )


def working_folder() -> Path | None:
    """The folder one is in; None when somebody removed it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def receipts_of(root: str | None) -> Receipts:
    """The receipts in the store folder.

    Raises:
        Invalid: They cannot be read.
    """
    with told():
        return Receipts.load(settings.load(root).home / RECEIPTS)


def choice(named: str | None, place: Place) -> launcher.Chosen:
    """The command that clients get: the one that is named, or the one that runs now.

    Raises:
        Invalid: It is none, or the place of the launcher is taken.
    """
    if named:
        command = Path(named)
        if not command.is_absolute() or not command.is_file():
            raise Invalid("--command takes the absolute path of an installed memex-mcp")
        return launcher.Chosen(command=named)
    with told():
        return launcher.choose(running(), place)


def running() -> Path:
    """The installed command that runs now, its links not followed.

    Raises:
        NotFound: It was started in another way.
    """
    beside = Path(sys.executable).parent
    names = ("memex-mcp.exe",) if sys.platform == "win32" else ("memex-mcp",)
    for path in (Path(sys.argv[0]), *(beside / name for name in names)):
        if path.name in names and path.is_file():
            return path.absolute()
    raise NotFound(
        "the installed command memex-mcp is not where this runs",
        "Name it for your clients with --command.",
    )


def launch_of(command: str, root: str | None, words: tuple[str, ...] = ()) -> Launch:
    """The command with the store that the person named, if any."""
    named = root or settings.environment(["MEMEX_HOME"]).get("MEMEX_HOME", "")
    where = str(settings.load(named).home) if named else ""
    return Launch(command=command, root=where, words=words)


def manual_of(client: str, root: str | None, model: str = "", language: str | None = None) -> str:
    """What a client is told of memory: the same text as ``memex-mcp manual`` prints."""
    who = reader(settings.load(root), client, model)
    family = who.family if who.family in FAMILIES else "default"
    return render(client, family, language or who.language, who.format.value)


def modules(names: list[str], place: Place, *, here: bool = True) -> dict[str, clients.Client]:
    """The clients that are named, or all; without a name only those ``here``.

    Raises:
        Invalid: There is no such client, or it cannot be set up in this scope.
    """
    unknown = [name for name in names if name not in clients.NAMES]
    if unknown:
        raise Invalid(f"there is no client {unknown[0]!r}", f"Known: {', '.join(clients.NAMES)}.")
    found = {name: clients.client(name) for name in names or clients.NAMES}
    fit = {name: module for name, module in found.items() if place.scope in module.SCOPES}
    if names and len(fit) < len(found):
        unfit = next(name for name in found if name not in fit)
        raise Invalid(f"{found[unfit].TITLE} is not set up for a {place.scope}")
    if names or not here:
        return fit
    return {name: each for name, each in fit.items() if each.is_here(place)}


def _home() -> Path:
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - the method raises for an unknown user
    if not home.is_absolute():
        raise Invalid("your home folder is not known", "Set HOME to its absolute path.")
    return home


def _project(home: Path) -> Path:
    here = working_folder()
    if here is None:
        raise Invalid("the folder you are in is gone", "Go to the project's folder.")
    if here.parent == here or here.resolve() in settings.shared_folders(home):
        raise Invalid(
            "the home folder, a whole disk and the temp folder are no project",
            "Go to the project's folder.",
        )
    return here


@contextmanager
def told() -> Generator[None]:
    """Turn a reason to change nothing into one that the command line tells."""
    try:
        yield
    except AdapterError as error:
        raise _REACTIONS[type(error)](str(error), error.hint) from error


def steps_of(plan: Plan, *, diff: bool = False) -> list[dict[str, object]]:
    """What a plan does, for programs."""
    steps: list[dict[str, object]] = []
    for step in plan.steps:
        if isinstance(step, Edit):
            told: dict[str, object] = {"do": step.deed, "path": str(step.path)}
            told["what"] = list(step.what)
            steps.append({**told, "diff": step.diff()} if diff else told)
        else:
            steps.append({"do": "run", "command": list(step.command)})
    return steps


def show_plan(plan: Plan, *, diff: bool) -> None:
    """Print what a plan does, for people."""
    for step in plan.steps:
        if isinstance(step, Edit):
            look.show(f"{step.deed}  {step.path}  ({', '.join(step.what)})")
            if diff:
                look.show_dim(step.diff(), 4)
        else:
            look.show(f"run     {' '.join(step.command)}")


def show_outcome(
    args: argparse.Namespace, plan: Plan, notes: Iterable[str], *, done: bool, otherwise: str
) -> None:
    """Print what was done, or would be, for people.

    Args:
        args: Those of the command; a dry run shows each line.
        plan: What was carried out, or not.
        notes: What to do or to know, a sentence each.
        done: It was carried out.
        otherwise: What to say of a plan without steps.
    """
    if not done and not args.dry_run:
        look.show("Nothing was changed.")
        return
    if plan.steps:
        look.show("This would be done:" if args.dry_run else "Done:")
        show_plan(plan, diff=args.dry_run)
    else:
        look.show(otherwise)
    for note in notes:
        look.show(f"- {note}")


@contextmanager
def in_turn(args: argparse.Namespace) -> Generator[None]:
    """What reads files to plan a change, and changes them; a dry run waits for nobody.

    Raises:
        Unavailable: Another program is at it and does not end.
    """
    with nullcontext() if args.dry_run else taking_turns(_home()):
        yield


def carry_out(args: argparse.Namespace, plan: Plan) -> bool:
    """Whether it was done: not on a dry run, nor when the person says no.

    Raises:
        Denied: Nobody can be asked.
        Unavailable: A step failed; everything is as it was.
    """
    if args.dry_run:
        return False
    if plan.steps:
        if not args.json and not args.yes:
            show_plan(plan, diff=True)
        if not _agreed(args):
            return False
    with told():
        apply(plan)
    return True


def _agreed(args: argparse.Namespace) -> bool:
    """Whether the person agrees to what was shown; ``--yes`` agrees beforehand.

    Raises:
        Denied: Nobody can be asked.
    """
    if args.yes:
        return True
    if args.json or not at_terminal():
        raise Denied(
            "nothing is changed without somebody's agreement",
            "Look at it with --dry-run, then pass --yes.",
        )
    return input("Go ahead? [y/N] ").strip().lower() in ("y", "yes")
