"""The installed command from outside: run once, as a server, and at a terminal."""

import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.server.wire import Message, Wire, call, initialize, notification, request

COMMAND = shutil.which("memex-mcp", path=str(Path(sys.executable).parent)) or "memex-mcp"

# Far beyond what anything takes; only a hang gets there.
DEADLINE = 60.0


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
        session = ["--session", self.session] if self.session else []
        return ["--root", str(self.root), "--workspace", str(self.project), *session]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str = ""

    @property
    def json(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)


def memex(*arguments: str, typed: str = "") -> Ran:
    """Run the command through pipes, as a program does."""
    done = subprocess.run(
        [COMMAND, *arguments],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=DEADLINE,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def piped(place: Place, command: str, *arguments: str) -> Any:
    """Run a command through pipes; returns its JSON, also when it failed."""
    return memex(command, *arguments, *place.arguments, "--json").json


def at_terminal(place: Place, command: str, *arguments: str) -> Ran:
    """Run a command in a terminal of its own, as a person does."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [COMMAND, command, *arguments, *place.arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    said = b""
    try:
        # Linux ends a terminal that nobody holds any more with EIO, others with nothing.
        while chunk := os.read(ours, 4096):
            said += chunk
    except OSError:
        pass
    finally:
        os.close(ours)
    return Ran(process.wait(DEADLINE), said.decode("utf-8").replace("\r\n", "\n"))


def person_writes(place: Place, text: str, *options: str) -> str:
    """Have a person write a statement; returns its id."""
    ran = at_terminal(place, "write", text, *options)
    assert ran.code == 0, ran.out
    return ran.out.split()[1]


class ToolError(Exception):
    """A tool answered with an error.

    Attributes:
        code: As in ``memex_mcp.errors``.
    """

    def __init__(self, error: Message) -> None:
        super().__init__(f"{error['code']}: {error['message']}. {error['hint']}")
        self.code: str = error["code"]
        self.hint: str = error["hint"]


class Server:
    """A server process and one client of it."""

    def __init__(self, place: Place, *options: str, client: str = "agent-a") -> None:
        self._wire = Wire([COMMAND, "serve", *place.arguments, *options])
        self._ids = itertools.count(1)
        self._structured = "--structured" in options
        hello = initialize()
        hello["params"]["clientInfo"]["name"] = client
        self._wire.send(hello, notification("notifications/initialized"))
        self._wire.answer(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> int:
        """Close the server's input and wait for its end; returns its exit code."""
        with self._wire:
            if self._wire.process.poll() is None:
                self._wire.close_input()
            return self._wire.wait()

    def ask(self, method: str, **params: object) -> Message:
        """Send any request; returns the whole answer."""
        number = next(self._ids)
        self._wire.send(request(number, method, dict(params)))
        return self._wire.answer(number)

    def call(self, tool: str, **arguments: object) -> Message:
        """Call a tool of a server that answers in structures.

        Raises:
            ToolError: It answered with an error.
        """
        number = next(self._ids)
        self._wire.send(call(number, tool, **arguments))
        result: Message = self._wire.answer(number)["result"]
        content: Message = result["structuredContent"]
        if result.get("isError"):
            raise ToolError(content["error"])
        return content

    def text(self, tool: str, **arguments: object) -> str:
        """Call a tool; returns the text that a model reads."""
        number = next(self._ids)
        self._wire.send(call(number, tool, **arguments))
        text: str = self._wire.answer(number)["result"]["content"][0]["text"]
        return text

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
