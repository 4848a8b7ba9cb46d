"""Where the blocking work of requests is done: on a few threads, so that none is delayed."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import anyio

from memex_mcp.memory import Cancel

LIMITER_TOKENS = 8
"""Threads that one server works on; anyio's own limit would let a burst start 40 at once."""

T = TypeVar("T")


class Threads:
    """Runs blocking work of one server; a cancelled request does not wait for its thread."""

    def __init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(LIMITER_TOKENS)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of ``work``, which runs on another thread."""
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)

    async def read(self, work: Callable[[Cancel], T]) -> T:
        """The same for work that only reads; it is stopped when its request is cancelled."""
        cancel = Cancel()
        try:
            return await self.run(partial(work, cancel))
        except anyio.get_cancelled_exc_class():
            cancel.cancel()
            raise
