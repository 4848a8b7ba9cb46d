"""Every failure leaves the server through here, saying only what the agent can use."""

import logging
import traceback

from mcp.types import CallToolResult, TextContent

from memex_mcp.errors import MemexError

log = logging.getLogger(__name__)


def told(error: MemexError, *, structured: bool) -> CallToolResult:
    """The tool error that states code, message and hint."""
    body = {"code": error.code, "message": str(error), "hint": error.hint}
    return CallToolResult(
        content=[TextContent(type="text", text=error.told())],
        structured_content={"error": body} if structured else None,
        is_error=True,
    )


def bug(error: BaseException, *, structured: bool) -> CallToolResult:
    """The tool error for what should never happen; the log has the place, nobody the text.

    The message of an unexpected exception may hold a path or a memory, so it goes nowhere.
    """
    places = "; ".join(
        f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-6:]
    )
    log.error("bug: %s at %s", type(error).__name__, places)
    body = {"code": "bug", "message": "the server failed", "hint": "This is not your fault."}
    return CallToolResult(
        content=[TextContent(type="text", text="bug: the server failed. This is not your fault.")],
        structured_content={"error": body} if structured else None,
        is_error=True,
    )
