"""Patterns that are compiled when they are first used.

To compile one takes a tenth of a millisecond, and several where it names a whole script; a
process that lives for a tenth of a second uses few of those that it loads.
"""

import re
from typing import Any, AnyStr, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _Pattern:
    """Becomes, with its first use, as quick as what it stands for."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> object:
        made = re.compile(*self._given)
        self.__dict__.update({each: getattr(made, each) for each in _METHODS})
        return getattr(made, name)


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern that costs nothing until it is used; its methods only, not ``re.sub`` with it."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))
