"""The installed command as a process: through pipes, at a terminal, and as a server."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.server.wire import Message, Wire, call, initialize, notification, request

COMMAND = [shutil.which("memex-mcp", path=str(Path(sys.executable).parent)) or "memex-mcp"]

# Far beyond what anything takes; only a hang gets there.
DEADLINE = 60.0

_ID = re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


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

    @property
    def ids(self) -> list[str]:
        """The record ids in what it printed, in order."""
        return _ID.findall(self.out)

    def named(self, **names: str) -> Any:
        """Its JSON with ids replaced by names, and times by ``TIME``."""
        text = _TIME.sub("TIME", self.out)
        for name, record_id in names.items():
            text = text.replace(record_id, name)
        return json.loads(text)


def until(done: Callable[[], bool]) -> bool:
    """Whether it comes true in time, by the doing of a process that is nobody's child here."""
    wait = threading.Event().wait
    return any(done() or wait(0.1) for _ in range(int(DEADLINE * 10)))


def memex(
    *arguments: str,
    typed: str | bytes = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Ran:
    """Run the command through pipes, as a program does."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=typed.encode("utf-8") if isinstance(typed, str) else typed,
        capture_output=True,
        cwd=cwd,
        env=os.environ | dict(env or {}),
        timeout=DEADLINE,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def at_terminal(
    *arguments: str,
    typed: str = "",
    columns: int = 80,
    env: Mapping[str, str] | None = None,
    shell: str = '"$@"',
) -> Ran:
    """Run the command in a terminal of its own, as a person does; both streams are ``out``."""
    import termios

    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    process = subprocess.Popen(
        ["sh", "-c", shell, "sh", *COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns)} | dict(env or {}),
        start_new_session=True,
    )
    os.close(theirs)
    if typed:
        os.write(ours, typed.encode("utf-8"))
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


class Serving:
    """A server process and a client that shook hands with it.

    Args:
        root: The store.
        options: More options of ``serve``.
        cwd: Folder that the process is started in; none is where no workspace can be.
        env: Added to the environment.
        client: What the client calls itself.
        capabilities: What the client says it can do.
    """

    def __init__(
        self,
        root: Path,
        *options: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        client: str = "agent-a",
        capabilities: Message | None = None,
    ) -> None:
        self.wire = Wire([*COMMAND, "serve", "--root", str(root), *options], cwd=cwd, env=env)
        self._ids = itertools.count(1)
        hello = initialize()
        hello["params"]["clientInfo"]["name"] = client
        hello["params"]["capabilities"] = capabilities or {}
        self.wire.send(hello, notification("notifications/initialized"))
        self.wire.answer(0)

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
        with self.wire:
            if self.wire.process.poll() is None:
                self.wire.close_input()
            return self.wire.wait()

    def ask(self, method: str, **params: object) -> Message:
        """Send a request; returns the whole answer."""
        number = next(self._ids)
        self.wire.send(request(number, method, dict(params)))
        return self.wire.answer(number)

    def send_call(self, tool: str, meta: Message | None = None, /, **arguments: object) -> int:
        """Send a tool call without waiting; returns its number."""
        number = next(self._ids)
        message = call(number, tool, **arguments)
        if meta is not None:
            message["params"]["_meta"] = meta
        self.wire.send(message)
        return number

    def result(self, tool: str, meta: Message | None = None, /, **arguments: object) -> Message:
        """Call a tool; returns the result, whatever it is."""
        result: Message = self.wire.answer(self.send_call(tool, meta, **arguments))["result"]
        return result

    def text(self, tool: str, meta: Message | None = None, /, **arguments: object) -> str:
        """Call a tool; returns the text that a model reads."""
        [block] = self.result(tool, meta, **arguments)["content"]
        return str(block["text"])

    def write(self, text: str, **arguments: object) -> str:
        """Write a note; returns its id."""
        told = self.text("memory_write", text=text, **arguments)
        assert told.startswith("created "), told
        return told.split()[1]

    def status(self) -> dict[str, Any]:
        """What ``memory://status`` says."""
        [contents] = self.ask("resources/read", uri="memory://status")["result"]["contents"]
        status: dict[str, Any] = json.loads(contents["text"])
        return status
