"""A place to work in, and who works there: programs, a person, and agents through a server."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.process import Ran, Serving, at_terminal, memex
from tests.server.wire import ROOT, Message


@dataclass(frozen=True, slots=True)
class Place:
    """A store and the folder that somebody works in.

    Attributes:
        session: Session id to come with; None leaves it to the process.
    """

    root: Path
    project: Path
    session: str | None = None

    @property
    def arguments(self) -> list[str]:
        """The place as options of a command."""
        return ["--root", str(self.root), *self.evidence]

    @property
    def evidence(self) -> list[str]:
        """The same without the store."""
        session = ["--session", self.session] if self.session else []
        return ["--workspace", str(self.project), *session]


def piped(place: Place, command: str, *arguments: str) -> Any:
    """Run a command through pipes; returns its JSON, also when it failed."""
    return memex(command, *arguments, *place.arguments, "--json").json


def wrote(place: Place, text: str, *options: str) -> str:
    """Have a program write a statement; returns its id."""
    written: str = piped(place, "write", text, *options)["id"]
    return written


def by_person(place: Place, command: str, *arguments: str) -> Ran:
    """Run a command in a terminal of its own."""
    return at_terminal(command, *arguments, *place.arguments)


def person_writes(place: Place, text: str, *options: str) -> str:
    """Have a person write a statement; returns its id."""
    ran = by_person(place, "write", text, *options)
    assert ran.code == 0, ran.out
    return ran.out.split()[1]


def rebuild(place: Place, what: str) -> Any:
    """Rebuild the store; returns the report."""
    ran = memex("rebuild", what, "--root", str(place.root), "--json")
    assert ran.code == 0, ran.out
    return ran.json


class ToolError(Exception):
    """A tool answered with an error.

    Attributes:
        code: As in ``memex_mcp.errors``.
    """

    def __init__(self, error: Message) -> None:
        super().__init__(f"{error['code']}: {error['message']}. {error['hint']}")
        self.code: str = error["code"]
        self.hint: str = error["hint"]


class Server(Serving):
    """A server of one place that answers in structures, unless its options leave that out."""

    def __init__(self, place: Place, *options: str, client: str = "agent-a") -> None:
        super().__init__(place.root, *place.evidence, *options, cwd=ROOT, client=client)

    def call(self, tool: str, **arguments: object) -> Message:
        """Call a tool; returns its structured answer.

        Raises:
            ToolError: It answered with an error.
        """
        result = self.result(tool, **arguments)
        content: Message = result["structuredContent"]
        if result.get("isError"):
            raise ToolError(content["error"])
        return content

    def code(self, tool: str, **arguments: object) -> str:
        """Call a tool; returns the code of the error it answers with, ``ok`` if it does not."""
        try:
            self.call(tool, **arguments)
        except ToolError as error:
            return error.code
        return "ok"

    def found(self, query: str, **arguments: object) -> list[str]:
        """Ids that a search finds, best first."""
        return [hit["id"] for hit in self.call("memory_search", query=query, **arguments)["hits"]]


def tree(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Everything below a folder: mode, time in nanoseconds and hash by relative name."""
    found = {}
    for path in sorted([folder, *folder.rglob("*")]):
        stat = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        name = path.relative_to(folder).as_posix()
        found[name] = (stat.st_mode, stat.st_mtime_ns, hashlib.sha256(data).hexdigest())
    return found
