"""The hashed form of a value, and where a refusal of it binds."""

import hashlib
from functools import lru_cache

from memex_mcp.model.record import GLOBAL_OWNER
from memex_mcp.text.fold import value_text


@lru_cache(maxsize=32)
def value_key(owner: str, text: str) -> str:
    """SHA-256 of a text in its normal form within one scope owner.

    Two texts share a key when they differ only in case, width, white space, invisible or
    look-alike characters.

    Returns:
        64 hexadecimal characters.
    """
    # A line feed cannot occur in the normal form, so owner and text never run together.
    value = f"{owner}\n{value_text(text)}"
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def watched_owners(owner: str) -> tuple[str, ...]:
    """Owners whose tombstones bind a write into ``owner``: itself, then what encloses it."""
    if owner == GLOBAL_OWNER:
        return (GLOBAL_OWNER,)
    level, _, rest = owner.partition(":")
    if level == "s":
        workspace = rest.partition(":")[0]
        return (owner, f"w:{workspace}", GLOBAL_OWNER)
    return (owner, GLOBAL_OWNER)
