"""Zed.

Its settings hold comments and trailing commas.  Of the files for instructions in a project it
reads only the first that is there.
"""

from dataclasses import replace
from pathlib import Path

from memex_adapters.checks import entries, wiring
from memex_adapters.clients import Wanted, project_manual
from memex_adapters.launch import SERVER, Launch
from memex_adapters.pieces import Block, JsonEntry, Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import names_a_path, no_hooks, stdio

TITLE = "Zed"
SCOPES: tuple[Scope, ...] = ("user", "project")

# In the order in which Zed looks for them.
_INSTRUCTIONS = (
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
)


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its folder among the person's settings."""
    command = any(place.program(name) for name in ("zed", "zeditor"))
    return command or _folder(place).is_dir()


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    in_project = place.scope == "project"
    if wanted.server:
        folder = place.below_project(".zed") if in_project else _folder(place)
        found.append(_entry(folder, launch))
    if wanted.manual and in_project:
        read_by_zed = [place.below_project(name) for name in _INSTRUCTIONS]
        there = (path for path in read_by_zed if path.is_file())
        manual = project_manual("zed", place, wanted, *_INSTRUCTIONS)
        found.append(replace(manual, path=next(there, manual.path), joins=False))
    elif wanted.manual:
        found.append(Block(path=_folder(place) / "AGENTS.md", client="zed", body=wanted.manual))
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del launch
    told = ["Zed starts the server by itself and asks before it uses a tool."]
    if wanted.hooks:
        told.append(no_hooks(TITLE))
    if place.scope == "project":
        told.append(
            "Zed reads a project's servers only in a folder that it trusts, and "
            + names_a_path(".zed/settings.json")
        )
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """What is wrong with the wiring, one sentence each, as far as files show it."""
    folders = place.folders(_folder(place), ".zed")
    found = pieces(place, launch, Wanted(manual="-"))
    return [*wiring(found), *entries([_entry(folder, launch) for folder in folders])]


def _folder(place: Place) -> Path:
    if place.system == "win32":
        return place.below_config("Zed")
    # On macOS, too, and not where desktop programs usually keep their settings.
    return place.below_home(".config", "zed", instead="XDG_CONFIG_HOME")


def _entry(folder: Path, launch: Launch) -> JsonEntry:
    return JsonEntry(
        path=folder / "settings.json",
        # Older versions take no entry without its source.
        value={"source": "custom", **stdio(launch)},
        keys=("context_servers", SERVER),
        dialect="jsonc",
    )
