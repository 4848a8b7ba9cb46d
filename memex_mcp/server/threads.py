"""Where the blocking work of requests is done: on a few threads, so that none is delayed."""

from collections.abc import Callable
from typing import TypeVar

import anyio

from memex_mcp.server.stdio import LIMITER_TOKENS

T = TypeVar("T")


class Threads:
    """Runs blocking work of one server; a cancelled request does not wait for its thread."""

    def __init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(LIMITER_TOKENS)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of ``work``, which runs on another thread."""
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
