"""Withdrawn statements leave evidence before it is stored; what stands around them stays.

What was stored before they were withdrawn is kept as it is, and shown without them.

What is refused is known by its hash alone.  So every piece that could be a statement is asked
about: paragraphs, lines, what is quoted or follows a label in them, and sentences.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from memex_mcp.model.kinds import Kind
from memex_mcp.model.record import Card, Draft
from memex_mcp.model.turn import Envelope
from memex_mcp.text import lazily, literals
from memex_mcp.text.fold import value_text

EVIDENCE = (Kind.SPAN, Kind.CHECKPOINT)
"""Kinds that keep what was said."""

PLACEHOLDER = "[withdrawn]"
"""What stands in the place of a withdrawn statement."""

Refuses = Callable[[str], bool]
"""Whether somebody withdrew a statement."""

# No note is longer, and what was withdrawn as a whole span is asked about as a whole.
_LONGEST = 20_000
_SENTENCES = 4
_HEAD = 12
_BEFORE = ".。,，;；:：、!！?？"
_PARAGRAPH = lazily.pattern(r"\r?\n[ \t]*(?:\r?\n[ \t]*)+")
_LINE = lazily.pattern(r"[\r\n\u2028\u2029]+")
_LEAD = lazily.pattern(
    r"[ \t]*(?:[-*+•>#]{1,6}|\d{1,3}[.)、])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)"
    r"|[^\n:：]{1,40}[:：][ \t*_]*(?=\S)"
)
# Also as they are spelled inside a JSON text or a command.
_QUOTE = lazily.pattern(r'\\+[nrt]|\\*["\'`]|[“”‘’「」『』«»]|</?[A-Za-z][\w-]{0,40}>')
# The end of a line that was cut, which may number its part of a whole.
_CUT = lazily.pattern(r"…( \(\d+/\d+\))?\Z")
_WORD = lazily.pattern(r"(?<!\w)\w|[\u3040-\u9fff]")
_CLOSING = r"[\"'”’」』）)\]*_]*"
_SENTENCE = lazily.pattern(rf"(?:[。！？；…]+|[.!?;]+(?={_CLOSING}(?:\s|\Z))){_CLOSING}\s*")


def cleared(draft: Draft, refuses: Refuses) -> Draft:
    """The draft without withdrawn statements: in its text, its card and its lines.

    Title and summary lose the beginning of one as well, where they were cut short.
    """
    gone = [value_text(draft.text[slice(*place)]) for place in _found(draft.text, refuses)]
    return replace(
        draft,
        text=without(draft.text, refuses),
        events=lines(draft.events, refuses),
        **_carded(draft, refuses, gone),
    )


def card(old: Card, refuses: Refuses, gone: Sequence[str]) -> Card:
    """A card without withdrawn statements.

    Args:
        old: The card.
        refuses: Whether somebody withdrew a statement.
        gone: What may stand in it cut short, as :func:`value_text` has it.
    """
    return replace(old, **_carded(old, refuses, gone))


def uncut(old: Card, gone: Sequence[str]) -> Card:
    """A card that holds no whole statement, without the beginnings of ``gone`` at its cuts."""
    return replace(old, title=_uncut(old.title, gone), summary=_uncut(old.summary, gone))


def lines(events: Iterable[Envelope], refuses: Refuses) -> tuple[Envelope, ...]:
    """Lines of a transcript without withdrawn statements."""
    return tuple(_line(line, refuses) for line in events)


def hidden(text: str, refuses: Refuses) -> str:
    """As :func:`without`, and of the same length: what is known to stand somewhere still does."""
    parts: list[str] = []
    done = 0
    for start, stop in _found(text, refuses):
        sign = PLACEHOLDER if stop - start >= len(PLACEHOLDER) else "…"
        parts += (text[done:start], sign.ljust(stop - start))
        done = stop
    return "".join((*parts, text[done:]))


def without(text: str, refuses: Refuses) -> str:
    """A text with a placeholder for each withdrawn statement."""
    parts: list[str] = []
    done = 0
    for start, stop in _found(text, refuses):
        parts += (text[done:start], PLACEHOLDER)
        done = stop
    return "".join((*parts, text[done:])) if parts else text


def _carded(item: Card | Draft, refuses: Refuses, gone: Sequence[str]) -> dict[str, Any]:
    return {
        "title": _uncut(without(item.title, refuses), gone),
        "summary": _uncut(without(item.summary, refuses), gone),
        "use_when": without(item.use_when, refuses),
        "tags": _standing(item.tags, refuses),
        "aliases": _standing(item.aliases, refuses),
        "questions": _standing(item.questions, refuses),
    }


def _uncut(text: str, gone: Sequence[str]) -> str:
    """A line that was cut short, without what of a withdrawn statement is left at its end."""
    cut = _CUT.search(text)
    if cut is None:
        return text
    gone = _may_end(value_text(text[: cut.start()]), gone)
    if not gone:
        return text
    for word in _WORD.finditer(text, 0, cut.start()):
        left = value_text(text[word.start() : cut.start()])
        if any(statement.startswith(left) for statement in gone):
            return f"{text[: word.start()]}{PLACEHOLDER}{cut[1] or ''}"
    return text


def _may_end(text: str, gone: Sequence[str]) -> list[str]:
    """The statements that a text may end within, which it rarely does."""
    size = len(text)
    ends = [
        text[at:]
        for at in range(max(size - _HEAD, 0), size)
        if at == 0 or text[at] > "\u3040" or not text[at - 1].isalnum()
    ]
    return [
        each for each in gone if each[:_HEAD] in text or any(each.startswith(end) for end in ends)
    ]


def _line(line: Envelope, refuses: Refuses) -> Envelope:
    """A line of a transcript; what its strings say counts, not how JSON spells it."""
    data = literals.rewrite(line.data, lambda said: without(said, refuses))
    return line if data == line.data else replace(line, data=data, masked=True)


def _standing(items: tuple[str, ...], refuses: Refuses) -> tuple[str, ...]:
    return tuple(item for item in items if not refuses(item))


def _found(text: str, refuses: Refuses) -> Iterator[tuple[int, int]]:
    for paragraph in _pieces(text, 0, len(text), _PARAGRAPH):
        if _is_one(text, *paragraph, refuses):
            yield _bare(text, *paragraph)
            continue
        for line in _pieces(text, *paragraph, _LINE):
            yield from _in_line(text, *line, refuses)


def _in_line(text: str, start: int, stop: int, refuses: Refuses) -> Iterator[tuple[int, int]]:
    if _is_one(text, start, stop, refuses):
        yield _bare(text, start, stop)
        return
    lead = _LEAD.match(text, start, stop)
    if lead:
        yield from _in_line(text, lead.end(), stop, refuses)
        return
    quotes = _QUOTE.search(text, start, stop) is not None
    for piece in _pieces(text, start, stop, _QUOTE):
        if quotes and _is_one(text, *piece, refuses):
            yield _bare(text, *piece)
        else:
            yield from _sentences(text, *piece, refuses)


def _sentences(text: str, start: int, stop: int, refuses: Refuses) -> Iterator[tuple[int, int]]:
    """Withdrawn runs of sentences, as one statement may have several."""
    borders = [start, *(end.end() for end in _SENTENCE.finditer(text, start, stop)), stop]
    found = [pair for pair in pairwise(borders) if any(map(str.isalnum, text[slice(*pair)]))]
    first = 0
    while first < len(found):
        for after in range(min(first + _SENTENCES, len(found)), first, -1):
            run = found[first][0], found[after - 1][1]
            if _is_one(text, *run, refuses):
                yield _bare(text, *run)
                first = after
                break
        else:
            first += 1


def _is_one(text: str, start: int, stop: int, refuses: Refuses) -> bool:
    begin, end = _bare(text, start, stop)
    return 0 < end - begin <= _LONGEST and refuses(text[begin:end])


def _bare(text: str, start: int, stop: int) -> tuple[int, int]:
    """The same piece without the blanks around it, and what ends the piece before it."""
    piece = text[start:stop]
    first = len(piece) - len(piece.lstrip().lstrip(_BEFORE).lstrip())
    return start + first, start + max(first, len(piece.rstrip()))


def _pieces(
    text: str, start: int, stop: int, between: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    for found in between.finditer(text, start, stop):
        yield start, found.start()
        start = found.end()
    yield start, stop
