"""String literals of a JSON text, rewritten one by one; everything between them stays as it is."""

import json
import re
from collections.abc import Callable

from memex_mcp.text import lazily

_LITERAL = lazily.pattern(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_DEEP = 4
# No JSON text has this character in it.
_EMPTY = '"\0"'


def rewrite(text: str, change: Callable[[str], str], *, escaped: bool = False) -> str:
    """Pass what each string literal says through ``change``.

    A literal that says the same afterwards keeps its spelling.  One whose text is JSON itself,
    such as the arguments of a tool call, is gone through first.

    Args:
        text: One JSON value; in anything else, what stands between quotation marks counts.
        change: Gets the text of a literal, gives the text to put there.
        escaped: Leave literals alone that are spelled as they are said.
    """
    return _rewritten(text, change, escaped, _DEEP)


def _rewritten(text: str, change: Callable[[str], str], escaped: bool, depth: int) -> str:
    def replaced(match: re.Match[str]) -> str:
        literal = match[0]
        if escaped and "\\" not in literal:
            return literal
        try:
            said: str = json.loads(literal)
        except ValueError:
            return literal
        inner = said
        if depth and said[:1] in ("{", "[") and '"' in said:
            inner = _rewritten(said, change, escaped, depth - 1)
        inner = change(inner)
        return literal if inner == said else compact(inner)

    return _LITERAL.sub(replaced, text)


def set_aside(text: str) -> tuple[str, list[str]]:
    """The text with an empty word for each literal that has an escape in it, and these literals.

    What is left reads as it is said; :func:`put_back` is the inverse.
    """
    literals: list[str] = []

    def taken(match: re.Match[str]) -> str:
        if "\\" not in match[0]:
            return match[0]
        literals.append(match[0])
        return _EMPTY

    return _LITERAL.sub(taken, text), literals


def put_back(text: str, literals: list[str]) -> str:
    """The text with its literals in their places again."""
    left = iter(literals)
    return "".join(
        piece if number == 0 else next(left) + piece
        for number, piece in enumerate(text.split(_EMPTY))
    )


def compact(value: object) -> str:
    """A value as JSON without blanks, in letters of its own script where they can be stored."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        plain.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return plain


def is_json(text: str) -> bool:
    """Whether a text is one JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
