"""A client of our own server in a few lines: JSON-RPC over the pipes of a child process."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from memex_mcp.errors import Unavailable

_PROTOCOL = "2025-11-25"


class Pipe:
    """One server process and one session with it.

    Args:
        arguments: What follows ``memex-mcp serve``.
        client: Name to introduce ourselves by.
    """

    def __init__(self, arguments: Sequence[str], client: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # our own module under our own interpreter
            [sys.executable, "-m", "memex_mcp", "serve", "--structured", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._last_id = 0
        self.pid = self._process.pid
        info = {"name": client, "version": "1"}
        params = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": info}
        self._request("initialize", params)
        self._send({"method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate(timeout=20)

    def call(self, tool: str, **arguments: object) -> dict[str, object]:
        """Call a tool and return its structured answer.

        Raises:
            Unavailable: The server ended, or the tool answered with an error.
        """
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        content: dict[str, object] = result["structuredContent"]
        if result.get("isError"):
            raise Unavailable(f"{tool} failed: {content['error']}")
        return content

    def _request(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        stdout = self._process.stdout
        for line in stdout or ():
            message = json.loads(line)
            if message.get("id") == self._last_id and "method" not in message:
                result: dict[str, object] = message["result"]
                return result
        raise Unavailable("the server ended without an answer")

    def _send(self, message: Mapping[str, object]) -> None:
        stdin = self._process.stdin
        if stdin is not None:
            stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            stdin.flush()
