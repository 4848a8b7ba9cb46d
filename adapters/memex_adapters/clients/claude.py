"""Claude Code.

Its running sessions rewrite ``.claude.json`` all the time, so the server is entered with its own
command where there is one.  Hooks start without a shell, in any version that has hooks at all.
"""

import json
from dataclasses import replace
from pathlib import Path

from memex_adapters.checks import asked, entries, wiring
from memex_adapters.clients import Wanted
from memex_adapters.hooks import JsonHooks
from memex_adapters.launch import SERVER, Launch
from memex_adapters.pieces import Block, JsonEntry, JsonItem, Piece, Whole
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import entry_there, names_a_path

TITLE = "Claude Code"
SCOPES: tuple[Scope, ...] = ("user", "project")
PERMISSION = f"mcp__{SERVER}__*"

_EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "PreCompact": "pre-compact",
    "Stop": "stop",
    "SubagentStop": "subagent-stop",
    "SessionEnd": "session-end",
}
_PLUGIN_MARK = '"memex-plugin"'


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its folder in the home."""
    return bool(place.program("claude")) or _folder(place).is_dir()


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    settings = _settings(place)
    if wanted.server:
        found.append(_server(place, launch))
    if wanted.hooks:
        found.append(JsonHooks(path=settings, events=_hooks(launch), client="claude"))
    if wanted.permission:
        found.append(JsonItem(path=settings, keys=("permissions", "allow"), value=PERMISSION))
    if wanted.manual:
        path = _manual(place, wanted)
        found.append(
            Block(path=path, client="claude", body=wanted.manual, common=wanted.common_manual)
        )
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del launch
    told = ["Start a new session; in a new folder answer Yes when it asks whether you trust it."]
    if place.scope == "project":
        told.append(
            "In this project it asks once whether to use the server, and "
            + names_a_path(".mcp.json")
        )
    if not wanted.permission:
        told.append(
            f"It asks before it uses a tool; --allow enters the permission {PERMISSION} for all."
        )
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return ["Sessions that are open keep the server and the hooks until they end."]


def check(place: Place, launch: Launch) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    found = pieces(place, launch, Wanted(manual="-"))
    everywhere = [_entry_of(place, launch)]
    if place.project is not None and place.scope == "user":
        everywhere.append(_entry_of(replace(place, scope="project"), launch))
        # Where `claude mcp add` enters a server when nobody names a scope.
        local = ("projects", str(place.project), "mcpServers", SERVER)
        everywhere.append(replace(everywhere[0], keys=local))
    troubles = [*wiring(found), *entries(everywhere)]
    pending = "Claude Code waits for your word on the server of this project."
    return troubles or asked("claude", place, because={"Pending": pending})


def statusline(launch: Launch) -> str:
    """A status line that a person may enter into ``settings.json``: how full the archives are."""
    line = f"{launch.line('status')} </dev/null | sed -n '/^L[23] /p'"
    return json.dumps({"statusLine": {"type": "command", "command": line}}, indent=2)


def plugin(folder: Path, launch: Launch) -> list[Piece]:
    """The same wiring as a plugin, for ``claude --plugin-dir``: three files of our own."""
    server = {"mcpServers": {SERVER: _entry(launch)}}
    about = {
        "name": SERVER,
        "description": "Local memory for coding agents.",
        "keywords": ["memex-plugin"],
    }
    hooks = {"description": "memex-plugin", "hooks": _hooks(launch)}
    bodies = {
        folder / ".claude-plugin" / "plugin.json": (about, _PLUGIN_MARK),
        folder / ".mcp.json": (server, '"serve"'),
        folder / "hooks" / "hooks.json": (hooks, _PLUGIN_MARK),
    }
    return [
        Whole(
            path=path,
            body=json.dumps(body, indent=2, ensure_ascii=False) + "\n",
            mark=mark,
            what="plugin",
        )
        for path, (body, mark) in bodies.items()
    ]


def _entry_of(place: Place, launch: Launch) -> JsonEntry:
    if place.scope == "project":
        return JsonEntry(path=place.below_project(".mcp.json"), value=_entry(launch))
    chosen = place.variables.get("CLAUDE_CONFIG_DIR")
    path = (Path(chosen) if chosen else place.home) / ".claude.json"
    return JsonEntry(path=path, value=_entry(launch))


def _server(place: Place, launch: Launch) -> Piece | Registered:
    entry = _entry_of(place, launch)
    command = place.program("claude")
    if place.scope == "project" or not command:
        return entry
    value = json.dumps(entry.over(entry_there(entry)), ensure_ascii=False)
    return Registered(
        entry=entry,
        add=(command, "mcp", "add-json", "-s", "user", SERVER, value),
        remove=(command, "mcp", "remove", SERVER, "-s", "user"),
    )


def _entry(launch: Launch) -> dict[str, object]:
    return {
        "type": "stdio",
        "command": launch.command,
        "args": launch.arguments,
        "env": dict(launch.env),
    }


def _hooks(launch: Launch) -> dict[str, dict[str, object]]:
    return {
        name: {
            "hooks": [
                {
                    "type": "command",
                    "command": launch.command,
                    "args": launch.hook(event, "claude"),
                    "timeout": 10,
                }
            ]
        }
        for name, event in _EVENTS.items()
    }


def _folder(place: Place) -> Path:
    return place.below_home(".claude", instead="CLAUDE_CONFIG_DIR")


def _settings(place: Place) -> Path:
    if place.scope == "project":
        # Not the shared one: our paths are those of this machine.
        return place.below_project(".claude", "settings.local.json")
    return _folder(place) / "settings.json"


def _manual(place: Place, wanted: Wanted) -> Path:
    if wanted.manual_in == "shared":
        if place.scope == "project":
            return place.below_project("CLAUDE.md")
        return _folder(place) / "CLAUDE.md"
    own = ("rules", "memex.md")
    if place.scope == "project":
        return place.below_project(".claude", *own)
    return _folder(place).joinpath(*own)
