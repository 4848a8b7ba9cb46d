"""The command line and the standard input of a hook, whatever is in them."""

import json
import os
from collections.abc import Sequence
from typing import cast

from memex_mcp.capture.events import Payload
from memex_mcp.values import dataclass

SECONDS = 1.9
"""How long a hook may take; the two seconds that clients are promised begin a little earlier."""

_BYTES = 16 * 1024 * 1024
_MOST_SECONDS = 60.0
_AT_ONCE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says.

    Attributes:
        event: Name of the event, in any spelling; empty when none is given.
        client: Name of the client; empty when the payload has to tell.
        root: The store folder; None for the usual one.
        timeout: Seconds after which the hook ends, done or not.
    """

    event: str = ""
    client: str = ""
    root: str | None = None
    timeout: float = SECONDS


def asked(given: Sequence[str]) -> Asked:
    """Read the command line.

    A client that is told something wrong cannot do anything about it, and some take a failure
    for a reason to stop the user.  So what is not understood is passed over.
    """
    options: dict[str, str] = {}
    words: list[str] = []
    rest = iter(given)
    for word in rest:
        if not word.startswith("-"):
            words.append(word)
            continue
        option, sign, value = word.partition("=")
        if option in ("--client", "--root", "--timeout"):
            options[option] = value if sign else next(rest, "")
    try:
        timeout = min(max(float(options.get("--timeout", SECONDS)), 0.1), _MOST_SECONDS)
    except ValueError:
        timeout = SECONDS
    return Asked(
        event=words[0] if words else "",
        client=options.get("--client", ""),
        root=options.get("--root") or None,
        timeout=timeout,
    )


def received(descriptor: int) -> bytes:
    """Everything that a client sends; nothing when that is more than any payload.

    It is read to its end even so: a client whose pipe breaks may take that for its own failure.
    """
    parts: list[bytes] = []
    size = 0
    while part := os.read(descriptor, _AT_ONCE):
        size += len(part)
        if size <= _BYTES:
            parts.append(part)
    return b"".join(parts) if size <= _BYTES else b""


def parsed(data: bytes) -> Payload:
    """The JSON object in it, in whichever encoding of Unicode; an empty one when it has none."""
    try:
        value = json.loads(data.decode(json.detect_encoding(data), "replace"))
    except (ValueError, RecursionError):
        return {}
    return cast("Payload", value) if isinstance(value, dict) else {}
