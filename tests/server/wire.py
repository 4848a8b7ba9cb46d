"""A client that speaks bytes: it can send what no SDK would, and sees every line."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

Message = dict[str, Any]

# Far beyond what anything takes; only a hang gets there.
DEADLINE = 30.0

MODERN = "2026-07-28"

ROOT = Path(__file__).parents[2]
TOY = (sys.executable, "-m", "tests.server.toy_server")


def request(request_id: int | str, method: str, params: Message | None = None) -> Message:
    message: Message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else message | {"params": params}


def notification(method: str, params: Message | None = None) -> Message:
    message: Message = {"jsonrpc": "2.0", "method": method}
    return message if params is None else message | {"params": params}


def call(request_id: int | str, tool: str, **arguments: object) -> Message:
    return request(request_id, "tools/call", {"name": tool, "arguments": arguments})


def initialize(version: str = "2025-11-25", request_id: int | str = 0) -> Message:
    client = {"name": "wire", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return request(request_id, "initialize", params)


def modern(message: Message, version: str = MODERN) -> Message:
    """Put a request into the envelope of the era without a handshake."""
    envelope = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return message | {"params": {**message.get("params", {}), "_meta": envelope}}


def line(message: Message | bytes) -> bytes:
    if isinstance(message, bytes):
        return message
    return json.dumps(message).encode("ascii") + b"\n"


class Wire:
    """A server process at the other end of two pipes.

    Args:
        command: What to run.
        cwd: Folder to run it in.
        env: Added to this process's environment.
        undrained_stderr: Leave stderr in a pipe that nobody reads.
        stdin: The read end to hand over instead of a new pipe; ``send`` is then not ours.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        cwd: Path = ROOT,
        env: Mapping[str, str] | None = None,
        undrained_stderr: bool = False,
        stdin: int = subprocess.PIPE,
    ) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the wire
        self.process = subprocess.Popen(
            list(command),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if undrained_stderr else self._log,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            bufsize=0,
        )
        self.raw: list[bytes] = []
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        assert self.process.stdout is not None
        self._reader = threading.Thread(target=self._pump, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(DEADLINE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr, self._log):
            if pipe is not None:
                pipe.close()

    def _pump(self, stdout: IO[bytes]) -> None:
        # A bytes pattern, not str.splitlines: only b"\n" ends a line of the protocol.
        pending = b""
        while chunk := stdout.read(1 << 16):
            *whole, pending = (pending + chunk).split(b"\n")
            for one in whole:
                self._lines.put(one)
        if pending:
            self._lines.put(pending)
        self._lines.put(None)

    def send(self, *messages: Message | bytes) -> None:
        """Send in one go; bytes go out as they are, a message as one line."""
        assert self.process.stdin is not None
        data = memoryview(b"".join(line(message) for message in messages))
        while data:
            data = data[self.process.stdin.write(data) :]

    def read(self) -> Message:
        """Return the next message.

        Raises:
            EOFError: The server closed its output.
            TimeoutError: Nothing came.
            ValueError: The line is no JSON.
        """
        try:
            raw = self._lines.get(timeout=DEADLINE)
        except queue.Empty:
            raise TimeoutError(f"no line; stderr: {self.stderr()}") from None
        if raw is None:
            self._lines.put(None)
            raise EOFError(self.stderr())
        self.raw.append(raw)
        message: Message = json.loads(raw)
        return message

    def answer(self, request_id: int | str | None) -> Message:
        """Read on to the answer of one request; what comes before is passed over."""
        while True:
            message = self.read()
            if message.get("id") == request_id and "method" not in message:
                return message

    def rest(self) -> list[Message]:
        """Read until the server closes its output."""
        messages = []
        while True:
            try:
                messages.append(self.read())
            except EOFError:
                return messages

    def shake_hands(self, version: str = "2025-11-25") -> Message:
        self.send(initialize(version), notification("notifications/initialized"))
        return self.answer(0)

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self) -> int:
        """Return the exit code.

        Raises:
            subprocess.TimeoutExpired: The process goes on.
        """
        return self.process.wait(DEADLINE)

    def stderr(self) -> str:
        """Return what was logged so far; empty if nobody reads stderr."""
        self._log.seek(0)
        return self._log.read().decode("utf-8", errors="replace")


def told(answer: Message) -> str:
    """Return the text of a tool's answer."""
    text: str = answer["result"]["content"][0]["text"]
    return text
