"""Patterns that are compiled when they are first used.

One that names a whole script takes milliseconds to compile, and a process that lives for a
tenth of a second meets few scripts.
"""

import re
from typing import cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _Pattern:
    """Becomes, with its first use, as quick as what it stands for."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> object:
        made = re.compile(*self._given)
        self.__dict__.update({each: getattr(made, each) for each in _METHODS})
        return getattr(made, name)


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that costs nothing until it is used; its methods only, not ``re.sub`` with it."""
    return cast("re.Pattern[str]", _Pattern(text, flags))
