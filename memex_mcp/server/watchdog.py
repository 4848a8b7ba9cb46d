"""The end of the process when it does not come through stdin.

Clients stop a server with a signal, or die without one.  Neither may leave a process
behind, and neither waits: one client sends SIGKILL half a second after its first signal.
"""

import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from queue import Empty, SimpleQueue
from threading import Thread, Timer
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
SIGNALS = tuple(signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__)

_PARENT_POLL_SECONDS = 1.0
_CLEANUP_SECONDS = 2.0


@asynccontextmanager
async def guarded(on_stop: Callable[[], None]) -> AsyncGenerator[None]:
    """End the process at once on a signal or when its parent dies.

    The exit code is 128 + the signal's number; 0 for the parent.  A second signal does
    not wait for the clean-up.  Leaving the block restores the earlier signal handlers.

    Args:
        on_stop: Clean-up of a few milliseconds, run on a thread of its own while the
            rest of the process goes on; given up after two seconds.
    """
    # A put is re-entrant, so a signal handler may do it whatever it interrupted.
    exits: SimpleQueue[int | None] = SimpleQueue()
    stopping: list[int] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        if stopping:
            os._exit(128 + number)
        stopping.append(number)
        exits.put(128 + number)

    Thread(
        target=_watch, args=(exits, _parent_probe(), on_stop), name="watchdog", daemon=True
    ).start()
    earlier = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
        exits.put(None)


def _watch(
    exits: "SimpleQueue[int | None]", orphaned: Callable[[], bool], on_stop: Callable[[], None]
) -> None:
    code: int | None = 0
    while True:
        try:
            code = exits.get(timeout=_PARENT_POLL_SECONDS)
            break
        except Empty:
            if orphaned():
                break
    if code is None:
        return
    # os._exit, since the interpreter's own way out waits for every worker thread.
    limit = Timer(_CLEANUP_SECONDS, os._exit, (code,))
    limit.daemon = True
    limit.start()
    try:
        on_stop()
    finally:
        os._exit(code)


def _parent_probe() -> Callable[[], bool]:
    """Remember the parent; the result tells whether it has died since."""
    parent = os.getppid()
    if sys.platform != "win32":
        # The pid of an orphan's parent changes: somebody adopts it.
        return lambda: os.getppid() != parent

    import ctypes

    synchronize, signalled = 0x00100000, 0
    kernel32 = ctypes.windll.kernel32
    kernel32.OpenProcess.restype = ctypes.c_void_p
    kernel32.WaitForSingleObject.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    process = kernel32.OpenProcess(synchronize, False, parent)
    # Without the right to watch it, end of input must do.
    return lambda: process is not None and kernel32.WaitForSingleObject(process, 0) == signalled
