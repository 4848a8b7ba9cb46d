"""A scripted embedding endpoint on loopback, which notes what it was asked."""

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[list[str]], tuple[int, Any]]


@dataclass
class Endpoint:
    """What the endpoint answers, and the requests that came: path, key, body."""

    answer: Answer
    base_url: str = ""
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)


def rows(vectors: list[list[float]]) -> tuple[int, Any]:
    """A sound answer, last one first: clients have to go by the index."""
    data = [
        {"object": "embedding", "index": place, "embedding": vector}
        for place, vector in enumerate(vectors)
    ]
    return 200, {"object": "list", "model": "m", "data": data[::-1], "usage": {}}


@contextmanager
def endpoint(answer: Answer) -> Generator[Endpoint]:
    """Serve ``answer`` until the end of the block."""
    served = Endpoint(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.asked.append((self.path, self.headers.get("Authorization", ""), body))
            status, told = served.answer(body["input"])
            data = told if isinstance(told, bytes) else json.dumps(told).encode()
            # Whoever asked may have gone by now.
            with suppress(ConnectionError):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        served.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
