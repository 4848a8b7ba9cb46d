"""A client of our own server in a few lines: JSON-RPC over the pipes of a child process."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from threading import Timer
from types import TracebackType
from typing import Self

from memex_mcp.errors import MemexError, Unavailable

_PROTOCOL = "2025-11-25"

_PATIENCE = 60.0
"""Seconds after which a server that answers nothing is ended."""


class ToolError(MemexError):
    """A tool answered with an error; ``answered`` is the code it gave."""

    code = "unavailable"

    def __init__(self, tool: str, error: Mapping[str, str]) -> None:
        super().__init__(f"{tool} answered {error['code']}: {error['message']}", error["hint"])
        self.answered = error["code"]


class Pipe:
    """One server process and one session with it.

    Args:
        arguments: What follows ``memex-mcp serve``.
        client: Name to introduce ourselves by.
    """

    def __init__(self, arguments: Sequence[str], client: str) -> None:
        self._command = [sys.executable, "-m", "memex_mcp", "serve", "--structured", *arguments]
        self._client = client
        self._last_id = 0

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(  # noqa: S603  # our own module under our own interpreter
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._deadline = Timer(_PATIENCE, self._process.kill)
        self._deadline.daemon = True
        self._deadline.start()
        self.pid = self._process.pid
        try:
            info = {"name": self._client, "version": "1"}
            params = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": info}
            self._request("initialize", params)
            self._send({"method": "notifications/initialized"})
        except BaseException:
            self._end(kill=True)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(kill=kind is not None)

    def call(self, tool: str, **arguments: object) -> dict[str, object]:
        """Call a tool and return its structured answer.

        Raises:
            ToolError: The tool answered with an error.
            Unavailable: The server ended.
        """
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        content = result["structuredContent"]
        if result.get("isError"):
            raise ToolError(tool, content["error"])  # type: ignore[index]  # our own server's form
        return content  # type: ignore[return-value]  # as above

    def _request(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        for line in self._process.stdout or ():
            message = json.loads(line)
            if message.get("id") == self._last_id and "method" not in message:
                result: dict[str, object] = message["result"]
                return result
        raise _ended()

    def _send(self, message: Mapping[str, object]) -> None:
        stdin = self._process.stdin
        try:
            if stdin is not None:
                stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
                stdin.flush()
        except BrokenPipeError as error:
            raise _ended() from error

    def _end(self, *, kill: bool) -> None:
        """Close the server's input and wait for its end; nothing of it stays behind."""
        if kill:
            self._process.kill()
        try:
            self._process.communicate()
        except BrokenPipeError:
            self._process.wait()
        finally:
            self._deadline.cancel()


def _ended() -> Unavailable:
    return Unavailable("the server ended without an answer", "What it said stands above.")
