"""A client's wiring put into a home and taken out again, as its module states it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from memex_adapters.clients import NAMES, Wanted, client
from memex_adapters.launch import Launch
from memex_adapters.pieces import Block, JsonEntry
from memex_adapters.place import Place
from tests.adapters.corpus import Kind
from tests.adapters.wired import ALL, LAUNCH, install, uninstall

# The two that are left out have tests of their own, the last one has no files.
CLIENTS = tuple(name for name in NAMES if name not in ("claude", "codex", "generic"))


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

    def __init__(self, folder: Path, name: str, scope: str = "user") -> None:
        self.folder = folder
        self.name = name
        self.module = client(name)
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
        install(self.store, self.place, self.name, wanted, launch)

    def uninstall(self, *, knowing: bool = True) -> None:
        """Take it out; without ``knowing`` there are no receipts."""
        store = self.store if knowing else self.store.with_name("lost")
        uninstall(store, self.place, self.name)

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


def spots() -> Iterator[Spot]:
    """Every file that the clients share with others, in each scope."""
    folder = Path("/nowhere")
    for name in CLIENTS:
        for scope in client(name).SCOPES:
            place = Place(home=folder / "home", project=folder / "project", scope=scope)
            for piece in client(name).pieces(place, LAUNCH, ALL):
                file = str(cast("Any", piece).path.relative_to(folder))
                if isinstance(piece, JsonEntry):
                    yield Spot(name, scope, file, piece.dialect)
                elif isinstance(piece, Block):
                    yield Spot(name, scope, file, "text")
