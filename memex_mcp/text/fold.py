"""Text as it is compared: the form that finds, and the form that value keys hash.

Both exist for comparison alone; what a record says is never altered.
"""

import re
import unicodedata
from array import array
from collections.abc import Sequence
from functools import lru_cache

from memex_mcp.text import lazily
from memex_mcp.text.han import SIMPLIFIED, TRADITIONAL

# Unicode's Default_Ignorable_Code_Point, and the interlinear and language-tag controls.
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Characters that join the one before them: accents, vowel signs, jamo, half-width sound marks.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0903"
    "\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd"
    "\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0b01-\u0b03"
    "\u0b3c\u0b3e-\u0b57\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c56\u0c81-\u0c83"
    "\u0cbc\u0cbe-\u0cd6\u0d00-\u0d03\u0d3b\u0d3c\u0d3e-\u0d4d\u0d57\u0dca-\u0ddf"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059"
    "\u17b6-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u3099\u309a\ufe20-\ufe2f"
)
_JOINING = MARKS + "\u1160-\u11ff\uff9e\uff9f\uffa1-\uffdc"
_ACCENTS = lazily.pattern(
    "(?<=[a-z\u00e6\u00f0\u00f8\u0111\u0127\u0131\u0142\u0153])[\u0300-\u036f]+"
)
_MAYBE_ACCENTED = lazily.pattern("[\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]")
_IGNORABLE = lazily.pattern(f"[{IGNORABLE}]+")
_UNSEEN = f"{IGNORABLE}\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f"
_HIDDEN = lazily.pattern(f"[{_UNSEEN}]+")
# The empty Braille pattern is a symbol to Unicode, and a blank to whoever looks at it.
_SEEN = lazily.pattern(f"[^\\s\u2800{_UNSEEN}]")

_HIDDEN_ASCII = dict.fromkeys([*range(0x09), *range(0x0E, 0x1C), 0x7F])

_SIMPLER = dict(zip(map(ord, TRADITIONAL), SIMPLIFIED, strict=True))
# One character for one character, so offsets survive; what is left goes the slow way.
_LEVEL: dict[int, str] = {
    **_SIMPLER,
    **{0xFF01 + i: chr(0x21 + i) for i in range(94)},
    **dict.fromkeys([0xA0, 0x2026, 0x202F, 0x3000, *range(0x2000, 0x200B)], " "),
    **dict.fromkeys(range(0x2012, 0x2016), " "),
    **dict(zip(range(0x2010, 0x2012), "--", strict=True)),
    **dict(zip(range(0x2018, 0x201E), "''''\"\"", strict=True)),
}
_STEP = lazily.pattern(
    "(?P<plain>[\t\n\r -~\u3001-\u3011\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]+"
    f"(?![{_JOINING}]))|[^{_JOINING}][{_JOINING}]*|[{_JOINING}]+",
    re.DOTALL,
)

# Letters that pass for Latin ones, after case folding (which leaves Cherokee in capitals).
_ALIKE = str.maketrans(
    "авекмнорстухіјѕһԁԛԝӏѵүαβγεζηικμνορτυχωϲϳօոսհցզᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢıɑɡɩ",
    "abekmhopctyxijshdqwlvyabyeznikmvoptuxwcjonuhgqabcdeghijklmprstvwzabcdeghijklmnoprstuvwyziagi",
)
# These capitals pass for another letter than their small forms do.
_CAPITALS = str.maketrans("ΗΝΥ", "HNY")
_LOOKALIKE = lazily.pattern(f"[{''.join(map(chr, _ALIKE))}]")
_CAPITAL = lazily.pattern("[ΗΝΥ]")


def fold(text: str) -> str:
    """Give the form in which two texts are compared when searching.

    NFKC, case folding, no accents on Latin letters, simplified Han characters.  Lone
    surrogates pass through; folding twice changes nothing.
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    for _ in range(4):
        before = folded
        if _MAYBE_ACCENTED.search(folded):
            folded = _ACCENTS.sub("", unicodedata.normalize("NFD", folded))
        folded = unicodedata.normalize("NFKC", folded).translate(_SIMPLER).casefold()
        if folded == before:
            break
    return folded


def level(text: str) -> tuple[str, Sequence[int] | None, Sequence[int] | None]:
    """Bring a text to one width and one script, keeping case and where each character was.

    Returns:
        The text, and for each of its characters where it began and where it ended in the
        original; both None when offsets are the same.
    """
    if text.isascii():
        return text, None, None
    flat = text.translate(_LEVEL)
    if unicodedata.is_normalized("NFKC", flat) and not _IGNORABLE.search(flat):
        return flat, None, None
    parts: list[str] = []
    starts, ends = array("L"), array("L")
    for step in _STEP.finditer(flat):
        begin, end = step.span()
        piece = step.group()
        if step.lastgroup == "plain":
            starts.extend(range(begin, end))
            ends.extend(range(begin + 1, end + 1))
        else:
            normal = unicodedata.normalize("NFKC", _IGNORABLE.sub("", piece))
            piece = _IGNORABLE.sub("", normal).translate(_LEVEL)
            starts.extend([begin] * len(piece))
            ends.extend([end] * len(piece))
        parts.append(piece)
    return "".join(parts), starts, ends


def simplified(text: str) -> str:
    """Write traditional Han characters as simplified ones; the rest stays."""
    return text.translate(_SIMPLER)


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen: white space, controls, invisible characters."""
    return _SEEN.search(text) is None


@lru_cache(maxsize=8)
def value_text(text: str) -> str:
    """Give the form whose hash says whether two texts state the same value.

    NFKC, case folding, invisible characters out, letters that pass for Latin ones made
    Latin, white space collapsed and trimmed.  Words, accents, punctuation and the choice
    between traditional and simplified characters stay: a key must not join two values.
    """
    if text.isascii():
        return " ".join(text.translate(_HIDDEN_ASCII).lower().split())
    value = text
    for _ in range(8):
        before = value
        value = unicodedata.normalize("NFKC", _HIDDEN.sub("", value))
        # translate() looks every character up; most texts hold none that passes for another.
        if _CAPITAL.search(value):
            value = value.translate(_CAPITALS)
        value = value.casefold()
        if _LOOKALIKE.search(value):
            value = value.translate(_ALIKE)
        value = " ".join(value.split())
        if value == before:
            break
    return value
