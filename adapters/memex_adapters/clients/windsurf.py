"""Windsurf, the editor and its plugin for other editors.

Servers are entered for the person alone.  Of the rules for all projects it reads 6,000
characters; in a project it reads ``AGENTS.md``.
"""

from pathlib import Path

from memex_adapters.checks import entries, wiring
from memex_adapters.clients import Wanted, project_manual
from memex_adapters.errors import Unclear
from memex_adapters.files import read_text
from memex_adapters.launch import Launch
from memex_adapters.pieces import Block, JsonEntry, Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import no_hooks, stdio

TITLE = "Windsurf"
SCOPES: tuple[Scope, ...] = ("user", "project")

_MOST = 6_000


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its folder in the home."""
    return bool(place.program("windsurf")) or _folder(place).is_dir()


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    if place.scope == "project":
        return [project_manual("windsurf", place, wanted)] if wanted.manual else []
    if wanted.server:
        found += _servers(place, launch)
    if wanted.manual:
        found.append(Block(path=_rules(place), client="windsurf", body=wanted.manual))
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del launch
    told = ["Press Refresh in Windsurf's list of MCP servers, or start it anew."]
    if place.scope == "project":
        told = ["Windsurf has servers for the person alone: enter it there as well."]
    elif wanted.manual and _length(_rules(place)) + len(wanted.manual) > _MOST:
        told.append(
            f"{_rules(place)} is longer than the {_MOST:,} characters that Windsurf reads: enter"
            " the manual in each project instead."
        )
    if wanted.hooks:
        told.append(no_hooks(TITLE))
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """What is wrong with the wiring, one sentence each, as far as files show it."""
    troubles = wiring(pieces(place, launch, Wanted(manual="-")))
    # The editor and the plugin read one file each.
    for entry in _servers(place, launch):
        troubles += entries([entry])
    return troubles


def _folder(place: Place) -> Path:
    return place.below_home(".codeium", "windsurf")


def _rules(place: Place) -> Path:
    return _folder(place) / "memories" / "global_rules.md"


def _servers(place: Place, launch: Launch) -> list[JsonEntry]:
    plugin = place.below_home(".codeium", "mcp_config.json")
    paths = [_folder(place) / "mcp_config.json", *([plugin] if plugin.is_file() else [])]
    return [JsonEntry(path=path, value=stdio(launch)) for path in paths]


def _length(path: Path) -> int:
    """Characters of a file without a block of ours, as far as it can be read."""
    try:
        return len(Block(path=path, client="windsurf", body="-").drop(read_text(path), None))
    except Unclear:
        return 0
