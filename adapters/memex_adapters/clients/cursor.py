"""Cursor.

It has hooks, but what they are told is nothing that capture knows how to read; so none is
entered.  Rules for the person live in its database; in a project it reads ``AGENTS.md``.
"""

from pathlib import Path

from memex_adapters.checks import entries, wiring
from memex_adapters.clients import Wanted, project_manual
from memex_adapters.launch import Launch
from memex_adapters.pieces import JsonEntry, Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import names_a_path, no_hooks, stdio

TITLE = "Cursor"
SCOPES: tuple[Scope, ...] = ("user", "project")


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its folder in the home."""
    return bool(place.program("cursor")) or place.below_home(".cursor").is_dir()


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    in_project = place.scope == "project"
    if wanted.server:
        folder = place.below_project() if in_project else place.home
        found.append(_entry(folder, launch))
    if wanted.manual and in_project:
        found.append(project_manual("cursor", place, wanted))
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del launch
    told = ["Turn memex on under Settings, Tools & MCP; Cursor asks before it uses a tool."]
    if wanted.manual and place.scope == "user":
        told.append(
            "Cursor keeps rules for all projects in its own settings: paste the output of"
            " `memex-mcp manual cursor` there, or enter memex in each project."
        )
    if wanted.hooks:
        told.append(no_hooks(TITLE))
    if place.scope == "project":
        told.append(names_a_path(".cursor/mcp.json"))
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """What is wrong with the wiring, one sentence each, as far as files show it."""
    everywhere = [_entry(folder, launch) for folder in place.folders(place.home)]
    found = pieces(place, launch, Wanted(manual="-"))
    return [*wiring(found), *entries(everywhere)]


def _entry(folder: Path, launch: Launch) -> JsonEntry:
    return JsonEntry(path=folder / ".cursor" / "mcp.json", value=stdio(launch))
