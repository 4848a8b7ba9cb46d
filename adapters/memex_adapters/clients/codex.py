"""Codex CLI.

It runs a new hook only after its user has looked at it, and remembers that by the file, the event
and the positions in it: so ours go last, and their command line never changes without need.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memex_adapters import text_json, text_toml
from memex_adapters.checks import answers, entries, wiring
from memex_adapters.clients import Wanted, project_manual
from memex_adapters.errors import Unclear
from memex_adapters.files import read_text
from memex_adapters.hooks import JsonHooks
from memex_adapters.launch import SERVER, Launch, is_our_hook
from memex_adapters.pieces import Block, Piece, State, TomlEntry
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered, current_state, in_file

TITLE = "Codex"
SCOPES: tuple[Scope, ...] = ("user", "project")

# Codex hands on none of the person's variables to a server unless they are named.
_VARIABLES = [
    "MEMEX_HOME",
    "MEMEX_DISABLED",
    "MEMEX_MAX_LEVELS",
    "MEMEX_MODEL",
    "MEMEX_LANGUAGE",
    "MEMEX_FORMAT",
]
_SERVERS, _HOOKS = "mcpServerStatus/list", "hooks/list"
# Seconds.  It ends a session's last hook after one unless told to wait, and after three anyway.
_EVENTS = {
    "SessionStart": ("session-start", 10),
    "UserPromptSubmit": ("user-prompt-submit", 10),
    "PreCompact": ("pre-compact", 10),
    "Stop": ("stop", 10),
    "SessionEnd": ("session-end", 3),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusted:
    """What Codex has noted about hooks of ours; never put in, only taken out.

    Attributes:
        names: Names of its tables below ``hooks.state``.
    """

    path: Path
    names: tuple[str, ...]
    what: str = "trust in our hooks"

    def state(self, text: str) -> State:
        """See :class:`memex_adapters.pieces.Piece`."""
        known = text_toml.find(text, ("hooks", "state")) or {}
        return "current" if any(name in known for name in self.names) else "absent"

    def put(self, text: str) -> str:
        """See :class:`memex_adapters.pieces.Piece`."""
        return text

    def drop(self, text: str, before: str | None) -> str:
        """See :class:`memex_adapters.pieces.Piece`."""
        del before
        for name in self.names:
            text = text_toml.drop(text, ("hooks", "state", name))
        return text


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its folder in the home."""
    return bool(place.program("codex")) or _folder(place).is_dir()


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    folder = place.below_project(".codex") if place.scope == "project" else _folder(place)
    if wanted.server:
        found.append(TomlEntry(path=folder / "config.toml", value=_entry(launch)))
    if wanted.hooks:
        hooks = JsonHooks(path=folder / "hooks.json", events=_hooks(launch), client="codex")
        found += [hooks, Trusted(path=folder / "config.toml", names=tuple(_names(hooks)))]
    if wanted.manual and place.scope == "project":
        found.append(project_manual("codex", place, wanted))
    elif wanted.manual:
        found.append(Block(path=folder / "AGENTS.md", client="codex", body=wanted.manual))
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del launch
    told = []
    if wanted.hooks:
        told.append(
            "Start codex once in a terminal and choose `Trust all and continue` when it says that"
            " hooks need review; until then it runs none of them and `codex exec` says nothing."
        )
        if _has_inline_hooks(_folder(place) / "config.toml"):
            told.append("config.toml holds hooks, too; Codex warns of two places and runs both.")
    if wanted.manual:
        told += _overridden(place)
    if place.scope == "project":
        told.append("Codex reads a project's configuration only in a folder that it trusts.")
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    folder = place.below_project(".codex") if place.scope == "project" else _folder(place)
    hooks = JsonHooks(path=folder / "hooks.json", events={}, client="codex")
    try:
        text = read_text(hooks.path)
        found = list(hooks.places(text))
        moved = [
            event
            for event, at, _ in found
            if len(text_json.find(text, (*hooks.keys, event))) > at + 1
        ]
    except Unclear:
        return []
    if not moved:
        return []
    return [
        f"Other hooks for {', '.join(moved)} move up by one: Codex asks you to review them again."
    ]


def check(place: Place, launch: Launch) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    found = pieces(place, launch, Wanted(manual="-"))
    everywhere = [TomlEntry(path=_folder(place) / "config.toml", value={})]
    if place.project is not None:
        project = place.below_project(".codex", "config.toml")
        everywhere.append(TomlEntry(path=project, value={}))
    troubles = [*wiring(found), *entries(everywhere)]
    manuals = [piece for piece in found if in_file(piece).what == "manual"]
    # What cannot be read is among the troubles already.
    with suppress(Unclear):
        if any(current_state(piece) != "absent" for piece in manuals):
            troubles += _overridden(place)
    if not troubles and (command := place.program("codex")):
        return _asked(command, place)
    noted = [piece for piece in found if isinstance(piece, Trusted)]
    if not troubles and any(piece.names and current_state(piece) == "absent" for piece in noted):
        troubles.append("Codex has trusted none of the hooks: start it in a terminal and do so.")
    return troubles


def _overridden(place: Place) -> list[str]:
    """What is to be told of a file that Codex reads instead of the one with the manual."""
    folder = place.below_project() if place.scope == "project" else _folder(place)
    file = folder / "AGENTS.override.md"
    if not file.exists():
        return []
    return [f"{file} replaces AGENTS.md: while it is there, Codex does not read the manual."]


def _asked(command: str, place: Place) -> list[str]:
    """What Codex itself says of our server and hooks where that is not as it should be."""
    asked = {_SERVERS: {}, _HOOKS: {"cwds": [str(place.project or place.home)]}}
    said = answers((command, "app-server"), place, asked)
    try:
        servers = [each for each in said[_SERVERS]["data"] if each["name"] == SERVER]
        hooks = [
            (hook["eventName"], hook["trustStatus"], hook["enabled"])
            for each in said[_HOOKS]["data"]
            for hook in each["hooks"]
            if is_our_hook(hook.get("command"), client="codex")
        ]
    except (KeyError, TypeError, AttributeError):
        return ["`codex app-server` gives no answer that is known here."]
    troubles = []
    if not any(each.get("serverInfo") for each in servers):
        why = next((each.get("toolsError") for each in servers), "it does not list it")
        troubles.append(f"Codex does not reach the server: {why or 'it does not start'}.")
    seen = sum(trust not in ("untrusted", "modified") for _, trust, _ in hooks)
    if seen < len(hooks):
        told = f"{seen} of the {len(hooks)}" if seen else "none of the"
        troubles.append(f"Codex has trusted {told} hooks: start it in a terminal and do so.")
    if off := [event for event, _, is_on in hooks if not is_on]:
        troubles.append(f"Hooks are turned off in Codex: {', '.join(off)}.")
    return troubles


def _folder(place: Place) -> Path:
    return place.below_home(".codex", instead="CODEX_HOME")


def _entry(launch: Launch) -> dict[str, object]:
    entry: dict[str, object] = {
        "command": launch.command,
        "args": launch.arguments,
        "env_vars": _VARIABLES,
        "startup_timeout_sec": 30,
    }
    return {**entry, "env": dict(launch.env)} if launch.env else entry


def _hooks(launch: Launch) -> dict[str, dict[str, object]]:
    return {
        name: {
            "hooks": [
                {
                    "type": "command",
                    "command": launch.hook_line(event, "codex"),
                    "timeout": timeout,
                }
            ]
        }
        for name, (event, timeout) in _EVENTS.items()
    }


def _names(hooks: JsonHooks) -> list[str]:
    """Under which names Codex notes our hooks; none while the file cannot be read."""
    try:
        found = list(hooks.places(read_text(hooks.path)))
    except Unclear:
        return []
    paths = dict.fromkeys([hooks.path, hooks.path.resolve()])
    return [
        f"{path}:{re.sub('(?<!^)(?=[A-Z])', '_', event).lower()}:{at}:{inner}"
        for path in paths
        for event, at, inner in found
    ]


def _has_inline_hooks(path: Path) -> bool:
    try:
        hooks = text_toml.find(read_text(path), ("hooks",))
    except Unclear:
        return False
    return isinstance(hooks, dict) and any(isinstance(each, list) for each in hooks.values())
