"""VS Code with Copilot Chat.

Its key is ``servers``.  In a project it reads the same files for instructions as Copilot CLI,
so the two share one block there.
"""

from pathlib import Path

from memex_adapters.checks import entries, wiring
from memex_adapters.clients import Wanted, project_manual
from memex_adapters.launch import SERVER, Launch
from memex_adapters.pieces import JsonEntry, Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import COPILOT_READS, names_a_path, no_hooks, rule_file, stdio

TITLE = "VS Code"
SCOPES: tuple[Scope, ...] = ("user", "project")

_EDITIONS = ("Code", "Code - Insiders")


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its folder among the person's settings."""
    command = any(place.program(name) for name in ("code", "code-insiders"))
    return command or any(folder.is_dir() for folder in _every(place))


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    in_project = place.scope == "project"
    if wanted.server:
        folders = [place.below_project(".vscode")] if in_project else _folders(place)
        found += [_entry(folder, launch) for folder in folders]
    if wanted.manual and in_project:
        found.append(project_manual("vscode", place, wanted, *COPILOT_READS))
    elif wanted.manual:
        front = ("description: How to use the memory of memex", "applyTo: '**'")
        name = Path("prompts", "memex.instructions.md")
        found += [rule_file(folder / name, front, wanted.manual) for folder in _folders(place)]
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del launch
    told = ["Start memex once with `MCP: List Servers`; VS Code asks whether you trust it."]
    if wanted.hooks:
        told.append(no_hooks(TITLE))
    if place.scope == "project":
        told.append(names_a_path(".vscode/mcp.json"))
    else:
        told.append("The entry is in the default profile; other profiles have files of their own.")
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """What is wrong with the wiring, one sentence each, as far as files show it."""
    troubles = wiring(pieces(place, launch, Wanted(manual="-")))
    # Each edition reads its own file and the project's.
    for folder in _folders(place):
        both = place.folders(folder, ".vscode")
        troubles += entries([_entry(each, launch) for each in both])
    return list(dict.fromkeys(troubles))


def _every(place: Place) -> list[Path]:
    return [place.below_config(edition, "User") for edition in _EDITIONS]


def _folders(place: Place) -> list[Path]:
    """The editions that are here; the usual one when none is."""
    every = _every(place)
    return [folder for folder in every if folder.is_dir()] or every[:1]


def _entry(folder: Path, launch: Launch) -> JsonEntry:
    return JsonEntry(
        path=folder / "mcp.json",
        value={"type": "stdio", **stdio(launch)},
        keys=("servers", SERVER),
        dialect="jsonc",
    )
