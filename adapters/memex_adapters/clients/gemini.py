"""Gemini CLI.

Its settings may hold comments, and one comma too many stops every command of it.  In a folder
that it does not trust it starts no server at all, and without a terminal it offers the tools of a
server only when that is trusted, too.
"""

from pathlib import Path

from memex_adapters.checks import asked, entries, wiring
from memex_adapters.clients import Wanted
from memex_adapters.hooks import JsonHooks
from memex_adapters.launch import Launch
from memex_adapters.pieces import Block, Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import NO_SHELL_LINE, named_hooks, trusted

TITLE = "Gemini CLI"
SCOPES: tuple[Scope, ...] = ("user", "project")

_EVENTS = {
    "SessionStart": "session-start",
    "BeforeAgent": "user-prompt-submit",
    "PreCompress": "pre-compact",
    "AfterAgent": "stop",
    "SessionEnd": "session-end",
}
_MILLISECONDS = 10_000


def is_here(place: Place) -> bool:
    """Whether its command is on PATH or its settings in the home."""
    return bool(place.program("gemini")) or (_folder(place) / "settings.json").is_file()


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """See :class:`memex_adapters.clients.Client`."""
    found: list[Piece | Registered] = []
    settings = _settings(place)
    if wanted.server:
        found.append(trusted(settings, launch, trust=wanted.permission))
    if wanted.hooks and (hooks := _hooks(place, launch)):
        found.append(JsonHooks(path=settings, events=hooks, client="gemini", dialect="comments"))
    if wanted.manual:
        folder = place.below_project() if place.scope == "project" else _folder(place)
        found.append(
            Block(
                path=folder / "GEMINI.md",
                client="gemini",
                body=wanted.manual,
                common=wanted.common_manual,
            )
        )
    return found


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    told = [
        "Start gemini once in each folder and trust it: in other folders it starts no server and"
        " runs no hook."
    ]
    if not wanted.permission:
        told.append(
            "It asks before it uses a tool, and `gemini -p` is not offered any; --allow enters"
            " `trust` for all of them."
        )
    if wanted.hooks and not _hooks(place, launch):
        told.append(NO_SHELL_LINE)
    return told


def farewell(place: Place) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """What is wrong with the wiring, one sentence each; it asks Gemini CLI itself as well."""
    found = pieces(place, launch, Wanted(manual="-"))
    folders = place.folders(_folder(place), ".gemini")
    everywhere = [trusted(folder / "settings.json", launch) for folder in folders]
    troubles = [*wiring(found), *entries(everywhere)]
    folder = place.project or place.home
    disabled = f"Gemini CLI does not trust {folder}, so it starts no server there."
    return troubles or asked("gemini", place, because={"Disabled": disabled})


def _folder(place: Place) -> Path:
    chosen = place.variables.get("GEMINI_CLI_HOME")
    return (Path(chosen) if chosen else place.home) / ".gemini"


def _settings(place: Place) -> Path:
    folder = place.below_project(".gemini") if place.scope == "project" else _folder(place)
    return folder / "settings.json"


def _hooks(place: Place, launch: Launch) -> dict[str, dict[str, object]]:
    return named_hooks(place, launch, "gemini", _EVENTS, timeout=_MILLISECONDS)
