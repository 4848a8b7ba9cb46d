"""Names that a text mentions and that a person would search for as they stand."""

import re

from memex_mcp.text import lazily

MOST = 12
_LONGEST = 200
_SCANNED = 200_000

# Inner path segments may be in any script; the last one is ASCII or ends in an extension, so
# that the sentence around a path in Chinese text is not taken for part of it.
_INNER = r"[\w.@+~%#=-]{1,100}"
_LAST = r"(?:[\w@+~%=-]{1,100}(?:\.[A-Za-z0-9]{1,10}){1,3}|[A-Za-z0-9_.@+~%=-]{1,100})"
_BEFORE = r"(?<![A-Za-z0-9_./\\~@:-])"
_FOUND = lazily.pattern(
    "|".join(
        [
            r"`(?P<quoted>[^`\n]{2,100})`",
            r"(?<![A-Za-z0-9])(?:(?P<url>(?:https?|ftp|ssh|git|file|postgres(?:ql)?|redis|mysql|mongodb)://"
            r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]{1,200})",
            rf"(?P<windows>{_BEFORE}[A-Za-z]:(?:[\\/]{_INNER}(?=[\\/])){{0,40}}[\\/]{_LAST})",
            rf"(?P<share>{_BEFORE}\\\\{_INNER}(?:\\{_INNER}(?=\\)){{0,40}}\\{_LAST})",
            r"(?P<package>(?<![\w@.])@[a-z0-9][a-z0-9._-]{0,60}/[a-z0-9][a-z0-9._-]{0,80})",
            rf"(?P<posix>{_BEFORE}(?:~|\.{{1,2}})?(?:/{_INNER}(?=/)){{0,40}}/{_LAST})",
            rf"(?P<relative>{_BEFORE}[A-Za-z_][A-Za-z0-9_@+-]{{0,60}}"
            rf"(?:/{_INNER}(?=/)){{0,40}}/[\w@+-]{{1,100}}(?:\.[A-Za-z0-9]{{1,10}}){{1,3}}))",
        ]
    )
)
# A line without any of these holds no name; a search for one character is far cheaper.
_SIGN = lazily.pattern(r"[`/\\]")


def find(text: str, most: int = MOST) -> tuple[str, ...]:
    """Paths, URLs, scoped packages and back-quoted names, in order of appearance.

    Looks at the first 200,000 characters.  Each once, at most ``most``, punctuation that
    ends a sentence left off.
    """
    names: dict[str, None] = {}
    for line in text[:_SCANNED].split("\n"):
        if not _SIGN.search(line):
            continue
        for found in _FOUND.finditer(line):
            name = _trimmed(found)
            if name and len(name) <= _LONGEST:
                names[name] = None
            if len(names) >= most:
                return tuple(names)
    return tuple(names)


def _trimmed(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    name = found.group(kind)
    if kind == "quoted":
        return name.strip()
    name = name.rstrip(".,;:!?'\"")
    for left, right in ("()", "[]"):
        while name.endswith(right) and name.count(right) > name.count(left):
            name = name[:-1].rstrip(".,;:!?'\"")
    # A lone "/compact" or "/2" is a command or a fraction rather than a place.
    if kind == "posix" and name[:1] == "/" and "/" not in name[1:]:
        return ""
    return name
