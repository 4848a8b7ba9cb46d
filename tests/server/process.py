"""The installed server as a process: in any folder, any environment, from either era."""

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.server.wire import Message, Wire, call, initialize, notification, request
from tests.whole.using import COMMAND

IN_FOLDER = ("sh", "-c", 'cd "$0" && exec "$@"')


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
        command = [COMMAND, "serve", "--root", str(root), *options]
        self.wire = Wire([*IN_FOLDER, str(cwd), *command], env=env)
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

    def send_call(self, tool: str, meta: Message | None = None, **arguments: object) -> int:
        """Send a tool call without waiting; returns its number."""
        number = next(self._ids)
        message = call(number, tool, **arguments)
        if meta is not None:
            message["params"]["_meta"] = meta
        self.wire.send(message)
        return number

    def text(self, tool: str, meta: Message | None = None, **arguments: Any) -> str:
        """Call a tool; returns the text of its answer, whatever it is."""
        answer = self.wire.answer(self.send_call(tool, meta, **arguments))
        [block] = answer["result"]["content"]
        return str(block["text"])

    def write(self, text: str, **arguments: Any) -> str:
        """Write a note; returns its id."""
        told = self.text("memory_write", text=text, **arguments)
        assert told.startswith("created "), told
        return told.split()[1]

    def status(self) -> dict[str, Any]:
        """What ``memory://status`` says."""
        [contents] = self.ask("resources/read", uri="memory://status")["result"]["contents"]
        status: dict[str, Any] = json.loads(contents["text"])
        return status
