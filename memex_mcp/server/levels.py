"""Turns on the levels that a server was started with, once its workspace is known."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError

from memex_mcp.errors import MemexError
from memex_mcp.model.caller import Caller
from memex_mcp.server.callers import Callers, Context
from memex_mcp.server.threads import Threads

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

log = logging.getLogger(__name__)

_GONE = (MCPError, anyio.BrokenResourceError, anyio.ClosedResourceError)
_BEFORE = {"initialize", "ping", "server/discover"}


class StartingLevels:
    """Turns levels on in the background, beside the first request after the handshake.

    Earlier than that nothing says which workspace is served, and nobody waits for it.

    Args:
        threads: Where the work is done.
        callers: Says who asks, and so which workspace it is.
        turn_on: The work; None when there is nothing to turn on.
    """

    def __init__(
        self, threads: Threads, callers: Callers, turn_on: Callable[[Caller], None] | None
    ) -> None:
        self._threads = threads
        self._callers = callers
        self._turn_on = turn_on
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Hold what runs in the background; part of the ``lifespan`` of a server."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks = None
                tasks.cancel_scope.cancel()

    async def introduce(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Begin with the first request; a member of ``Server.middleware``."""
        if ctx.request_id is not None and ctx.method not in _BEFORE and self._tasks is not None:
            turn_on, self._turn_on = self._turn_on, None
            if turn_on is not None:
                self._tasks.start_soon(self._work, turn_on, ctx)
        return await call_next(ctx)

    async def _work(self, turn_on: Callable[[Caller], None], ctx: Context) -> None:
        try:
            caller = await self._callers.of(ctx)
        except MemexError as error:
            log.warning("%s: the levels of the command line stay as they are", error.code)
        except _GONE:
            log.warning("the client was gone before its levels were turned on")
        else:
            await self._threads.run(partial(turn_on, caller))
