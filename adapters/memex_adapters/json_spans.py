"""Reads JSON, with or without comments, and keeps where in the text each value stands."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from memex_adapters.errors import Unclear

Dialect = Literal["json", "comments", "jsonc"]
"""``json`` is strict, ``comments`` allows comments, ``jsonc`` trailing commas as well."""

_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null", re.ASCII)
_DECODER = json.JSONDecoder()
_DEEPEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One entry of an object or element of an array.

    Attributes:
        key: Its name; ``None`` in an array.
        start: Where its key, or in an array its value, begins.
        comma: Where the comma after it stands; -1 when there is none.
    """

    key: str | None
    start: int
    value: "Value"
    comma: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value and where it stands in the text."""

    kind: Literal["object", "array", "scalar"]
    start: int
    stop: int
    members: tuple[Member, ...] = ()
    scalar: object = None

    def plain(self) -> Any:  # whatever JSON can hold
        """The value itself; of a key that stands twice the last one counts."""
        if self.kind == "object":
            return {member.key: member.value.plain() for member in self.members}
        if self.kind == "array":
            return [member.value.plain() for member in self.members]
        return self.scalar


def read(text: str, dialect: Dialect = "json") -> Value:
    """The text's one value; a text that is blank reads as an empty object at its end.

    Raises:
        Unclear: It does not parse, and so must not be changed.
    """
    return _Reader(text, dialect).whole()


class _Reader:
    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._comments = dialect != "json"
        self._trailing = dialect == "jsonc"
        self._at = 1 if text.startswith("\ufeff") else 0

    def whole(self) -> Value:
        self._skip()
        if self._at == len(self._text):
            return Value(kind="object", start=self._at, stop=self._at)
        value = self._value(0)
        self._skip()
        if self._at != len(self._text):
            raise self._wrong()
        return value

    def _value(self, depth: int) -> Value:
        start = self._at
        match self._text[start : start + 1]:
            case "{" | "[" if depth >= _DEEPEST:
                raise Unclear(f"it is nested more than {_DEEPEST} deep")
            case "{":
                members = tuple(self._members("}", depth))
                return Value(kind="object", start=start, stop=self._at, members=members)
            case "[":
                members = tuple(self._members("]", depth))
                return Value(kind="array", start=start, stop=self._at, members=members)
            case '"':
                return Value(kind="scalar", scalar=self._string(), start=start, stop=self._at)
        found = _SCALAR.match(self._text, start)
        if not found:
            raise self._wrong()
        self._at = found.end()
        return Value(kind="scalar", start=start, stop=self._at, scalar=json.loads(found.group()))

    def _members(self, close: str, depth: int) -> Iterator[Member]:
        """The entries up to the closing bracket; the reader then stands behind it."""
        self._at += 1
        comma = 0
        while True:
            self._skip()
            if self._peek() == close and (comma == 0 or self._trailing):
                self._at += 1
                return
            start, key = self._at, None
            if close == "}":
                key = self._key()
            value = self._value(depth + 1)
            self._skip()
            comma = self._at if self._peek() == "," else -1
            yield Member(key=key, start=start, value=value, comma=comma)
            if comma >= 0:
                self._at += 1
            elif self._peek() == close:
                self._at += 1
                return
            else:
                raise self._wrong()

    def _key(self) -> str:
        if self._peek() != '"':
            raise self._wrong()
        key = self._string()
        self._skip()
        if self._peek() != ":":
            raise self._wrong()
        self._at += 1
        self._skip()
        return key

    def _string(self) -> str:
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except json.JSONDecodeError as error:
            raise self._wrong() from error
        return str(value)

    def _skip(self) -> None:
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            comment = _COMMENT.match(self._text, self._at) if self._comments else None
            if not comment:
                return
            self._at = comment.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _wrong(self) -> Unclear:
        line = self._text.count("\n", 0, self._at) + 1
        return Unclear(f"it is not valid JSON at line {line}", "Mend the file, then try again.")
