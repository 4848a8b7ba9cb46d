"""opencode.

One list holds the command and its arguments.  It has no hooks that start a program: what is
recalled there is what its model asks for.
"""

from collections.abc import Mapping
from pathlib import Path

from memex_adapters.checks import asked, entries, wiring
from memex_adapters.clients import Wanted, project_manual
from memex_adapters.launch import SERVER, Launch
from memex_adapters.pieces import Block, JsonEntry, Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import Traces, entry_there, names_a_path

TITLE = "opencode"
SCOPES: tuple[Scope, ...] = ("user", "project")

# Of these it reads all, and its own command writes to the first that is there.
_NAMES = ("opencode.json", "opencode.jsonc")


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its folder among the person's settings."""
    return bool(place.program("opencode")) or _folder(place).is_dir()


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    in_project = place.scope == "project"
    folder = place.below_project() if in_project else _folder(place)
    if wanted.server:
        chosen = _chosen(folder)
        found += [_entry(chosen, launch), Traces(path=chosen, keys=("$schema",))]
    if wanted.manual and in_project:
        found.append(project_manual("opencode", place, wanted))
    elif wanted.manual:
        found.append(Block(path=folder / "AGENTS.md", client="opencode", body=wanted.manual))
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del launch
    told = ["Start a new session."]
    if wanted.hooks:
        told.append("opencode has no hooks: nothing is recalled or archived unless it is asked.")
    if place.scope == "project":
        told.append(names_a_path("opencode.json"))
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """What is wrong with the wiring, one sentence each; it asks opencode itself as well."""
    folders = place.folders(_folder(place))
    everywhere = [_entry(folder / name, launch) for folder in folders for name in _NAMES]
    found = pieces(place, launch, Wanted(manual="-"))
    troubles = [*wiring(found), *entries(everywhere)]
    return troubles or asked("opencode", place, well="connected")


def _folder(place: Place) -> Path:
    # The same below the home on every system.
    return place.below_home(".config", "opencode", instead="XDG_CONFIG_HOME")


def _chosen(folder: Path) -> Path:
    """The file that holds our entry, else the one that opencode itself would write to."""
    there = [folder / name for name in _NAMES if (folder / name).exists()]
    held = (path for path in there if entry_there(_at(path)))
    return next(held, there[0] if there else folder / _NAMES[0])


def _entry(path: Path, launch: Launch) -> JsonEntry:
    value: dict[str, object] = {"type": "local", "command": [launch.command, *launch.arguments]}
    if launch.env:
        value["environment"] = dict(launch.env)
    return _at(path, value)


def _at(path: Path, value: Mapping[str, object] | None = None) -> JsonEntry:
    return JsonEntry(path=path, value=value or {}, keys=("mcp", SERVER), dialect="jsonc")
