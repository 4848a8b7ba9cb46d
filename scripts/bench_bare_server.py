"""The least server that the SDK allows: one tool that answers what it was asked.

What it costs to start and to call is the floor for any server built on the same SDK.
"""

from typing import Any

import anyio
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

Context = ServerRequestContext[Any, Any]

ECHO = Tool(
    name="echo",
    description="Answers the text that it was given.",
    input_schema={
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
)


async def list_tools(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[ECHO])


async def call_tool(_context: Context, params: CallToolRequestParams) -> CallToolResult:
    text = str((params.arguments or {}).get("text", ""))
    return CallToolResult(content=[TextContent(type="text", text=text)])


async def main() -> None:
    server: Server[Any] = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    options = server.create_initialization_options(NotificationOptions())
    async with stdio_server() as (from_client, to_client):
        await server.run(from_client, to_client, options)


if __name__ == "__main__":
    anyio.run(main)
