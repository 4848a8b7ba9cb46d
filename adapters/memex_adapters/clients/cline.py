"""Cline, on the command line and in VS Code.

Both keep servers for the person alone, each in a file of its own.  A server that takes more than
three seconds to start is dropped without a word, unless its entry says how long to wait.
"""

from dataclasses import replace
from pathlib import Path

from memex_adapters.checks import entries, wiring
from memex_adapters.clients import Wanted, project_manual
from memex_adapters.launch import Launch
from memex_adapters.pieces import JsonEntry, Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import entry_there, no_hooks, stdio

TITLE = "Cline"
SCOPES: tuple[Scope, ...] = ("user", "project")

_EXTENSION = ("User", "globalStorage", "saoudrizwan.claude-dev")
_EDITORS = ("Code", "Code - Insiders", "Cursor", "Windsurf", "VSCodium")
_FILE = ("settings", "cline_mcp_settings.json")
# Seconds for an answer, as many as when nothing is said; for the first one that would be three.
_PATIENCE = 60


def is_here(place: Place) -> bool:
    """Whether its command is on PATH, its folder in the home or its extension in an editor."""
    is_command = bool(place.program("cline")) or place.below_home(".cline").is_dir()
    return is_command or bool(_extensions(place))


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    if place.scope == "user":
        return [*_servers(place, launch)] if wanted.server else []
    # All that a project can hold is the manual.
    if not wanted.manual:
        return []
    return [project_manual("cline", place, wanted)]


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del launch
    told = []
    if place.scope == "project":
        told.append("Cline has servers for the person alone: enter it there as well.")
    elif wanted.manual:
        told.append("It reads the manual from a project's AGENTS.md: enter it in each project.")
    if wanted.hooks:
        told.append(no_hooks(TITLE))
    if _extensions(place):
        told.append("In VS Code, open Cline's list of servers and restart memex there.")
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """What is wrong with the wiring, one sentence each, as far as files show it."""
    found = pieces(place, launch, Wanted(manual="-"))
    troubles = wiring(found)
    # Each file is read by a program of its own, so two of them are no two entries.
    for entry in _servers(place, launch):
        troubles += entries([entry])
    return troubles


def _extensions(place: Place) -> list[Path]:
    folders = [place.below_config(editor, *_EXTENSION) for editor in _EDITORS]
    return [folder for folder in folders if folder.is_dir()]


def _servers(place: Place, launch: Launch) -> list[JsonEntry]:
    found = [_entry(folder.joinpath(*_FILE), launch) for folder in _extensions(place)]
    is_command = bool(place.program("cline")) or place.below_home(".cline").is_dir()
    if is_command or not found:
        chosen = place.variables.get("CLINE_MCP_SETTINGS_PATH")
        path = Path(chosen) if chosen else place.below_home(".cline", "data", *_FILE)
        found.insert(0, _entry(path, launch, nested=True))
    return found


def _entry(path: Path, launch: Launch, *, nested: bool = False) -> JsonEntry:
    """The entry in the shape that the file has already, else in the one that is usual there."""
    entry = JsonEntry(path=path, value=stdio(launch))
    there = entry_there(entry)
    value = entry.value
    if "transport" in there or (nested and not there):
        value = {"transport": {"type": "stdio", **value}}
    # A person may have chosen another.
    return replace(entry, value=value if "timeout" in there else {**value, "timeout": _PATIENCE})
