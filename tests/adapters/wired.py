"""Clients installed and uninstalled as the commands do it, without the commands."""

from pathlib import Path

from memex_adapters.apply import apply
from memex_adapters.clients import Wanted, client, removable
from memex_adapters.launch import Launch
from memex_adapters.place import Place
from memex_adapters.plan import Planner
from memex_adapters.receipts import Receipts
from tests.adapters.using import MANUAL, tree

LAUNCH = Launch(command="/home/o'neil a/记忆/bin/memex-mcp")
ALL = Wanted(manual=MANUAL, permission=True)


def install(
    store: Path, place: Place, name: str, wanted: Wanted = ALL, launch: Launch = LAUNCH
) -> None:
    planner = Planner(Receipts.load(store))
    planner.install(name, client(name).pieces(place, launch, wanted))
    apply(planner.plan())


def uninstall(store: Path, place: Place, name: str) -> None:
    planner = Planner(Receipts.load(store))
    planner.remove(name, removable(client(name), place, Launch(command="/memex-mcp")))
    apply(planner.plan())


def both(place: Place) -> list[dict[str, tuple[str, int, bytes]]]:
    assert place.project is not None
    return [tree(place.home), tree(place.project)]
