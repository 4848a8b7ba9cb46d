"""Qwen Code.

Gemini's settings with Claude's hooks: timeouts are seconds below a thousand.  It rewrites its
settings when it starts, comments included.
"""

from pathlib import Path

from memex_adapters.checks import asked, entries, wiring
from memex_adapters.clients import Wanted, project_manual
from memex_adapters.hooks import JsonHooks
from memex_adapters.launch import Launch
from memex_adapters.pieces import Block, Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import NO_SHELL_LINE, Traces, named_hooks, trusted

TITLE = "Qwen Code"
SCOPES: tuple[Scope, ...] = ("user", "project")

_EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "PreCompact": "pre-compact",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
_SECONDS = 10


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its folder in the home."""
    return bool(place.program("qwen")) or _folder(place).is_dir()


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    settings = _settings(place)
    if wanted.server:
        found.append(trusted(settings, launch, trust=wanted.permission))
    if wanted.hooks and (hooks := _hooks(place, launch)):
        found.append(JsonHooks(path=settings, events=hooks, client="qwen", dialect="comments"))
    if found:
        found.append(Traces(path=settings, keys=("$version",)))
    if wanted.manual and place.scope == "project":
        found.append(project_manual("qwen", place, wanted, "QWEN.md"))
    elif wanted.manual:
        found.append(Block(path=_folder(place) / "QWEN.md", client="qwen", body=wanted.manual))
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    told = ["Start a new session."]
    if place.scope == "project":
        told.append(
            "It asks whether to use a project's server; `qwen mcp approve` answers it, and until"
            " then the server stays off."
        )
    if not wanted.permission:
        told.append(
            "It asks before it uses a tool, and `qwen -p` refuses it; --allow enters `trust` for"
            " all of them."
        )
    if wanted.hooks and not _hooks(place, launch):
        told.append(NO_SHELL_LINE)
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """What is wrong with the wiring, one sentence each; it asks Qwen Code itself as well."""
    found = pieces(place, launch, Wanted(manual="-"))
    folders = place.folders(_folder(place), ".qwen")
    everywhere = [trusted(folder / "settings.json", launch) for folder in folders]
    troubles = [*wiring(found), *entries(everywhere)]
    return troubles or asked("qwen", place)


def _folder(place: Place) -> Path:
    return place.below_home(".qwen", instead="QWEN_HOME")


def _settings(place: Place) -> Path:
    folder = place.below_project(".qwen") if place.scope == "project" else _folder(place)
    return folder / "settings.json"


def _hooks(place: Place, launch: Launch) -> dict[str, dict[str, object]]:
    return named_hooks(place, launch, "qwen", _EVENTS, timeout=_SECONDS)
