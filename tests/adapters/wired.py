"""Clients installed and uninstalled as the commands do it, without the commands."""

from pathlib import Path

from memex_adapters.clients import Wanted, client, every_piece
from memex_adapters.launch import Launch
from memex_adapters.place import Place
from tests.adapters import using
from tests.adapters.using import MANUAL, tree

LAUNCH = Launch(command="/home/o'neil a/记忆/bin/memex-mcp")
ALL = Wanted(manual=MANUAL, permission=True)


def install(
    store: Path, place: Place, name: str, wanted: Wanted = ALL, launch: Launch = LAUNCH
) -> None:
    using.install(store, client(name).pieces(place, launch, wanted), name)


def uninstall(store: Path, place: Place, name: str) -> None:
    using.uninstall(store, every_piece(client(name), place, Launch(command="/memex-mcp")), name)


def both(place: Place) -> list[dict[str, tuple[str, int, bytes]]]:
    assert place.project is not None
    return [tree(place.home), tree(place.project)]
