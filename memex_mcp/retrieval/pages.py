"""Long bodies, a page at a time; the pages joined are exactly the body."""

import base64
import binascii
import re
import unicodedata

from memex_mcp.errors import Invalid
from memex_mcp.model.ids import is_id
from memex_mcp.text import tokens

_CURSOR = re.compile(r"([0-9A-Z]{26})\.([0-9a-f]{16})\.(\d{1,12})")
_SHA_CHARACTERS = 16
# A page of one token may hold a long run of spaces, but not endlessly many.
_CHARACTERS_PER_TOKEN = 12
# Nobody writes a letter with more marks; beyond that a cut inside one is allowed.
_LONGEST_CLUSTER = 32
_JOINERS = "\u200d\u200c\ufe0e\ufe0f\u20e3"
# Better places to cut than anywhere: paragraph, line, sentence, word; best first.
_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?;:]\s|[。！？；…]"),
    re.compile(r"\s|[，、,]"),
)


def cursor(record_id: str, sha256: str, offset: int) -> str:
    """Name the page of one text that begins at ``offset``; opaque, safe in a URL."""
    plain = f"{record_id}.{sha256[:_SHA_CHARACTERS]}.{offset}"
    return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def read_cursor(text: str) -> tuple[str, str, int]:
    """Take a cursor apart.

    Returns:
        Record id, the first 16 characters of the body's SHA-256, offset in characters.

    Raises:
        Invalid: ``text`` never came from :func:`cursor`.
    """
    try:
        raw = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        match = _CURSOR.fullmatch(raw.decode("ascii"))
    except (binascii.Error, UnicodeError):
        match = None
    if match is None or not is_id(match[1]):
        raise Invalid("cursor is not one of ours", "Use next_cursor of an earlier answer as it is.")
    return match[1], match[2], int(match[3])


def page(body: str, offset: int, max_tokens: int) -> tuple[str, int | None]:
    """Cut one page out of a body.

    Returns:
        The page, at most ``max_tokens`` long unless one character alone is longer, and
        where the next one begins; None on the last page.
    """
    most = min(len(body), offset + max(max_tokens, 1) * _CHARACTERS_PER_TOKEN)
    stop = _fitting(body, offset, most, max_tokens)
    if stop >= len(body):
        return body[offset:], None
    stop = max(border_before(body, stop, offset), offset)
    if stop == offset:
        stop = border_after(body, offset + 1)
    return body[offset:stop], stop if stop < len(body) else None


def _fitting(body: str, offset: int, most: int, max_tokens: int) -> int:
    """The greatest end from which on the page would cost too much."""
    low, high = offset, most
    guess = most if most - offset <= max_tokens else offset + max_tokens * 3
    while low < high:
        guess = min(max(guess, low + 1), high)
        counted = tokens.count(body[offset:guess]).tokens
        if counted <= max_tokens:
            low = guess
        else:
            high = guess - 1
        if high - low <= max(8, max_tokens // 50) and low > offset:
            break
        guess = (low + high + 1) // 2
    return low


def border_before(text: str, stop: int, start: int) -> int:
    """The best place to cut at or before ``stop``: between paragraphs, lines, words.

    Searches the last quarter of ``text[start:stop]``; with no such place there, the cut
    falls between two whole characters.
    """
    if stop >= len(text):
        return len(text)
    from_ = max(start + 1, stop - (stop - start) // 4)
    for pattern in _BREAKS:
        found = [match.end() for match in pattern.finditer(text, from_, stop)]
        if found and is_border(text, found[-1]):
            return found[-1]
    for place in range(stop, max(start, stop - _LONGEST_CLUSTER), -1):
        if is_border(text, place):
            return place
    return stop


def border_after(text: str, start: int) -> int:
    """The first place at or after ``start`` that is between two whole characters."""
    for place in range(start, min(len(text), start + _LONGEST_CLUSTER)):
        if is_border(text, place):
            return place
    return min(len(text), start + _LONGEST_CLUSTER)


def is_border(text: str, place: int) -> bool:
    """Whether a cut at ``place`` leaves both sides whole.

    Never between a letter and its marks, the halves of a surrogate pair, the parts of a
    joined emoji or of a flag, or a carriage return and its line feed.
    """
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    joined = after in _JOINERS or before == "\u200d" or unicodedata.combining(after) > 0
    marked = joined or unicodedata.category(after) in ("Mn", "Mc", "Me")
    toned = "\U0001f3fb" <= after <= "\U0001f3ff"
    halves = "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
    return not (marked or toned or halves or _splits_flag(text, place))


def _splits_flag(text: str, place: int) -> bool:
    if not _is_regional(text[place]):
        return False
    run = place
    while run > 0 and place - run < _LONGEST_CLUSTER and _is_regional(text[run - 1]):
        run -= 1
    return (place - run) % 2 == 1


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
