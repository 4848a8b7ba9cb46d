"""A block of ours in a text file of somebody else's, between two marks.

The first mark names the clients for which the block stands there.  Putting a block in and taking
it out again gives back the file byte for byte.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memex_adapters.errors import Unclear

BEGIN = "<!-- memex:begin -->"
END = "<!-- memex:end -->"
_BEGIN = re.compile(r"<!-- memex:begin((?: [a-z]+)*) -->")
_END = re.compile(re.escape(END))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A block that a text holds.

    Attributes:
        clients: Those that its first mark names, in that order; none when somebody wrote the
            mark by hand.
        body: What stands between the marks.
    """

    clients: tuple[str, ...]
    body: str


def find(text: str) -> Found | None:
    """The block, ``None`` when there are no marks.

    Raises:
        Unclear: A mark is missing, doubled or out of order.
    """
    span = _span(text)
    if span is None:
        return None
    begin, _, inner = text[span[0] : span[1] - len(END)].partition("-->")
    body = inner.replace("\r\n", "\n").strip("\n")
    return Found(clients=tuple(begin.split()[2:]), body=body)


def put(text: str, body: str, clients: Sequence[str]) -> str:
    """The text with the block last, or with a new body where the block already is.

    Raises:
        Unclear: As :func:`find`; also when the body itself holds a mark.
    """
    if _lines(body, _BEGIN) or _lines(body, _END):
        raise Unclear("the manual holds a mark of its own block")
    eol = newline(text)
    begin = " ".join(["<!-- memex:begin", *clients, "-->"])
    block = eol.join([begin, *body.strip("\n").splitlines(), END])
    span = _span(text)
    if span is not None:
        return text[: span[0]] + block + text[span[1] :]
    if text in ("", "\ufeff"):
        return text + block + eol
    # The newline after the block says whether the text had one at its end.
    return text + eol + block + eol if text.endswith("\n") else text + eol + eol + block


def drop(text: str) -> str:
    """The text without the block; one that has none stays as it is.

    Raises:
        Unclear: As :func:`find`.
    """
    span = _span(text)
    if span is None:
        return text
    before, after = text[: span[0]], text[span[1] :]
    if not after:
        return _less_newline(_less_newline(before))
    return _less_newline(before) + after[2 if after.startswith("\r\n") else 1 :]


def newline(text: str) -> str:
    """How the lines of a text end: as its first one does."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _less_newline(text: str) -> str:
    if text.endswith("\r\n"):
        return text[:-2]
    return text.removesuffix("\n")


def _span(text: str) -> tuple[int, int] | None:
    begins, ends = _lines(text, _BEGIN), _lines(text, _END)
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        raise Unclear(
            "the marks of our block are incomplete or doubled",
            f"Leave one line {BEGIN} and one line {END} after it, or neither.",
        )
    return begins[0], ends[0] + len(END)


def _lines(text: str, mark: re.Pattern[str]) -> list[int]:
    """Where lines start that are nothing but the mark."""
    found, at = [], 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        content = bare.removeprefix("\ufeff")
        if mark.fullmatch(content):
            found.append(at + len(bare) - len(content))
        at += len(line)
    return found
