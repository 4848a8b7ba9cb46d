"""What is read of a question that is as long as a file."""

from memex_mcp.text import lazily
from memex_mcp.text.names import LONGEST

CHARACTERS = 6_000
"""Characters that are read."""

_BETWEEN = lazily.pattern(r"[\s，。！？；：、…（）()「」『』“”\"',;!?]+")


def condensed(text: str) -> str:
    """The text itself, or of a very long one its distinct words, names and long words first."""
    if len(text) <= CHARACTERS:
        return text
    distinct = list(dict.fromkeys(_BETWEEN.split(text)))
    distinct.sort(key=lambda word: (not _looks_like_name(word), -len(word)))
    kept: list[str] = []
    room = CHARACTERS
    for word in distinct:
        room -= min(len(word), LONGEST) + 1
        if room < 0:
            break
        kept.append(word[:LONGEST])
    return " ".join(kept)


def _looks_like_name(word: str) -> bool:
    return len(word) <= LONGEST and word.isascii() and not word.isalpha()
