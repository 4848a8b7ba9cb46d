"""Words of a question that were probably meant as filters, so that the answer can say so."""

from memex_mcp.retrieval.language import KEYS
from memex_mcp.text import lazily
from memex_mcp.text.fold import is_blank

_ALIKE = 0.8
# What follows the colon of a link, a drive or a name of C++ is no value.
_SAID = lazily.pattern(r"(?:(?<=\s)|^)([A-Za-z]{2,8})[:：](?![:：/\\\s])(\S{1,60})")


def near_miss(text: str) -> str | None:
    """Say which word was read as text though it looks like a filter; None when none does.

    Args:
        text: A question whose filters have been taken out.
    """
    if is_blank(text):
        return None
    said_so = _SAID.findall(text)
    if not said_so:
        return None
    # Hooks search too, and have no time for what few questions need.
    from difflib import get_close_matches

    for key, value in said_so:
        said = f"{key}:{value}"
        known = get_close_matches(key.lower(), KEYS, n=1, cutoff=_ALIKE)
        if not known:
            continue
        if known[0] == key.lower():
            return f"{said} was read as text: {key.lower()}: takes no such value."
        return f"{said} was read as text; for a filter write {known[0]}:{value}."
    return None
