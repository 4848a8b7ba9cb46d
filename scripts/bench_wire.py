"""A client of one stdio server, as plain as can be, so that the server is what is measured."""

import json
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

DEADLINE = 120.0
LEGACY = "2025-11-25"
MODERN = "2026-07-28"

Message = dict[str, Any]


def modern(message: Message) -> Message:
    """A request of the era without a handshake."""
    envelope = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return message | {"params": {**message.get("params", {}), "_meta": envelope}}


class Wire:
    """A client of one stdio server process, a request at a time.

    Args:
        command: What to run.
        env: Whole environment of the process.
        cwd: Its working directory.
    """

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            cwd=cwd,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._stdin: IO[bytes] = self.process.stdin
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._next = 0
        threading.Thread(target=self._pump, args=(self.process.stdout,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server by ending its input; kill it if that does not help."""
        self._stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _pump(self, stdout: IO[bytes]) -> None:
        pending = b""
        while chunk := stdout.read(1 << 16):
            *whole, pending = (pending + chunk).split(b"\n")
            for one in whole:
                self._lines.put(one)
        self._lines.put(None)

    def send(self, message: Message) -> None:
        """Write one message."""
        view = memoryview(json.dumps(message).encode("ascii") + b"\n")
        while view:
            view = view[self._stdin.write(view) :]

    def ask(self, method: str, params: Message | None = None, *, envelope: bool = False) -> Message:
        """Send a request and wait for its answer; what else arrives is left aside.

        Raises:
            TimeoutError: There was no answer within two minutes.
            EOFError: The server ended.
        """
        self._next += 1
        message: Message = {"jsonrpc": "2.0", "id": self._next, "method": method}
        if params is not None:
            message["params"] = params
        self.send(modern(message) if envelope else message)
        while True:
            try:
                raw = self._lines.get(timeout=DEADLINE)
            except queue.Empty:
                raise TimeoutError(f"no answer to {method}") from None
            if raw is None:
                raise EOFError(f"the server ended during {method}")
            answer: Message = json.loads(raw)
            if answer.get("id") == self._next and "method" not in answer:
                return answer

    def initialize(self) -> Message:
        """Open a connection as most clients do."""
        client = {"name": "bench", "version": "1"}
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}
        answer = self.ask("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def discover(self) -> Message:
        """Open a connection in the era without a handshake."""
        return self.ask("server/discover", envelope=True)

    def call(self, tool: str, arguments: Message) -> Message:
        """Call a tool.

        Raises:
            RuntimeError: The tool failed.
        """
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result: Message = answer.get("result", {})
        if "error" in answer or result.get("isError"):
            raise RuntimeError(f"{tool}: {str(answer)[:400]}")
        return result


def text_of(result: Message) -> str:
    """The text blocks of a tool's answer, joined."""
    blocks = result.get("content", [])
    return "\n".join(block.get("text", "") for block in blocks if block.get("type") == "text")
