"""Text for a terminal: what it must not obey, how wide a character is, where a line may break."""

import unicodedata
from collections.abc import Iterator

_JOINERS = "\u200c\u200d"
_CLOSING = frozenset("，。、；：？！）」』》】〉”’…,.;:?!)]}%")
_OPENING = frozenset("（「『《【〈“‘([{")


def steers(character: str) -> bool:
    """Whether a terminal may obey a character instead of showing it.

    Controls, line separators, invisible format characters and lone surrogates do; the
    joiners that Persian and emoji are spelled with do not.
    """
    if character.isprintable() or character in _JOINERS:
        return False
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def safe(text: str) -> str:
    r"""Text that cannot steer the terminal: what would is spelled out, such as ``\x1b``.

    Line feeds and tabs stay; a carriage return before a line feed goes.
    """
    text = text.replace("\r\n", "\n")
    if text.isprintable():
        return text
    return "".join(
        _spelled(character) if character not in "\n\t" and steers(character) else character
        for character in text
    )


def json_safe(text: str) -> str:
    r"""JSON that cannot steer the terminal and means the same: what would becomes ``\u009b``."""
    return "".join(
        _json_spelled(character) if character != "\n" and steers(character) else character
        for character in text
    )


def one_line(text: str) -> str:
    """The same on one line, safe to print."""
    return safe(" ".join(text.split()))


def columns(text: str) -> int:
    """Cells that a text takes on a terminal: two for a Chinese character, none for an accent."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def padded(text: str, room: int) -> str:
    """The text with spaces after it, ``room`` cells wide."""
    return text + " " * (room - columns(text))


def wrap(text: str, room: int) -> list[str]:
    """Lines of at most ``room`` cells; nothing but spaces at their ends is lost.

    A line breaks at spaces and between Chinese characters, elsewhere only if it must.
    What follows a break is indented like the line it belongs to.
    """
    lines: list[str] = []
    for line in text.expandtabs(4).split("\n"):
        if columns(line) <= room:
            lines.append(line)
        else:
            lines += _broken(line, room)
    return lines


def _broken(line: str, room: int) -> Iterator[str]:
    indent = " " * min(len(line) - len(line.lstrip(" ")), room // 2)
    current = ""
    for piece in _pieces(line):
        if current.strip(" ") and columns(current) + columns(piece) > room:
            yield current.rstrip(" ")
            current = indent
            if not piece.strip(" "):
                continue
        current += piece
        while columns(current) > room:
            cut = _fitting(current, room)
            yield current[:cut]
            current = indent + current[cut:]
    yield current.rstrip(" ")


def _pieces(line: str) -> Iterator[str]:
    """What has to stay together, in order; a run of spaces is a piece of its own."""
    start = 0
    for at in range(1, len(line)):
        if _may_break(line[at - 1], line[at]):
            yield line[start:at]
            start = at
    yield line[start:]


def _may_break(before: str, after: str) -> bool:
    if " " in (before, after):
        return before != after
    if after in _CLOSING or before in _OPENING or _cells(after) == 0 or before in _JOINERS:
        return False
    return _cells(before) == 2 or _cells(after) == 2


def _fitting(text: str, room: int) -> int:
    """How many characters fit into ``room`` cells, at least one."""
    used = 0
    for at, character in enumerate(text):
        used += _cells(character)
        if used > room:
            return max(1, at)
    return len(text)


def _cells(character: str) -> int:
    if character.isascii():
        return 1
    if character in _JOINERS or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _spelled(character: str) -> str:
    return ascii(character)[1:-1]


def _json_spelled(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
