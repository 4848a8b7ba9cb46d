"""A model that follows a script, so that real clients run offline and always the same way.

It listens on 127.0.0.1, speaks the four APIs of :mod:`tests.clients.wire`, and answers the
agent's own turns with the next step.  Side requests (titles, routing, token counts, model
lists) are answered without using a step up.
"""

import gzip
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn
from types import TracebackType
from typing import Self

from tests.clients import wire
from tests.clients.asked import BY_NAME, LOADERS, Asked, Reply, Text, Tool, Use, smallest

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Say:
    """The model answers in words, and claims to have read so many tokens.

    Attributes:
        text: What it says, or how to make it from the newest tool result.
    """

    text: str | Callable[[str], str]
    tokens: int = 1000


@dataclass(frozen=True, slots=True)
class Call:
    """The model calls a tool.

    Attributes:
        tool: The server's name for it; clients offer it under names that end in this one.
        arguments: What to pass, or how to make it from the newest tool result.
        tokens: What the model claims to have read; near its limit the client compacts.
    """

    tool: str
    arguments: Arguments | Callable[[str], Arguments]
    tokens: int = 1000


Step = Say | Call

# With these words Claude Code and Codex ask for the summary that a compaction leaves.
COMPACTING = ("detailed summary", "CONTEXT CHECKPOINT COMPACTION")
SUMMARY = "SUMMARY-OF-WHAT-WAS-SAID"

# A server that is slow to start is not loadable yet, so one attempt may not be enough.
LOADS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request that reached the model server; ``asked`` is None outside the four APIs."""

    path: str
    body: str
    asked: Asked | None = None


class ScriptedModel:
    """A running model server; use it as a context manager.

    Attributes:
        requests: Everything that was asked, in order of arrival.
        troubles: What went wrong in here, for the message of a failing test.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.requests: list[Request] = []
        self.troubles: list[str] = []
        self._steps = list(steps)
        self._loaded: list[str] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        """Base address, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def unused(self) -> tuple[Step, ...]:
        """Steps that no turn has reached."""
        return tuple(self._steps)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, path: str, body: bytes) -> tuple[int, str, bytes]:
        """Record a request and make its reply: status, content type, content."""
        place = path.partition("?")[0].rstrip("/")
        if place.endswith(("/count_tokens", ":countTokens")):
            self._record(Request(path=place, body=""))
            return _json(200, {"input_tokens": 1000, "totalTokens": 1000})
        if place.endswith("/models"):
            self._record(Request(path=place, body=""))
            one = {"id": "scripted", "type": "model", "object": "model"}
            return _json(200, {"object": "list", "data": [one], "models": [], "has_more": False})
        text = body.decode("utf-8", "replace")
        asked = wire.read(place, body)
        self._record(Request(path=place, body=text, asked=asked))
        if asked is None:
            return _json(404, {"error": {"type": "not_found_error", "message": place}})
        return 200, *wire.write(asked, self._reply(asked))

    def _record(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)

    def _reply(self, asked: Asked) -> Reply:
        if asked.schema is not None:
            return Text(json.dumps(smallest(asked.schema)))
        if any(words in asked.said for words in COMPACTING):
            return Text(f"<summary>{SUMMARY}</summary>")
        with self._lock:
            if not asked.main or not self._steps:
                return Text("OK")
            newest = asked.results[-1] if asked.results else ""
            step = self._steps[0]
            if isinstance(step, Call):
                return self._call(step, asked, newest)
            self._steps.pop(0)
            return Text(step.text(newest) if callable(step.text) else step.text, step.tokens)

    def _call(self, step: Call, asked: Asked, newest: str) -> Reply:
        offered = [tool for tool in asked.tools if _is(tool, step.tool)]
        loaders = [tool for tool in asked.tools if tool.name in LOADERS]
        name = f"mcp__memex__{step.tool}"
        by_name = [tool for tool in asked.tools if tool.name == BY_NAME and name in self._loaded]
        if not offered and not by_name and loaders and len(self._loaded) < LOADS:
            self._loaded.append(name)
            return Use(loaders[0], {"query": f"select:{name}"})
        self._steps.pop(0)
        made = step.arguments(newest) if callable(step.arguments) else step.arguments
        if offered:
            return Use(offered[0], made, step.tokens)
        if by_name:
            return Use(by_name[0], {"name": name, "arguments": made}, step.tokens)
        names = ", ".join(tool.name for tool in asked.tools)
        self.troubles.append(f"{step.tool} is not offered; only {names}")
        return Text(f"I have no tool {step.tool}.")


def _is(tool: Tool, name: str) -> bool:
    return tool.name == name or tool.name.endswith((f"_{name}", f"-{name}"))


def _json(status: int, content: object) -> tuple[int, str, bytes]:
    return status, "application/json", json.dumps(content).encode()


class _Server(ThreadingMixIn, HTTPServer):
    """An HTTP server whose connections share one pool of threads."""

    model: ScriptedModel

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._pool = ThreadPoolExecutor(16, "scripted-model")

    def process_request(self, request: object, client_address: object) -> None:
        self._pool.submit(self.process_request_thread, request, client_address)  # type: ignore[arg-type]  # socketserver's own alias is private

    def server_close(self) -> None:
        super().server_close()
        self._pool.shutdown()


class _Handler(BaseHTTPRequestHandler):
    """One request per connection, so that no idle connection holds a thread."""

    protocol_version = "HTTP/1.1"
    timeout = 20
    server: _Server

    def do_GET(self) -> None:
        self._send(*self.server.model.answer(self.path, b""))

    def do_POST(self) -> None:
        try:
            status, kind, content = self.server.model.answer(self.path, self._body())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self.server.model.troubles.append(f"{self.path}: {error!r}")
            status, kind, content = _json(500, {"error": {"message": repr(error)}})
        self._send(status, kind, content)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            content = b"".join(iter(self._chunk, b""))
        else:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        zipped = self.headers.get("Content-Encoding", "").lower() == "gzip"
        return gzip.decompress(content) if zipped else content

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline().partition(b";")[0], 16)
        chunk = self.rfile.read(size)
        self.rfile.readline()
        return chunk

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it
        """Keep the test's output quiet; every request is recorded anyway."""
