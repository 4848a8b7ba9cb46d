"""Any other client: what to enter where, for a person to do."""

import json

from memex_adapters.clients import Wanted
from memex_adapters.launch import SERVER, Launch
from memex_adapters.pieces import Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered
from memex_adapters.shapes import stdio

TITLE = "any other client"
SCOPES: tuple[Scope, ...] = ("user", "project")


def is_here(place: Place) -> bool:
    """Never: it is nobody's client."""
    del place
    return False


def pieces(place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
    """Nothing: where it would go is not known."""
    del place, launch, wanted
    return []


def notes(place: Place, launch: Launch, wanted: Wanted) -> list[str]:
    """See :class:`memex_adapters.clients.Client`."""
    del place, launch, wanted
    return [
        "None of its files was changed: enter what `memex-mcp init --print` shows where your client"
        " keeps its servers."
    ]


def farewell(place: Place) -> list[str]:
    """Nothing: what a person entered by hand is not known."""
    del place
    return []


def check(place: Place, launch: Launch) -> list[str]:
    """Nothing, since nothing was written."""
    del place, launch
    return []


def printed(launch: Launch, manual: str) -> str:
    """The server's entry in the shape that most clients take, and the manual below it."""
    entry = json.dumps({"mcpServers": {SERVER: stdio(launch)}}, indent=2, ensure_ascii=False)
    return f"{entry}\n\n{manual.strip()}\n" if manual.strip() else f"{entry}\n"
