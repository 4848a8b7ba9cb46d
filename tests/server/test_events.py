"""Change notices, from the client's end, in both protocol eras."""

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent

from memex_mcp.server.events import CATALOG_URI, record_uri
from tests.server.inbox import Inbox
from tests.server.toy_server import Toys, build
from tests.server.wire import DEADLINE, ROOT, TOY

# resources/subscribe is of the earlier era, and the SDK's client says so.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

A, B = f"{1:026}", f"{2:026}"
SERVER = StdioServerParameters(command=TOY[0], args=list(TOY[1:]), cwd=ROOT)


async def touch(client: Client, record_id: str, *, created: bool) -> None:
    # The server sends its notices before it answers the call that caused them.
    await client.call_tool("touches", {"id": record_id, "created": created})


async def test_earlier_client_hears_of_what_it_subscribed_to_and_of_the_list() -> None:
    inbox = Inbox()
    with anyio.fail_after(DEADLINE):
        async with Client(SERVER, mode="legacy", message_handler=inbox.take) as client:
            await touch(client, A, created=True)
            await client.subscribe_resource(record_uri(A))
            await touch(client, A, created=False)
            await touch(client, B, created=False)
            await client.subscribe_resource(CATALOG_URI)
            await touch(client, B, created=False)
            await client.unsubscribe_resource(record_uri(A))
            await touch(client, A, created=False)

    assert inbox.seen == [Inbox.LIST, record_uri(A), CATALOG_URI, CATALOG_URI]


async def test_modern_client_hears_of_what_it_listens_to() -> None:
    heard: list[ServerEvent] = []
    with anyio.fail_after(DEADLINE):
        async with (
            Client(SERVER) as client,
            client.listen(
                resources_list_changed=True, resource_subscriptions=[record_uri(A)]
            ) as subscription,
        ):
            await touch(client, B, created=False)
            await touch(client, A, created=True)
            async for event in subscription:
                heard.append(event)
                if len(heard) == 2:
                    break

    assert heard == [ResourceUpdated(record_uri(A)), ResourcesListChanged()]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_client_that_has_gone_does_not_fail_the_next_change(mode: str) -> None:
    toys, inbox = Toys(), Inbox()
    server = build(toys)
    with anyio.fail_after(DEADLINE):
        async with Client(server, mode=mode) as gone:
            if mode == "legacy":
                await gone.subscribe_resource(record_uri(A))
            await touch(gone, A, created=True)

        async with Client(server, mode="legacy", message_handler=inbox.take) as client:
            await client.subscribe_resource(record_uri(A))
            await toys.notices.record_changed(A, created=True)
            await client.call_tool("echo", {"text": "x"})

    assert inbox.seen == [record_uri(A), Inbox.LIST]
