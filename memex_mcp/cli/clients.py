"""``memex-mcp clients``: which clients are here and what of memex they have."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import get_args

from memex_adapters import checks
from memex_adapters.clients import Client, Wanted, every_piece
from memex_adapters.errors import AdapterError
from memex_adapters.launch import Launch
from memex_adapters.launcher import missing
from memex_adapters.pieces import Piece
from memex_adapters.place import Place
from memex_adapters.plan import Registered, current_state, in_file
from memex_manuals.core import LANGUAGES
from memex_manuals.families import FAMILIES, Form
from memex_manuals.rendering import render
from memex_mcp.cli import look, wiring
from memex_mcp.cli.common import add_root, put
from memex_mcp.errors import Invalid, MemexError
from memex_mcp.values import dataclass

EXAMPLE = "memex-mcp clients --json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """The wiring of one client.

    Attributes:
        troubles: What is wrong with it, one sentence each.
        fix: The command that mends what is ours to mend; empty where a person has to.
    """

    troubles: tuple[str, ...]
    fix: str


_WORDS = {
    "current": "yes",
    "other": "yes, for another model or language than usual",
    "older": "outdated",
    "foreign": "somebody else's",
    "absent": "no",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``clients``."""
    parser.add_argument(
        "--scope", choices=["user", "project"], default="user", help="where to look"
    )
    add_root(parser)


def run(args: argparse.Namespace) -> int:
    """Print each client and the state of its parts, reading their files only."""
    place = wiring.place_of(args.scope)
    launch = _launch(place, args.root)
    modules = wiring.modules([], place, here=False)
    here = {name: module.is_here(place) for name, module in modules.items()}
    parts = {
        name: _parts(name, module, place, launch, args.root) for name, module in modules.items()
    }
    # The one that stands for any other client has no parts.
    listed = [name for name in modules if parts[name]]
    if args.json:
        put({name: {"here": here[name], **parts[name]} for name in listed})
    else:
        look.show_table([(name, _told(here[name], parts[name])) for name in listed])
    return 0


def examined(root: str | None) -> dict[str, Examined]:
    """What is wrong with the wiring of each client that has any of it; some are asked themselves.

    A client that is wired in the folder one is in, and not for all one does, is examined there.

    Args:
        root: The store folder that the person named, if any.
    """
    place = wiring.place_of("user")
    launch = _launch(place, root)
    # A client that works in trusted folders alone is asked in this one.
    places = [replace(place, project=wiring.working_folder())]
    with suppress(Invalid):
        places.append(wiring.place_of("project"))
    found: dict[str, Examined] = {}
    for there in places:
        for name, module in wiring.modules([], there, here=False).items():
            states = set(_parts(name, module, there, launch, root).values())
            if name not in found and states - {"absent"}:
                found[name] = _examine(name, module, there, launch)
    return found


def _examine(name: str, module: Client, place: Place, launch: Launch) -> Examined:
    scope = " --scope project" if place.scope == "project" else ""
    mended = checks.wiring(module.pieces(place, launch, Wanted(manual="-")))
    return Examined(
        troubles=tuple(module.check(place, launch)),
        fix=f"memex-mcp init {name}{scope}" if mended or missing(launch.command) else "",
    )


def _launch(place: Place, root: str | None) -> Launch:
    try:
        command = wiring.choice(None, place).command
    except MemexError:
        command = "/memex-mcp"
    return wiring.launch_of(command, root)


def _told(here: bool, parts: dict[str, str]) -> str:
    if not here and set(parts.values()) <= {"absent"}:
        return "not here"
    return "; ".join(f"{what}: {_WORDS.get(state, state)}" for what, state in parts.items())


def _parts(
    name: str, module: Client, place: Place, launch: Launch, root: str | None
) -> dict[str, str]:
    """The state of each part, the best one where it may lie in two places.

    The permission is part of the server's entry in some clients, and a person's choice in all.
    """
    own, common = wiring.manual_of(name, root), wiring.manual_of("generic", root)
    states = _states(every_piece(module, place, launch, manual=own, common_manual=common))
    if states.get("manual") == "older" and _is_for_others(name, module, place, launch):
        states["manual"] = "other"
    return states


def _states(pieces: Sequence[Piece | Registered]) -> dict[str, str]:
    states: dict[str, str] = {}
    for piece in map(in_file, pieces):
        try:
            state = str(current_state(piece))
        except AdapterError as error:
            state = f"unreadable: {error}"
        if state == "current" or states.get(piece.what, "absent") == "absent":
            states[piece.what] = state
    return states


def _is_for_others(name: str, module: Client, place: Place, launch: Launch) -> bool:
    """Whether a manual is what ``init`` writes today for another model or in another language."""
    for family, language, form in product(FAMILIES, LANGUAGES, get_args(Form)):
        own, common = (render(each, family, language, form) for each in (name, "generic"))
        pieces = every_piece(module, place, launch, manual=own, common_manual=common)
        manuals = [piece for piece in map(in_file, pieces) if piece.what == "manual"]
        if _states(manuals).get("manual") == "current":
            return True
    return False
