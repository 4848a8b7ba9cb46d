"""The product's own server with a client in the same process, and a few words for both."""

from pathlib import Path
from typing import Any

from mcp import Client
from mcp.types import CallToolResult, Implementation, TextContent

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Kind, Surface
from memex_mcp.model.record import Draft
from memex_mcp.server.app import build
from memex_mcp.server.options import Options

ERAS = ("legacy", "auto")
"""How a client opens: with the handshake of the earlier era, or with the later one's probe."""

_CLIENT = {"list_roots_callback", "message_handler", "read_timeout_seconds"}

PORT = "The staging database listens on port 5433."
NEW_PORT = "The staging database listens on port 6543 since the pooler moved."
BRANCH = "The release branch is cut on Thursdays."


def connect(
    memory: Memory,
    workspace: Path | None,
    mode: str = "auto",
    *,
    name: str = "agent-a",
    **over: Any,
) -> Client:
    """A client that is to be opened with ``async with`` in the test itself.

    Args:
        memory: What the server serves.
        workspace: None leaves it to the client's evidence.
        mode: One of ``ERAS``.
        name: What the client calls itself.
        over: Options of the server or callbacks of the client, by name.
    """
    given = {name: over.pop(name) for name in _CLIENT & over.keys()}
    options = Options(workspace=None if workspace is None else str(workspace), **over)
    client_info = Implementation(name=name, version="1")
    return Client(build(memory, options), mode=mode, client_info=client_info, **given)


def said(result: CallToolResult) -> str:
    """The text of an answer, which is its only block."""
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


def structure(result: CallToolResult) -> dict[str, Any]:
    """The structured form of an answer that is no error."""
    assert not result.is_error, said(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def call(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """Call a tool of a server that answers in structures."""
    return structure(await client.call_tool(tool, arguments))


async def write(client: Client, text: str, **arguments: object) -> str:
    """Write a note through a structured server; returns its id."""
    written = await call(client, "memory_write", text=text, **arguments)
    return str(written["id"])


async def found(client: Client, query: str, **arguments: object) -> list[str]:
    """Ids that a structured server finds, best first."""
    answer = await call(client, "memory_search", query=query, **arguments)
    return [hit["id"] for hit in answer["hits"]]


async def error(client: Client, tool: str, **arguments: object) -> dict[str, str]:
    """The error that a structured server answers with."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, said(result)
    assert isinstance(result.structured_content, dict)
    told: dict[str, str] = result.structured_content["error"]
    return told


def capture(memory: Memory, agent: Caller, text: str, **over: Any) -> str:
    """Archive a span, as capture does; returns its id."""
    hook = Caller(
        surface=Surface.HOOK,
        client=agent.client,
        workspace=agent.workspace,
        session_id=agent.session_id,
        writes_as=Author.DERIVED,
    )
    return memory.write(Draft(text=text, kind=Kind.SPAN, **over), hook).id
