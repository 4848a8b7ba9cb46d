"""A real server process with tools that misbehave, served through our loop.

Run it with ``python -m``.  It needs nothing of the product but the transport under test.
"""

import argparse
import logging
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from mcp.server import NotificationOptions, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import ListenHandler
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    EmptyResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    SubscribeRequestParams,
    TextContent,
    Tool,
    UnsubscribeRequestParams,
)

from memex_mcp.server.events import ChangeNotices
from memex_mcp.server.stdio import serve_stdio
from memex_mcp.server.threads import LIMITER_TOKENS
from memex_mcp.server.watchdog import guarded

Context = ServerRequestContext[Any, Any]
Arguments = dict[str, Any]


class Toys:
    """One method per hazard; a tool is named as its method."""

    def __init__(self) -> None:
        self.notices = ChangeNotices()
        self.asleep = 0
        self.limiter = anyio.CapacityLimiter(LIMITER_TOKENS)

    async def echo(self, arguments: Arguments) -> str:
        return str(arguments["text"])

    async def size(self, arguments: Arguments) -> str:
        return str(len(arguments["text"]))

    async def large(self, arguments: Arguments) -> str:
        return "x" * int(arguments["size"])

    async def prints(self, _: Arguments) -> str:
        print("printed, flushed", flush=True)
        print("printed, left in the buffer")
        return "printed"

    async def writes_raw(self, _: Arguments) -> str:
        os.write(1, b"raw\n")
        return "written"

    async def spawns(self, _: Arguments) -> str:
        """Start a child that inherits the standard streams, talks and listens."""
        code = "import sys; print('from a child', flush=True); sys.exit(len(sys.stdin.read()))"
        child = partial(subprocess.run, [sys.executable, "-c", code], check=False)
        done = await anyio.to_thread.run_sync(child, limiter=self.limiter)
        return f"the child read {done.returncode} characters"

    async def surrogate(self, _: Arguments) -> str:
        return "a\ud800b \U0001f600"

    async def raises(self, _: Arguments) -> str:
        raise ValueError("a bug")

    async def sleeps(self, _: Arguments) -> str:
        self.asleep += 1
        try:
            await anyio.sleep_forever()
        finally:
            self.asleep -= 1
        return "never"

    async def sleepers(self, _: Arguments) -> str:
        return str(self.asleep)

    async def waits_for(self, arguments: Arguments) -> str:
        """Block a worker thread until somebody opens the named pipe for writing."""
        await anyio.to_thread.run_sync(
            _open_and_close, arguments["path"], abandon_on_cancel=True, limiter=self.limiter
        )
        return "opened"

    async def touches(self, arguments: Arguments) -> str:
        await self.notices.record_changed(arguments["id"], created=arguments["created"])
        return "touched"

    def tool(self, name: str) -> Callable[[Arguments], Awaitable[str]]:
        tools: dict[str, Callable[[Arguments], Awaitable[str]]] = {
            tool.__name__: tool
            for tool in (
                *(self.echo, self.size, self.large, self.prints, self.writes_raw, self.spawns),
                *(self.surrogate, self.raises, self.sleeps, self.sleepers, self.waits_for),
                self.touches,
            )
        }
        return tools[name]


def _open_and_close(path: str) -> None:
    with Path(path).open("rb"):
        pass


def build(toys: Toys) -> Server[Any]:
    async def list_tools(_ctx: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[Tool(name="echo", input_schema={"type": "object"})])

    async def call_tool(_ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        text = await toys.tool(params.name)(params.arguments or {})
        return CallToolResult(content=[TextContent(type="text", text=text)])

    async def list_resources(
        _ctx: Context, _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return ListResourcesResult(resources=[])

    async def subscribe(ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        toys.notices.subscribe(ctx.session, params.uri)
        return EmptyResult()

    async def unsubscribe(ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        toys.notices.unsubscribe(ctx.session, params.uri)
        return EmptyResult()

    server = Server[Any](
        "toy",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_subscribe_resource=subscribe,
        on_unsubscribe_resource=unsubscribe,
        on_subscriptions_listen=ListenHandler(toys.notices.bus),
    )
    server.middleware.append(toys.notices.introduce)
    return server


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--drain", type=float, default=5.0)
    parser.add_argument("--mark", type=Path, help="written by the clean-up")
    parser.add_argument("--hang", action="store_true", help="the clean-up never ends")
    given = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)

    def stopped() -> None:
        if given.mark is not None:
            given.mark.write_text("cleaned up", encoding="utf-8")
        while given.hang:
            pass

    async def serve() -> None:
        server = build(Toys())
        options = server.create_initialization_options(NotificationOptions(resources_changed=True))
        async with guarded(stopped):
            await serve_stdio(server, options, drain_seconds=given.drain)

    anyio.run(serve)
    # A tool may still hold a worker thread, and the interpreter would wait for it.
    if sys.stdout is not None:
        sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
