"""The few lines that stand for a record, made by rule from its text."""

import re
import unicodedata
from collections.abc import Callable, Iterable

from memex_mcp.model.record import Card
from memex_mcp.text import entities, lazily

TITLE = 120
SUMMARY = 400
LIST = 12
_TAG = 60
_LINE = 400
_SCANNED = 4_000

_FENCE = lazily.pattern(r" {0,3}(`{3,}|~{3,})")
_HEADING = lazily.pattern(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_RULE = lazily.pattern(r"[ \t]*(?:[-*_=][ \t]*){3,}")
_BULLET = lazily.pattern(r"[ \t]*(?:[-*+•]|\d{1,3}[.)、]|>)[ \t]+(?:\[[ xX]\][ \t]+)?")
_LINK = lazily.pattern(r"!?\[([^\[\]\n]{1,300})\]\([^()\s]{1,500}\)")
_CONTROL = lazily.pattern("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+")
_CLOSERS = "\"'”’」』）)]】》*_"
_END = lazily.pattern(
    rf"[。！？…]+[{re.escape(_CLOSERS)}]*|[.!?]+[{re.escape(_CLOSERS)}]*(?=\s|\Z)|[；;](?=\s*\n)"
)
_SHORT = lazily.pattern(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|fig|approx|mr|mrs|ms|dr|st|prof|(?-i:[A-Z]))\.$",
    re.IGNORECASE,
)
_ENDS = "。！？….!?；;"
_NAME_SIGNS = "`/\\"
_WIDE = lazily.pattern(
    "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


def build(
    text: str,
    *,
    title: str = "",
    use_when: str = "",
    tags: Iterable[str] = (),
    aliases: Iterable[str] = (),
    questions: Iterable[str] = (),
) -> Card:
    """Make the card of a text; the same input always gives the same card.

    The title is the one given, else the first heading or sentence outside code.  The
    summary is what follows it; a sentence that had to be cut for the title begins it.
    """
    parts = _sentences(_well_formed(text[:_SCANNED]))
    heading = _line(title)
    if not heading and parts:
        heading = parts[0]
        if len(heading) <= TITLE:
            parts = parts[1:]
    return Card(
        title=clip(heading, TITLE) or "untitled",
        summary=clip(_joined(parts, SUMMARY), SUMMARY),
        use_when=clip(_line(use_when), _LINE),
        tags=_unique((_line(tag).lstrip("#").strip().lower() for tag in tags), _TAG),
        aliases=_unique(map(_line, aliases), _LINE),
        questions=_unique(map(_line, questions), _LINE),
        entities=_unique(map(_line, _names(text)), _LINE),
    )


def _names(text: str) -> tuple[str, ...]:
    # A search for one character is far cheaper than a look at each.
    return entities.find(text) if any(sign in text for sign in _NAME_SIGNS) else ()


def _is_wide(character: str) -> bool:
    return character > "\u2e7f" and _WIDE.match(character) is not None


def clip(text: str, most: int) -> str:
    """Cut to ``most`` characters, the mark ``…`` included, at a word if one is near.

    An accent, a joined emoji or a surrogate pair is never taken apart.
    """
    if len(text) <= most:
        return text
    stop = max(most - 1, 0)
    space = text.rfind(" ", stop * 2 // 3, stop + 1)
    if space > 0 and not (_is_wide(text[stop - 1]) or _is_wide(text[stop])):
        stop = space
    # Bounded, or a text of nothing but accents would leave nothing.
    for cut in range(stop, max(stop - 40, -1), -1):
        if cut == 0 or not _holds_together(text[cut - 1], text[cut]):
            stop = cut
            break
    return text[:stop].rstrip() + "…"[:most]


def _holds_together(before: str, after: str) -> bool:
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    if before == "\u200d" or after == "\u200d":
        return True
    if unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    # Skin tones, the second letter of a flag, and the jamo that complete a syllable.
    return (
        "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\U0001f1e6" <= after <= "\U0001f1ff"
        or "\u1160" <= after <= "\u11ff"
    )


def _well_formed(text: str) -> str:
    """Surrogate pairs joined, lone ones replaced: a card is stored as Unicode text."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _line(text: str) -> str:
    sound = _well_formed(text)
    if not (sound.isascii() and sound.isprintable()):
        sound = _CONTROL.sub(" ", sound)
    return " ".join(sound.split())


def _unique(items: Iterable[str], longest: int) -> tuple[str, ...]:
    kept = dict.fromkeys(clip(item, longest) for item in items if item)
    return tuple(kept)[:LIST]


def _sentences(text: str) -> list[str]:
    """Headings and sentences in order; code only when there is nothing else."""
    prose: list[str] = []
    code: list[str] = []
    pending: list[str] = []
    fence = ""

    def flush() -> None:
        prose.extend(_cut("\n".join(pending)))
        pending.clear()

    for raw in text.split("\n"):
        mark = _FENCE.match(raw)
        if fence:
            closes = mark and mark[1].startswith(fence)
            fence = "" if closes else fence
            code.extend([] if closes else [_line(raw)])
        elif mark:
            flush()
            fence = mark[1]
        elif heading := _HEADING.fullmatch(raw.rstrip("\r")):
            flush()
            prose.append(_plain(heading[1]))
        else:
            _collect(raw, pending, flush)
    flush()
    found = [part for part in prose if part] or [part for part in code if part]
    return found or [part for part in [_line(text)] if part]


def _collect(raw: str, pending: list[str], flush: Callable[[], None]) -> None:
    if not raw.strip() or _RULE.fullmatch(raw.rstrip("\r")):
        flush()
        return
    item = _BULLET.match(raw)
    if item:
        flush()
    pending.append(raw[item.end() if item else 0 :])


def _plain(text: str) -> str:
    shown = _LINK.sub(r"\1", text) if "](" in text else text
    return _line(shown.replace("**", "").replace("`", ""))


def _cut(paragraph: str) -> list[str]:
    sentences: list[str] = []
    begin = 0
    if not any(sign in paragraph for sign in _ENDS):
        return [sentence for sentence in [_plain(paragraph)] if sentence]
    for end in _END.finditer(paragraph):
        piece = paragraph[begin : end.end()]
        if end.group().startswith(".") and _SHORT.search(piece[-12:]):
            continue
        sentences.append(_plain(piece))
        begin = end.end()
    sentences.append(_plain(paragraph[begin:]))
    return [sentence for sentence in sentences if sentence]


def _joined(parts: list[str], most: int) -> str:
    """The first parts up to a little over ``most`` characters, spaced as their script does."""
    text = ""
    for part in parts:
        if len(text) > most:
            break
        wide = text and _is_wide(text[-1]) and _is_wide(part[0])
        text += part if wide or not text else f" {part}"
    return text
