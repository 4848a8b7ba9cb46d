"""Change notices for clients of both protocol eras.

Clients of 2026-07-28 open a stream that the bus feeds; earlier ones hold a connection
that takes notifications, and subscribe to resources one by one.
"""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

if TYPE_CHECKING:
    from mcp.server.connection import Connection

CATALOG_URI = "memory://catalog"


def record_uri(record_id: str) -> str:
    """Name the resource that shows one record."""
    return f"memory://record/{record_id}"


class ChangeNotices:
    """Tells clients of both eras that records changed.

    Attributes:
        bus: Feeds ``subscriptions/listen``; pass it to ``ListenHandler``.
    """

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        # A connection is forgotten with its last reference, so a closed one leaves no trace.
        self._subscribed: WeakKeyDictionary[Connection, set[str]] = WeakKeyDictionary()

    async def introduce(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Remember every earlier-era client that calls; a member of ``Server.middleware``."""
        result = await call_next(ctx)
        if ctx.method not in {"initialize", "ping"}:
            self._uris(ctx.session)
        return result

    def subscribe(self, session: ServerSession, uri: str) -> None:
        """Send this session a notice whenever the resource changes."""
        self._uris(session).add(uri)

    def unsubscribe(self, session: ServerSession, uri: str) -> None:
        """Undo ``subscribe``; a resource that was never subscribed to is no error."""
        self._uris(session).discard(uri)

    async def record_changed(self, record_id: str, *, created: bool) -> None:
        """Tell every client that listens; one that has gone is passed over.

        Args:
            record_id: The record that was written.
            created: It is new, so the list of resources changed as well.
        """
        uris = (record_uri(record_id), CATALOG_URI)
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
