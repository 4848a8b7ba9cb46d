"""Copilot CLI.

Hooks are files of their own in a folder, so ours is a whole file.  Of the files for instructions
it reads all that there are: the manual goes into one of them.
"""

import json
from dataclasses import replace
from pathlib import Path

from memex_adapters.checks import entries, wiring
from memex_adapters.clients import Wanted, project_manual
from memex_adapters.launch import SERVER, Launch
from memex_adapters.pieces import Block, JsonEntry, Piece, Whole
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import COPILOT_READS, entry_there, stdio

TITLE = "Copilot CLI"
SCOPES: tuple[Scope, ...] = ("user", "project")

_EVENTS = {
    "sessionStart": "session-start",
    "userPromptSubmitted": "user-prompt-submit",
    "preCompact": "pre-compact",
    "agentStop": "stop",
    "sessionEnd": "session-end",
}
_SECONDS = 10


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its folder in the home."""
    return bool(place.program("copilot")) or _folder(place).is_dir()


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    in_project = place.scope == "project"
    if wanted.server:
        found.append(_entry(_servers(place), launch))
    if wanted.hooks:
        folder = place.below_project(".github") if in_project else _folder(place)
        found.append(_hooks(folder / "hooks" / f"{SERVER}.json", launch))
    if wanted.manual and in_project:
        found.append(project_manual("copilot", place, wanted, *COPILOT_READS))
    elif wanted.manual:
        path = _folder(place) / "copilot-instructions.md"
        found.append(Block(path=path, client="copilot", body=wanted.manual))
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del launch, wanted
    told = [
        "It asks before it uses a tool; `copilot --allow-tool memex` lets all of them run, and"
        " without a terminal none runs otherwise."
    ]
    if place.scope == "project":
        told.append(
            "It reads a project's servers and hooks only in a folder that it trusts, and these"
            " files name a path of this machine: leave them out of version control."
        )
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """What is wrong with the wiring, one sentence each, as far as files show it."""
    everywhere = [_entry(_folder(place) / "mcp-config.json", launch)]
    if place.project is not None:
        names = (".mcp.json", ".github/mcp.json")
        everywhere += [_entry(place.below_project(name), launch) for name in names]
    found = pieces(place, launch, Wanted(manual="-"))
    return [*wiring(found), *entries(everywhere)]


def _folder(place: Place) -> Path:
    return place.below_home(".copilot", instead="COPILOT_HOME")


def _servers(place: Place) -> Path:
    if place.scope == "project":
        # Not .mcp.json: that is Claude's, and its entries look different.
        return place.below_project(".github", "mcp.json")
    return _folder(place) / "mcp-config.json"


def _entry(path: Path, launch: Launch) -> JsonEntry:
    entry = JsonEntry(path=path, value={"type": "local", **stdio(launch)})
    if "tools" in entry_there(entry):
        # A person may have chosen among them.
        return entry
    return replace(entry, value={**entry.value, "tools": ["*"]})


def _hooks(path: Path, launch: Launch) -> Whole:
    hooks = {
        name: [
            {
                "type": "command",
                "bash": launch.hook_line(event, "copilot"),
                "powershell": _powershell([launch.command, *launch.hook(event, "copilot")]),
                "timeoutSec": _SECONDS,
            }
        ]
        for name, event in _EVENTS.items()
    }
    body = json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"
    return Whole(path=path, body=body, mark=" --client copilot", what="hooks")


def _powershell(words: list[str]) -> str:
    return " ".join(["&", *("'" + word.replace("'", "''") + "'" for word in words)])
