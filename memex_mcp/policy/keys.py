"""The hashed form of a value, and where a refusal of it binds."""

import hashlib
from functools import lru_cache

from memex_mcp.model.record import GLOBAL_OWNER
from memex_mcp.text import lazily
from memex_mcp.text.fold import simplified, value_text

# What may stand around a statement without being part of it; a question mark is part of it.
_EDGES = " .。．!！;；,，、…\"'“”‘’「」『』*_`#>-–—·•"
_UNSPACED = "\u3400-\u9fff\u3040-\u30ff\uf900-\ufaff"
_GAP = lazily.pattern(rf"(?<=[{_UNSPACED}]) (?=[{_UNSPACED}])")


@lru_cache(maxsize=4)
def value_key(owner: str, text: str) -> str:
    """SHA-256 of a text in its normal form within one scope owner.

    Two texts share a key when they differ only in case, width, white space, invisible or
    look-alike characters, in traditional or simplified writing, or in the punctuation and
    marks around them.

    Returns:
        64 hexadecimal characters.
    """
    # A line feed cannot occur in the normal form, so owner and text never run together.
    value = f"{owner}\n{core(text)}"
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def core(text: str) -> str:
    """What two texts with the same key have in common; where one is said, this is found."""
    bare = plain(text)
    return bare.strip(_EDGES) or bare


def plain(text: str) -> str:
    """A text of any length in the form in which :func:`core` is found in it."""
    known = value_text(text)
    return known if known.isascii() else _GAP.sub("", simplified(known))


def watched_owners(owner: str) -> tuple[str, ...]:
    """Owners whose tombstones bind a write into ``owner``: itself, then what encloses it."""
    if owner == GLOBAL_OWNER:
        return (GLOBAL_OWNER,)
    level, _, rest = owner.partition(":")
    if level == "s":
        workspace = rest.partition(":")[0]
        return (owner, f"w:{workspace}", GLOBAL_OWNER)
    return (owner, GLOBAL_OWNER)
