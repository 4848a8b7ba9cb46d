"""Long bodies, a page at a time; the pages joined are exactly the body."""

import base64
import binascii
import unicodedata

from memex_mcp.errors import Invalid
from memex_mcp.model.ids import is_id
from memex_mcp.text import lazily, tokens

_CURSOR = lazily.pattern(r"([0-9A-Z]{26})\.([0-9a-f]{16})\.([0-9]{1,12})")
_SHA_CHARACTERS = 16
# Nobody writes a letter with more marks; beyond that a cut inside one is allowed.
_LONGEST_CLUSTER = 32
# Better places to cut than anywhere: paragraph, line, sentence, word; best first.
_BREAKS = (
    lazily.pattern(r"\n[ \t\r]*\n"),
    lazily.pattern(r"\n"),
    lazily.pattern(r"[.!?;:]\s|[。！？；…]"),
    lazily.pattern(r"[ \t\u3000]|[，、,]"),
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
    match = _CURSOR.fullmatch(decoded(text))
    if match is None or not is_id(match[1]):
        raise Invalid("cursor is not one of ours", "Use next_cursor of an earlier answer as it is.")
    return match[1], match[2], int(match[3])


def decoded(text: str) -> str:
    """What an opaque cursor holds; empty when it is none."""
    try:
        raw = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True)
        return raw.decode("ascii")
    except (binascii.Error, UnicodeError):
        return ""


def page(body: str, offset: int, max_tokens: int) -> tuple[str, int | None]:
    """Cut one page out of a body.

    Returns:
        The page, at most ``max_tokens`` long unless its first character alone is longer, and
        where the next one begins; None on the last page.
    """
    stop = offset + len(tokens.clip(body[offset : offset + _most(max_tokens)], max_tokens))
    stop = border_before(body, stop, offset)
    if stop <= offset < len(body):
        stop = border_after(body, offset + 1)
    return body[offset:stop], stop if stop < len(body) else None


def _most(max_tokens: int) -> int:
    """Characters that a page may have however little they cost."""
    return max(max_tokens, 1) * 16


def border_before(text: str, stop: int, start: int) -> int:
    """The best place to cut at or before ``stop``: between paragraphs, lines, words.

    Searches the last quarter of ``text[start:stop]``; with no such place there, the cut
    falls between two whole characters.
    """
    if stop >= len(text):
        return len(text)
    least = max(start + 1, stop - (stop - start) // 4)
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(text, least, stop)]
        if ends and is_border(text, ends[-1]):
            return ends[-1]
    border = safe_border(text, stop)
    return border if border > start else stop


def safe_border(text: str, at: int) -> int:
    """The last place at or before ``at`` that is between two whole characters."""
    low = max(0, at - _LONGEST_CLUSTER)
    return next((place for place in range(at, low, -1) if is_border(text, place)), low)


def border_after(text: str, start: int) -> int:
    """The first place at or after ``start`` that is between two whole characters."""
    end = min(len(text), start + _LONGEST_CLUSTER)
    return next((at for at in range(start, end) if is_border(text, at)), end)


def is_border(text: str, at: int) -> bool:
    """Whether a cut at this place leaves both sides whole.

    Never between a letter and its marks, the halves of a surrogate pair, the parts of a
    joined emoji or of a flag, or a carriage return and its line feed.
    """
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if after < "\u0300":
        return not (before == "\r" and after == "\n") and before != "\u200d"
    joined = before == "\u200d" or after in "\u200c\u200d"
    marked = unicodedata.category(after)[0] == "M" or "\U0001f3fb" <= after <= "\U0001f3ff"
    halves = "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
    return not (joined or marked or halves or _splits_flag(text, at))


def _splits_flag(text: str, at: int) -> bool:
    run = at
    while run > 0 and at - run <= _LONGEST_CLUSTER and _is_regional(text[run - 1]):
        run -= 1
    return _is_regional(text[at]) and (at - run) % 2 == 1


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
