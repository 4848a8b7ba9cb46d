"""``memex-mcp clients``: which clients are here and what of memex they have."""

import argparse
from dataclasses import replace
from pathlib import Path

from memex_adapters.clients import Client, every_piece
from memex_adapters.errors import AdapterError
from memex_adapters.launch import Launch
from memex_adapters.place import Place
from memex_adapters.plan import current_state, in_file
from memex_manuals import render
from memex_mcp.cli import look, wiring
from memex_mcp.cli.common import add_root, put
from memex_mcp.errors import MemexError

EXAMPLE = "memex-mcp clients --json"

_WORDS = {"current": "yes", "older": "outdated", "foreign": "somebody else's", "absent": "no"}


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
    parts = {name: _parts(name, module, place, launch) for name, module in modules.items()}
    if args.json:
        put({name: {"here": here[name], **parts[name]} for name in modules})
    else:
        look.show_table([(name, _told(here[name], parts[name])) for name in modules])
    return 0


def troubles(root: str | None) -> dict[str, list[str]]:
    """What is wrong with the wiring of each client that has any of it; some are asked themselves.

    Args:
        root: The store folder that the person named, if any.
    """
    place = wiring.place_of("user")
    launch = _launch(place, root)
    modules = wiring.modules([], place)
    wired = {
        name: module
        for name, module in modules.items()
        if set(_parts(name, module, place, launch).values()) != {"absent"}
    }
    # A client that works in trusted folders alone is asked in this one.
    here = replace(place, project=Path.cwd())
    return {name: module.check(here, launch) for name, module in wired.items()}


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


def _parts(name: str, module: Client, place: Place, launch: Launch) -> dict[str, str]:
    """The state of each part, the best one where it may lie in two places."""
    states: dict[str, str] = {}
    manuals = {"manual": render(name), "common_manual": render("generic")}
    for piece in map(in_file, every_piece(module, place, launch, **manuals)):
        try:
            state = str(current_state(piece))
        except AdapterError as error:
            state = f"unreadable: {error}"
        if states.get(piece.what, "absent") == "absent":
            states[piece.what] = state
    return states
