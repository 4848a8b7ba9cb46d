"""The server's end of the pipe: one JSON message a line, and nothing else on stdout.

The SDK's own loop leaves a client waiting for ever on a line that it cannot read, dies
of a lone surrogate and drops what is in flight at end of input.  This one answers.
"""

import os
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, suppress
from functools import partial
from threading import Thread
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.os.win32.utilities import rebind_std_handle_to_fd
from mcp.server.lowlevel import Server
from mcp.server.models import InitializationOptions
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, RequestId

from memex_mcp.server.lines import Refused, decode, encode

_CHUNK = 1 << 16
_CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError)
# The one request that is answered only when the subscription ends.
_LISTEN = "subscriptions/listen"


class _Unanswered:
    """Requests that were read and not yet answered, duplicate ids counted."""

    def __init__(self) -> None:
        self._open: Counter[RequestId] = Counter()
        self._settled = anyio.Event()

    def add(self, request: JSONRPCRequest) -> SessionMessage:
        """Count a request; cancelled, it settles without an answer."""
        if request.method == _LISTEN:
            return SessionMessage(request)
        self._open[request.id] += 1
        settle = partial(self.settle, request.id)
        return SessionMessage(request, ServerMessageMetadata(on_request_unanswered=settle))

    async def settle(self, request_id: RequestId | None) -> None:
        """Count one request less; ids that are not open are ignored."""
        if request_id is not None and self._open[request_id] > 1:
            self._open[request_id] -= 1
        elif request_id is not None:
            self._open.pop(request_id, None)
        self._settled.set()

    async def drained(self) -> None:
        """Wait until every request is settled."""
        while self._open:
            self._settled = anyio.Event()
            await self._settled.wait()


async def serve_stdio(
    server: Server[Any], options: InitializationOptions, *, drain_seconds: float = 5.0
) -> None:
    """Serve the low-level server over stdin and stdout until end of input.

    From here on the process is a server: file descriptor 0 is empty and 1 leads to
    stderr, for good, so neither a print nor a child process reaches the client.

    Args:
        server: Speaks both protocol eras; the client's first request chooses.
        options: What ``initialize`` answers.
        drain_seconds: How long requests in flight at end of input may still take.  A
            thread that runs on after that keeps the interpreter from ending by itself.
    """
    if sys.stdin is None or sys.stdout is None:
        return  # Started with one of them closed: there is no client.
    stdin, stdout = _take_standard_streams()
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception]()
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage]()
    unanswered = _Unanswered()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, stdin, to_server, to_client.clone(), unanswered, drain_seconds)
        tasks.start_soon(_write, stdout, from_server, unanswered)
        await server.run(from_client, to_client, options)
        # All that is left are shutdown errors, and the client may have stopped reading.
        tasks.cancel_scope.deadline = anyio.current_time() + 1


def _take_standard_streams() -> tuple[int, int]:
    """Move the pipes to private descriptors and point 0 at nothing, 1 at stderr."""
    # Fills whichever of 0, 1, 2 is closed, so that no duplicate lands there.
    while (spare := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    stdin, stdout = os.dup(0), os.dup(1)
    os.dup2(spare, 0)
    # With stderr closed at the start, descriptor 2 may be anybody's by now.
    os.dup2(spare if sys.stderr is None else 2, 1)
    os.close(spare)
    if sys.platform == "win32":
        import msvcrt

        for private, standard in ((stdin, 0), (stdout, 1)):
            msvcrt.setmode(private, os.O_BINARY)
            with suppress(OSError):
                rebind_std_handle_to_fd(standard)
    return stdin, stdout


@asynccontextmanager
async def _chunks(stdin: int) -> AsyncGenerator[MemoryObjectReceiveStream[bytes]]:
    """Read stdin on a daemon thread, which a process that ends need not wait for."""
    send, receive = anyio.create_memory_object_stream[bytes]()

    def pump() -> None:
        # RuntimeError, CancelledError: the loop has gone.  OSError: so has the client.
        with suppress(RuntimeError, CancelledError, *_CLOSED):
            with suppress(OSError):
                while chunk := os.read(stdin, _CHUNK):
                    portal.call(send.send, chunk)
            portal.call(send.aclose)

    async with BlockingPortal() as portal:
        Thread(target=pump, name="stdin", daemon=True).start()
        try:
            with receive:
                yield receive
        finally:
            send.close()
            await portal.stop(cancel_remaining=True)


async def _lines(chunks: MemoryObjectReceiveStream[bytes]) -> AsyncGenerator[bytes]:
    """Split at newlines; the last line needs none."""
    pending = bytearray()
    async for chunk in chunks:
        head, *rest = chunk.split(b"\n")
        pending += head
        for part in rest:
            yield bytes(pending)
            pending = bytearray(part)
    yield bytes(pending)


async def _read(
    stdin: int,
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    to_client: MemoryObjectSendStream[SessionMessage],
    unanswered: _Unanswered,
    drain_seconds: float,
) -> None:
    """Hand on what can be read and answer what cannot; at the end, wait for the answers."""
    async with to_server, to_client, _chunks(stdin) as chunks:
        async for line in _lines(chunks):
            if not line.strip():
                continue
            try:
                message = decode(line)
            except Refused as refused:
                if refused.answer is not None:
                    await to_client.send(SessionMessage(refused.answer))
                continue
            if isinstance(message, JSONRPCRequest):
                await to_server.send(unanswered.add(message))
            else:
                await to_server.send(SessionMessage(message))
        with anyio.move_on_after(drain_seconds):
            await unanswered.drained()


async def _write(
    stdout: int,
    from_server: MemoryObjectReceiveStream[SessionMessage],
    unanswered: _Unanswered,
) -> None:
    """Write answers until the server stops; a client that stopped reading loses them."""
    limiter = anyio.CapacityLimiter(1)  # Tools that fill the default one delay no answer.
    listening = True
    async with from_server:
        async for item in from_server:
            message = item.message
            if listening:
                try:
                    await anyio.to_thread.run_sync(
                        _write_all, stdout, encode(message), abandon_on_cancel=True, limiter=limiter
                    )
                except OSError:
                    listening = False
            if isinstance(message, JSONRPCResponse | JSONRPCError):
                await unanswered.settle(message.id)


def _write_all(stdout: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(stdout, view) :]
