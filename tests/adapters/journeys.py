"""A client's wiring put into a home and taken out again, as its module states it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from memex_adapters.apply import apply
from memex_adapters.clients import Client, Wanted, removable
from memex_adapters.launch import Launch
from memex_adapters.pieces import Block, JsonEntry
from memex_adapters.place import Place
from memex_adapters.plan import Planner
from memex_adapters.receipts import Receipts
from tests.adapters.corpus import Kind
from tests.adapters.using import MANUAL

CLIENTS = (
    "gemini",
    "qwen",
    "copilot",
    "opencode",
    "cline",
    "cursor",
    "windsurf",
    "zed",
    "vscode",
)
LAUNCH = Launch(command="/home/o'neil a/记忆/bin/memex-mcp")
ALL = Wanted(manual=MANUAL, permission=True)


@dataclass(frozen=True, slots=True)
class Spot:
    """One file of one client that holds other things as well."""

    client: str
    scope: str
    file: str
    kind: Kind

    def __str__(self) -> str:
        return f"{self.client} {self.scope} {Path(self.file).name}"


class Wired:
    """One client in a home and a project, with a store for its receipts."""

    def __init__(self, folder: Path, client: str, scope: str = "user") -> None:
        self.folder = folder
        self.client = client
        self.module = module_of(client)
        self.store = folder.with_name("store") / "clients"
        scopes = {each: each for each in self.module.SCOPES}
        self.place = Place(
            home=folder / "home",
            project=folder / "project",
            scope=scopes[scope],  # type: ignore[index]
        )
        for each in (folder, folder / "home", folder / "project"):
            each.mkdir(exist_ok=True)

    def install(self, wanted: Wanted = ALL, launch: Launch = LAUNCH) -> None:
        planner = Planner(Receipts.load(self.store))
        planner.install(self.client, self.module.pieces(self.place, launch, wanted))
        apply(planner.plan())

    def uninstall(self, *, knowing: bool = True) -> None:
        """Take it out; without ``knowing`` there are no receipts."""
        store = self.store if knowing else self.store.with_name("lost")
        planner = Planner(Receipts.load(store))
        launch = Launch(command="/memex-mcp")
        planner.remove(self.client, removable(self.module, self.place, launch))
        apply(planner.plan())

    def check(self, launch: Launch = LAUNCH) -> list[str]:
        return self.module.check(self.place, launch)

    def notes(self, wanted: Wanted = ALL) -> str:
        return " ".join(self.module.notes(self.place, LAUNCH, wanted))

    def on(self, **variables: str) -> "Wired":
        """The same with some variables of the environment."""
        self.place = replace(self.place, variables=variables)
        return self

    def write(self, file: str, content: str) -> Path:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
        return path

    def text(self, file: str) -> str:
        return (self.folder / file).read_bytes().decode()


def module_of(name: str) -> Client:
    return cast("Client", import_module(f"memex_adapters.clients.{name}"))


def spots() -> Iterator[Spot]:
    """Every file that the clients share with others, in each scope."""
    folder = Path("/nowhere")
    for name in CLIENTS:
        for scope in module_of(name).SCOPES:
            place = Place(home=folder / "home", project=folder / "project", scope=scope)
            for piece in module_of(name).pieces(place, LAUNCH, ALL):
                file = str(cast("Any", piece).path.relative_to(folder))
                if isinstance(piece, JsonEntry):
                    yield Spot(name, scope, file, piece.dialect)
                elif isinstance(piece, Block):
                    yield Spot(name, scope, file, "text")
