"""JSON-RPC messages and the lines that carry them, forgiving in and exact out."""

import json
import re

from mcp.types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


class Refused(Exception):
    """A line that the server must not see.

    Attributes:
        answer: What the client is told; None when it is owed nothing.
    """

    def __init__(self, answer: JSONRPCError | None) -> None:
        super().__init__()
        self.answer = answer


def decode(line: bytes) -> JSONRPCMessage:
    """Read one message; what is not UTF-8 or not a character becomes U+FFFD.

    Raises:
        Refused: It is no JSON, or no message.
    """
    text = _mend(line.decode("utf-8", errors="replace").removeprefix("\ufeff"))
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        raise _refusal(text) from error
    if isinstance(message, JSONRPCNotification) and _asks(message, text):
        raise _refusal(text)
    return message


def _asks(message: JSONRPCNotification, text: str) -> bool:
    """Whether this is a request whose impossible id the SDK dropped, with the answer."""
    return not message.method.startswith("notifications/") and "id" in json.loads(text)


def _refusal(text: str) -> Refused:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        error = ErrorData(code=PARSE_ERROR, message="Parse error: this line is not JSON")
        return Refused(JSONRPCError(jsonrpc="2.0", id=None, error=error))
    request_id = None
    if isinstance(value, dict):
        if "method" not in value and ("result" in value or "error" in value):
            return Refused(None)  # A malformed answer; answers are not answered.
        given = value.get("id")
        request_id = given if isinstance(given, str | int) and not isinstance(given, bool) else None
    error = ErrorData(code=INVALID_REQUEST, message="Invalid request: not one JSON-RPC 2.0 request")
    return Refused(JSONRPCError(jsonrpc="2.0", id=request_id, error=error))


def encode(message: JSONRPCMessage) -> bytes:
    """Write one message as a line of UTF-8; lone surrogates become U+FFFD."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:
        text = _escaped(message)
    # Some readers take these two for the end of a line.
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return text.encode("utf-8") + b"\n"


def _escaped(message: JSONRPCMessage) -> str:
    try:
        return _mend(json.dumps(message.model_dump(mode="json", by_alias=True, exclude_unset=True)))
    except (ValueError, TypeError, RecursionError):
        failure = ErrorData(code=INTERNAL_ERROR, message="The answer cannot be written as JSON")
        request_id = None if isinstance(message, JSONRPCNotification) else message.id
        return JSONRPCError(jsonrpc="2.0", id=request_id, error=failure).model_dump_json()


def _mend(text: str) -> str:
    """Replace escaped lone surrogates; every other escape, pairs too, stays."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPE.sub(lambda found: "\\ufffd" if found["lone"] else found[0], text)
