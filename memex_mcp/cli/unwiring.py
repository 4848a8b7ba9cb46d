"""What takes memex out of clients: of some in one place, or of all that ever had it."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

from memex_adapters import launcher
from memex_adapters.clients import NAMES, claude, client, every_piece
from memex_adapters.launch import Launch
from memex_adapters.place import VARIABLES, Place
from memex_adapters.plan import Planner, Registered, current_state
from memex_adapters.receipts import Receipts
from memex_adapters.steps import Plan
from memex_mcp.cli import wiring
from memex_mcp.values import dataclass

# What is ours is known by what it starts, so that any command will do here.
_LAUNCH = Launch(command="/memex-mcp")
_PLUGIN = "plugin"
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwiring:
    """A plan, and what a person should know of it.

    Attributes:
        notes: What to do or to know once it is carried out.
        left: Files that stay on the receipts: what is ours there was not found.
    """

    plan: Plan
    notes: tuple[str, ...]
    left: tuple[str, ...] = ()


def some(root: str | None, names: list[str], place: Place, plugin: Path | None) -> Unwiring:
    """Out of the clients that are named, or of all, in one place; or out of a plugin folder.

    Raises:
        Invalid: A file cannot be changed safely.
    """
    with wiring.told():
        planner = Planner(wiring.receipts_of(root))
        if plugin:
            planner.remove(_PLUGIN, claude.plugin(plugin.absolute(), _LAUNCH))
            notes = []
        else:
            notes = _remove(planner, names, place)
        _remove_launcher(planner, place)
        plan = planner.plan()
    if place.scope == "user" and not plugin:
        notes += _elsewhere(plan.receipts, {*(names or (*NAMES, _PLUGIN))})
    return Unwiring(plan=plan, notes=(*notes, *plan.notes))


def all_of(root: str | None) -> Unwiring:
    """Out of everything: all clients, the projects they were entered for, plugin folders.

    Raises:
        Invalid: A file cannot be changed safely.
    """
    place = wiring.place_of("user")
    with wiring.told():
        planner = Planner(wiring.receipts_of(root))
        notes = _remove(planner, [], place)
        rest = planner.plan().receipts
        for project, names in _projects(rest, place).items():
            there = replace(place, scope="project", project=project)
            notes += _remove(planner, sorted(names), there)
        for path, receipt in planner.plan().receipts.files.items():
            for name in set(receipt.clients).intersection(NAMES):
                for there in _earlier(Path(path), name, place):
                    planner.remove(name, every_piece(client(name), there, _LAUNCH))
        for folder in _plugins(rest):
            planner.remove(_PLUGIN, claude.plugin(folder, _LAUNCH))
        _remove_launcher(planner, place)
        plan = planner.plan()
    told = dict.fromkeys([*notes, *plan.notes])
    return Unwiring(plan=plan, notes=tuple(told), left=tuple(plan.receipts.files))


def _remove(planner: Planner, names: list[str], place: Place) -> list[str]:
    """Also out of clients that are gone: what is left of them is ours to clean."""
    notes = []
    for name, module in wiring.modules(names, place, here=False).items():
        found = every_piece(module, place, _LAUNCH)
        if any(current_state(piece) != "absent" for piece in found):
            notes += [f"{module.TITLE}: {note}" for note in module.farewell(place)]
        planner.remove(name, found)
    return notes


def _elsewhere(receipts: Receipts, names: set[str]) -> list[str]:
    files = [path for path, receipt in receipts.files.items() if names & {*receipt.clients}]
    if not files:
        return []
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return [
        f"It stays in {', '.join(files[:_SHOWN])}{more}: go to the project and pass --scope"
        " project, name a plugin's folder with --plugin, or set the variable that named the"
        " client's folder."
    ]


def _remove_launcher(planner: Planner, place: Place) -> None:
    script = launcher.script(place)
    is_ours = launcher.is_launcher(script.path) or not script.path.exists()
    if planner.is_only(wiring.LAUNCHER) and is_ours:
        planner.remove(wiring.LAUNCHER, [script])


def _projects(receipts: Receipts, place: Place) -> dict[Path, set[str]]:
    """The projects that files on the receipts belong to, with their clients."""
    found: dict[Path, set[str]] = {}
    for path, receipt in receipts.files.items():
        for name in set(receipt.clients).intersection(NAMES):
            for folder in Path(path).parents:
                if Path(path) in _files_of(name, replace(place, scope="project", project=folder)):
                    found.setdefault(folder, set()).add(name)
    return found


def _earlier(path: Path, name: str, place: Place) -> Iterator[Place]:
    """Where a client had this file when no variable named its folder, or another one."""
    named = [{key: str(at)} for key, at in product(VARIABLES, (path, *path.parents))]
    for variables in ({}, *named):
        there = replace(place, variables=variables)
        if path in _files_of(name, there):
            yield there


def _files_of(name: str, place: Place) -> set[Path]:
    pieces = every_piece(client(name), place, _LAUNCH)
    return {piece.path for piece in pieces if not isinstance(piece, Registered)}


def _plugins(receipts: Receipts) -> set[Path]:
    """The plugin folders that files on the receipts belong to."""
    return {
        folder
        for path, receipt in receipts.files.items()
        if _PLUGIN in receipt.clients
        for folder in Path(path).parents
        if Path(path) in (piece.path for piece in claude.plugin(folder, _LAUNCH))
    }
