"""Our server over HTTP, for the conformance suite, which cannot speak to a stdio server.

``python -m tests.clients.http_server ROOT WORKSPACE`` prints the address and serves until it is
killed.  The product has no such transport: this is the same server object with another door.
"""

import socket
import sys

import uvicorn

from memex_mcp import settings
from memex_mcp.memory import Memory
from memex_mcp.server.app import build
from memex_mcp.server.options import Options


def main() -> None:
    """Serve on a free port of the loopback interface."""
    root, workspace = sys.argv[1:]
    memory = Memory(settings.load(root))
    app = build(memory, Options(workspace=workspace)).streamable_http_app()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        config = uvicorn.Config(app, log_level="error", lifespan="on")
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
