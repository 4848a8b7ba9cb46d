"""Change notices for clients of both protocol eras.

Clients of 2026-07-28 open a stream that the bus feeds; earlier ones hold a connection
that takes notifications, and subscribe to resources one by one.
"""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from weakref import WeakKeyDictionary

import anyio
from anyio.from_thread import BlockingPortal
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from memex_mcp.errors import Invalid
from memex_mcp.model.ids import is_id
from memex_mcp.model.query import Change

if TYPE_CHECKING:
    from mcp.server.connection import Connection

CATALOG_URI = "memory://catalog"
STATUS_URI = "memory://status"
WINDOW_URI = "memory://window"

MOST_SUBSCRIPTIONS = 1_000
"""Resources that one client of the earlier era may subscribe to."""

_RECORD_PREFIX = "memory://record/"


def record_uri(record_id: str) -> str:
    """Name the resource that shows one record."""
    return f"{_RECORD_PREFIX}{record_id}"


def record_id_of(uri: str) -> str | None:
    """The record that an address names; None for what is no address of a record."""
    record_id = uri.removeprefix(_RECORD_PREFIX).upper()
    return record_id if uri.startswith(_RECORD_PREFIX) and is_id(record_id) else None


def question_of(uri: str) -> str | None:
    """The question that the address of a window asks, blank for none; None for other addresses."""
    if uri in (WINDOW_URI, f"{WINDOW_URI}/"):
        return ""
    asked = uri.removeprefix(f"{WINDOW_URI}/")
    return unquote(asked) if asked != uri else None


class ChangeNotices:
    """Tells clients of both eras that records changed.

    Changes come from the threads that made them and are told in the loop: before the
    request that made one is answered, or at once when no request did.

    Attributes:
        bus: Feeds ``subscriptions/listen``; pass it to ``ListenHandler``.
    """

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        # A connection is forgotten with its last reference, so a closed one leaves no trace.
        self._subscribed: WeakKeyDictionary[Connection, set[str]] = WeakKeyDictionary()
        self._changes = deque[Change]()
        self._telling = anyio.Lock()
        self._portal: BlockingPortal | None = None

    def note(self, change: Change) -> None:
        """Take a change to be told; called in whichever thread made it."""
        self._changes.append(change)
        if self._portal is not None:
            # RuntimeError: the server is ending, or this is the thread of the loop itself.
            with suppress(RuntimeError):
                self._portal.start_task_soon(self.announce)

    @asynccontextmanager
    async def running(self, _server: object) -> AsyncGenerator[dict[str, Any]]:
        """Tell what changes outside of requests, too; the ``lifespan`` of a server."""
        async with BlockingPortal() as portal:
            self._portal = portal
            try:
                yield {}
            finally:
                self._portal = None
                # A client that reads no more must not hold up the end.
                await portal.stop(cancel_remaining=True)

    async def introduce(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Remember every earlier-era client that calls; a member of ``Server.middleware``.

        Whatever the request changed is told before it is answered, failed or not.
        """
        try:
            return await call_next(ctx)
        finally:
            if ctx.method not in {"initialize", "ping"}:
                self._uris(ctx.session)
            await self.announce()

    def subscribe(self, session: ServerSession, uri: str) -> None:
        """Send this session a notice whenever the resource changes.

        An address that is none of ours is taken and forgotten: nothing ever changes there.

        Raises:
            Invalid: The client has subscribed to 1,000 already.
        """
        uris = self._uris(session)
        known = _known(uri)
        if known is None:
            return
        if known not in uris and len(uris) >= MOST_SUBSCRIPTIONS:
            raise Invalid(
                f"there are {MOST_SUBSCRIPTIONS:,} subscriptions already",
                "Subscribe to memory://catalog, which changes with every record.",
            )
        uris.add(known)

    def unsubscribe(self, session: ServerSession, uri: str) -> None:
        """Undo ``subscribe``; a resource that was never subscribed to is no error."""
        known = _known(uri)
        if known is not None:
            self._uris(session).discard(known)

    async def announce(self) -> None:
        """Tell every client of the changes noted so far; returns when that is done."""
        async with self._telling:
            while self._changes:
                change = self._changes.popleft()
                try:
                    await self.record_changed(change.record_id, created=change.created)
                except anyio.get_cancelled_exc_class():
                    # This request is given up; the next one tells it.
                    self._changes.appendleft(change)
                    raise

    async def record_changed(self, record_id: str, *, created: bool) -> None:
        """Tell every client that listens; one that has gone is passed over.

        Args:
            record_id: The record that was written.
            created: It is new, so the list of resources changed as well.
        """
        uris = (record_uri(record_id), CATALOG_URI, STATUS_URI)
        for uri in uris:
            await self.bus.publish(ResourceUpdated(uri))
        if created:
            await self.bus.publish(ResourcesListChanged())
        for connection, subscribed in list(self._subscribed.items()):
            for uri in uris:
                if uri in subscribed:
                    await connection.send_resource_updated(uri)
            if created:
                await connection.send_resource_list_changed()

    def _uris(self, session: ServerSession) -> set[str]:
        """Return what the session's connection subscribed to; a throw-away set if modern."""
        if session.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return set()
        # Private, for want of another way: the SDK makes a session for each request, and
        # only the connection behind it says which of them are the same client.
        return self._subscribed.setdefault(session._connection, set())


def _known(uri: str) -> str | None:
    """The address in the form in which notices name it; None when it is none of ours."""
    if uri in (CATALOG_URI, STATUS_URI):
        return uri
    record_id = record_id_of(uri)
    return None if record_id is None else record_uri(record_id)
