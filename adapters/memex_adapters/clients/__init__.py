"""The clients, one module each.

A client's module states what it is called, where it is found and which pieces make up its wiring.
How pieces get in and out, are compared, shown and undone is the same for all and lies in
:mod:`memex_adapters.plan`.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Literal, Protocol, cast

from memex_adapters.launch import Launch
from memex_adapters.pieces import Block, Piece
from memex_adapters.place import Place, Scope
from memex_adapters.plan import Registered

# Each is the name of a module; the last stands for any other client and has no files.
NAMES = (
    "claude",
    "codex",
    "gemini",
    "qwen",
    "copilot",
    "opencode",
    "cline",
    "cursor",
    "windsurf",
    "zed",
    "vscode",
    "generic",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person wants of a client's wiring.

    Attributes:
        server: The MCP server's entry.
        hooks: Hooks, where the client has them.
        manual: Text that the client shows its model; empty for none.
        common_manual: The same for a file that other clients read, too; empty for the same text.
        manual_in: ``own`` file where the client reads one, or a block in a ``shared`` one.
        permission: The person agrees that the tools run without asking each time.
    """

    server: bool = True
    hooks: bool = True
    manual: str = ""
    common_manual: str = ""
    manual_in: Literal["own", "shared"] = "own"
    permission: bool = False


class Client(Protocol):
    """A module that describes one client.

    Attributes:
        TITLE: What people call it.
        SCOPES: Where it can be installed.
    """

    TITLE: str
    SCOPES: tuple[Scope, ...]

    def is_here(self, place: Place) -> bool:
        """Whether this person uses the client: its command or its folder is there."""

    def pieces(self, place: Place, launch: Launch, wanted: Wanted) -> list[Piece | Registered]:
        """The pieces that make up what is wanted, the server first.

        It may read, and never writes.
        """

    def notes(self, place: Place, launch: Launch, wanted: Wanted) -> list[str]:
        """What the person still has to do after installing, one sentence each."""

    def farewell(self, place: Place) -> list[str]:
        """What the person should know when it is taken out, asked before that is done."""

    def check(self, place: Place, launch: Launch) -> list[str]:
        """What is wrong with the wiring, one sentence each; it may start the client to ask it."""


def client(name: str) -> Client:
    """The client of this name.

    Raises:
        KeyError: There is none.
    """
    if name not in NAMES:
        raise KeyError(name)
    return cast("Client", import_module(f"memex_adapters.clients.{name}"))


def project_manual(client: str, place: Place, wanted: Wanted, *also: str) -> Block:
    """The manual in a project: one block for all the clients that read its ``AGENTS.md``.

    Args:
        client: Its name.
        place: Where.
        wanted: Holds the text.
        also: Further files that the client reads, by their names in the project.
    """
    return Block(
        path=place.below_project("AGENTS.md"),
        client=client,
        body=wanted.manual,
        common=wanted.common_manual,
        also=tuple(place.below_project(name) for name in also),
    )


def every_piece(
    module: Client, place: Place, launch: Launch, *, manual: str = "-", common_manual: str = ""
) -> list[Piece | Registered]:
    """All that may ever have been installed for a client, each piece once.

    Args:
        module: The client's.
        place: Where.
        launch: What its entries start.
        manual: What a manual says there, where that matters.
        common_manual: The same for a file that other clients read, too.
    """
    found: list[Piece | Registered] = []
    for manual_in in ("own", "shared"):
        for permission in (True, False):
            wanted = Wanted(
                manual=manual,
                common_manual=common_manual,
                manual_in=manual_in,
                permission=permission,
            )
            pieces = module.pieces(place, launch, wanted)
            found += [piece for piece in pieces if piece not in found]
    return found
