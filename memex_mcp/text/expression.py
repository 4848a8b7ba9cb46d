r"""Regular expressions as programs, for an engine of our own.

Understood are ``. [] | () (?:) ^ $ * + ? {m,n}`` and ``\d \w \s \b`` with their opposites, as
Python does; lazy and greedy are the same, as only where a match begins is told.  Not understood
are references to groups and looks ahead or behind.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from memex_mcp.errors import Invalid

MOST_STEPS = 500
"""Longest program; a repetition of many is written out."""

_DEEPEST = 20
_HINT = "Use . [] | () ^ $ * + ? {m,n} and \\d \\w \\s \\b, or leave regex out."
_ASSERTIONS = {
    "^": "start",
    "$": "end",
    "\\A": "start",
    "\\Z": "end",
    "\\b": "edge",
    "\\B": "inside",
}
_CLASSES = "dDwWsS"
_CONTROLS = {"t": "\t", "f": "\f", "v": "\v", "a": "\a", "r": "\r", "n": "\n"}
_NAMED = re.compile(r"P<\w{1,50}>")
_COUNT = re.compile(r"\{(\d{1,3})?(,)?(\d{1,3})?\}")


class Step(NamedTuple):
    """One step of a program.

    Attributes:
        what: ``char``, ``split``, ``jump``, ``match`` or the name of an assertion.
        to: How far it leads, in steps; of a split two ways.
        atom: What a character has to be.
    """

    what: str
    to: tuple[int, ...] = (1,)
    atom: "re.Pattern[str] | None" = None


Program = list[Step]


def read(source: str, *, ignore_case: bool) -> tuple[Program, str]:
    """The program of a pattern, and a text that every match holds as it stands, if any.

    Raises:
        Invalid: It is no pattern, needs what is not understood, or becomes too long.
    """
    reader = _Reader(source, re.IGNORECASE if ignore_case else re.NOFLAG)
    program = [*reader.program(), Step("match")]
    return program, "" if ignore_case else max(reader.runs, key=len, default="")


class _Reader:
    """Reads a pattern once from left to right.

    Attributes:
        runs: Characters in a row that every match holds.
    """

    def __init__(self, source: str, flags: re.RegexFlag) -> None:
        self._source = source
        self._flags = flags
        self._at = 0
        self._depth = 0
        self.runs: list[str] = [""]

    def program(self) -> Program:
        """The whole pattern."""
        read = self._choice()
        if self._at < len(self._source):
            raise _wrong("a bracket too many")
        return read

    def _choice(self) -> Program:
        read = self._sequence()
        while self._took("|"):
            if self._depth == 0:
                self.runs = []
            other = self._sequence()
            read = _sized(
                [
                    Step("split", (1, len(read) + 2)),
                    *read,
                    Step("jump", (len(other) + 1,)),
                    *other,
                ]
            )
            if self._depth == 0:
                self.runs = []
        return read

    def _sequence(self) -> Program:
        read: Program = []
        while self._at < len(self._source) and self._source[self._at] not in "|)":
            began = self._at
            atom = self._atom()
            alone = self._source[began : self._at]
            repeated, grown = self._repeated(atom)
            self._note(alone, atom, repeated=grown)
            read = _sized(read + repeated)
        return read

    def _note(self, source: str, atom: Program, *, repeated: bool) -> None:
        """Keep what every match holds as it stands."""
        if self._depth:
            return
        plain = len(atom) == 1 and atom[0].what == "char" and source[0] not in ".[("
        if (
            plain
            and not repeated
            and source[-1:]
            and not (source[0] == "\\" and source[1].isalnum())
        ):
            self.runs.append(self.runs.pop() + source[-1] if self.runs else source[-1])
        else:
            self.runs.append("")

    def _atom(self) -> Program:
        character = self._source[self._at]
        self._at += 1
        if character == "(":
            return self._group()
        if character == "[":
            return self._char(self._set())
        if character == "\\":
            return self._escaped()
        if character in "^$":
            return [Step(_ASSERTIONS[character])]
        if character in "*+?":
            raise _wrong(f"nothing to repeat before {character}")
        return self._char(character if character == "." else re.escape(character))

    def _char(self, source: str) -> Program:
        return [Step("char", (1,), _compiled(source, self._flags))]

    def _group(self) -> Program:
        if self._took("?") and not self._took(":"):
            named = _NAMED.match(self._source, self._at)
            if named is None:
                raise _wrong("a group of a kind that is not understood")
            self._at = named.end()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _wrong("groups too deep")
        read = self._choice()
        if not self._took(")"):
            raise _wrong("a bracket that is not closed")
        self._depth -= 1
        return read

    def _escaped(self) -> Program:
        if self._at >= len(self._source):
            raise _wrong("a backslash at the end")
        character = self._source[self._at]
        self._at += 1
        if (named := f"\\{character}") in _ASSERTIONS:
            return [Step(_ASSERTIONS[named])]
        if character in _CLASSES:
            return self._char(named)
        if character in _CONTROLS:
            return self._char(re.escape(_CONTROLS[character]))
        if character.isascii() and character.isalnum():
            raise _wrong(f"\\{character}")
        return self._char(re.escape(character))

    def _set(self) -> str:
        """The source of a set, with what Python warns of made plain."""
        parts = ["["]
        parts += ["^"] if self._took("^") else []
        parts += ["\\]"] if self._took("]") else []
        while not self._took("]"):
            if self._at >= len(self._source):
                raise _wrong("a set that is not closed")
            character = self._source[self._at]
            self._at += 1
            if character == "\\":
                parts.append(self._escaped_in_set())
            elif character == "-" and self._source.startswith("-", self._at):
                raise _wrong("-- in a set")
            else:
                parts.append(f"\\{character}" if character in "[&~|" else character)
        return "".join([*parts, "]"])

    def _escaped_in_set(self) -> str:
        character = self._source[self._at : self._at + 1]
        self._at += 1
        if character.isascii() and character.isalnum() and character not in _CLASSES:
            if character not in _CONTROLS:
                raise _wrong(f"\\{character}")
            return re.escape(_CONTROLS[character])
        return f"\\{character}"

    def _repeated(self, atom: Program) -> tuple[Program, bool]:
        """The atom as often as the pattern says; and whether it says anything."""
        bounds = self._bounds()
        if bounds is None:
            return atom, False
        least, most = bounds
        if self._at < len(self._source) and self._source[self._at] in "*+{":
            raise _wrong("two repetitions in a row")
        if (least + (most or 1)) * (len(atom) + 2) > 2 * MOST_STEPS:
            raise _wrong("a repetition of too many")
        read = atom * least
        if most is None:
            loop = [Step("split", (1, len(atom) + 2)), *atom, Step("jump", (-len(atom) - 1,))]
            return read + loop, True
        rest: Program = []
        for _ in range(most - least):
            rest = [Step("split", (1, len(atom) + len(rest) + 1)), *atom, *rest]
        return read + rest, True

    def _bounds(self) -> tuple[int, int | None] | None:
        """How often at least and at most, None for any number; None when once is meant."""
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._took(sign):
                self._took("?")
                return bounds
        counted = _COUNT.match(self._source, self._at)
        if counted is None or not (counted[1] or counted[3]):
            return None
        self._at = counted.end()
        self._took("?")
        least = int(counted[1] or 0)
        most = int(counted[3]) if counted[3] else None if counted[2] else least
        if most is not None and most < least:
            raise _wrong("a repetition of less than nothing")
        return least, most

    def _took(self, character: str) -> bool:
        found = self._source.startswith(character, self._at)
        self._at += found
        return found


def _sized(program: Program) -> Program:
    if len(program) > MOST_STEPS:
        raise _wrong("a pattern that is too long")
    return program


@lru_cache(512)
def _compiled(source: str, flags: re.RegexFlag) -> "re.Pattern[str]":
    try:
        return re.compile(source, flags)
    except re.error as error:
        raise _wrong(f"{error.msg}") from error


def _wrong(what: str) -> Invalid:
    return Invalid(f"pattern: {what}", _HINT)
