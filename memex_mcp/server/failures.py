"""Every failure leaves the server through here, saying only what the agent can use."""

import logging
import traceback

from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from memex_mcp.errors import Invalid, MemexError, NotFound

log = logging.getLogger(__name__)

_BUG = {"code": "bug", "message": "the server failed", "hint": "This is not your fault."}


def told(error: MemexError, *, structured: bool) -> CallToolResult:
    """The tool error that states code, message and hint."""
    body = {"code": error.code, "message": str(error), "hint": error.hint}
    return CallToolResult(
        content=[TextContent(type="text", text=error.told())],
        structured_content={"error": body} if structured else None,
        is_error=True,
    )


def bug(error: BaseException, *, structured: bool) -> CallToolResult:
    """The tool error for what should never happen."""
    note(error)
    return CallToolResult(
        content=[TextContent(type="text", text="bug: the server failed. This is not your fault.")],
        structured_content={"error": _BUG} if structured else None,
        is_error=True,
    )


def protocol(error: Exception) -> MCPError:
    """The protocol error for a request that is no tool call and failed."""
    if isinstance(error, MemexError):
        missing = isinstance(error, NotFound | Invalid)
        return MCPError(INVALID_PARAMS if missing else INTERNAL_ERROR, error.told())
    note(error)
    return MCPError(INTERNAL_ERROR, "the server failed")


def note(error: BaseException) -> None:
    """Log where a bug struck.

    The message of an unexpected exception may hold a path or a memory, so it goes nowhere.
    """
    places = "; ".join(
        f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-6:]
    )
    log.error("bug: %s at %s", type(error).__name__, places)
