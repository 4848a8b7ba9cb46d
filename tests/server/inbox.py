"""What a client of the earlier era is told of changes."""

from mcp.client.session import IncomingMessage
from mcp.types import ResourceListChangedNotification, ResourceUpdatedNotification


class Inbox:
    """What the client was told, in order: a URI, or that the list changed."""

    LIST = "list"

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def take(self, message: IncomingMessage) -> None:
        match message:
            case ResourceUpdatedNotification(params=params):
                self.seen.append(str(params.uri))
            case ResourceListChangedNotification():
                self.seen.append(self.LIST)
            case _:
                pass
