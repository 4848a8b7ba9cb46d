"""The one text that all manuals are made of, taken apart.

Each language has a file of sections.  A section begins ``## key: Title``; every line below
begins with a mark: ``-`` a statement of every manual, ``+`` one that the server's short
instructions leave out, ``>`` and ``+>`` the same for a line of an example.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "zh")

_HEADING = re.compile(r"## ([a-z]+): (.+)")
_LINE = re.compile(r"(\+?)([->]?) (.+)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a section."""

    text: str
    full: bool = False
    example: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One section: a key for tags, a title for readers, and what it says."""

    key: str
    title: str
    lines: tuple[Line, ...]


@cache
def sections(language: str) -> tuple[Section, ...]:
    """The sections of a language, in their order.

    Raises:
        ValueError: There is no manual in that language, or a line of it has no mark.
    """
    if language not in LANGUAGES:
        raise ValueError(f"there is no manual in {language!r}; there are {', '.join(LANGUAGES)}")
    source = files(__package__).joinpath(f"core.{language}.md").read_text(encoding="utf-8")
    found: list[Section] = []
    for block in source.strip().split("\n\n"):
        heading, *rest = block.split("\n")
        if not (named := _HEADING.fullmatch(heading)):
            raise ValueError(f"no heading of a section: {heading!r}")
        found.append(Section(named[1], named[2], tuple(map(_line, rest))))
    return tuple(found)


def _line(written: str) -> Line:
    marked = _LINE.fullmatch(written)
    if marked is None or not (marked[1] or marked[2]):
        raise ValueError(f"a line without a mark: {written!r}")
    return Line(marked[3], full=bool(marked[1]), example=marked[2] == ">")
