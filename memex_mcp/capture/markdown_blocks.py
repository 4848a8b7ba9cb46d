"""Markdown cut into headings, list items, paragraphs and code, with the lines they begin on."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from enum import StrEnum

from memex_mcp.values import dataclass

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")

_OWN_BEGIN = re.compile(r"<!--\s*memex:begin\b.*?-->")
_OWN_END = re.compile(r"<!--\s*memex:end\b.*?-->")
_COMMENT = re.compile(r"<!--.*?-->")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_RULE = re.compile(r"[ \t]*(?:[-*_][ \t]*){3,}")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,9}(?:[.)]|、))(?:(?<=、)|[ \t]+)(\S.*)")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")


class Shape(StrEnum):
    """What a block is."""

    HEADING = "heading"
    ITEM = "item"
    TEXT = "text"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some lines that belong together.

    Attributes:
        line: Counts from 1.
        depth: Level of a heading, columns before the mark of an item, else 0.
    """

    shape: Shape
    line: int
    depth: int = 0
    text: str


@dataclass(slots=True)
class _Open:
    """The block that is being read."""

    shape: Shape
    line: int
    depth: int = 0
    lines: list[str] = field(default_factory=list)


def cut(text: str) -> tuple[list[Block], Counter[str]]:
    """The blocks of a text, and what of it was left out, by reason.

    ``front matter``, ``comment`` and ``own block`` (what an installer of ours wrote there)
    are left out; one that never ends goes to the end of the text.
    """
    told: Counter[str] = Counter()
    lines = list(_visible(text.removeprefix("\ufeff").splitlines(), told))
    return list(_blocks(lines)), told


def _visible(lines: list[str], told: Counter[str]) -> Iterator[str]:
    """Every line, blank where nothing of it counts; code is left alone."""
    begin = _front_matter(lines)
    told["front matter"] += begin > 0
    yield from [""] * begin
    fence, inside = "", ""
    for line in lines[begin:]:
        shown = line
        if fence:
            mark = FENCE.match(line)
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif not inside and (mark := FENCE.match(line)):
            fence = mark[1]
        else:
            shown, inside = _without_comments(line, inside, told)
        yield shown


def _front_matter(lines: list[str]) -> int:
    """How many lines the front matter takes; 0 when there is none."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    ends = (n for n, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "..."))
    return next(ends, 0)


def _without_comments(line: str, inside: str, told: Counter[str]) -> tuple[str, str]:
    """What of a line is no comment, and what it leaves open: ``comment``, ``own block`` or none."""
    if inside == "own block":
        end = _OWN_END.search(line)
        return (line[end.end() :], "") if end else ("", inside)
    if inside:
        _, closed, rest = line.partition("-->")
        return (rest, "") if closed else ("", inside)
    if own := _OWN_BEGIN.search(line):
        told["own block"] += 1
        end = _OWN_END.search(line, own.end())
        return line[: own.start()] + (line[end.end() :] if end else ""), "" if end else "own block"
    line, removed = _COMMENT.subn("", line)
    told["comment"] += removed
    before, opened, _ = line.partition("<!--")
    told["comment"] += bool(opened)
    return before, "comment" if opened else ""


def _blocks(lines: list[str]) -> Iterator[Block]:
    held: _Open | None = None
    after_blank = False
    fence = ""
    for number, raw in enumerate(lines, 1):
        line = raw.expandtabs(4)
        if held and held.shape is Shape.CODE:
            held.lines.append(raw)
            mark = FENCE.match(line)
            if mark and mark[1].startswith(fence):
                yield _closed(held)
                held = None
            continue
        if heading := _heading(line, number, held, after_blank):
            if held and held.line != heading.line:
                yield _closed(held)
            held = None
            yield heading
        elif not line.strip() or _RULE.fullmatch(line):
            after_blank = True
            continue
        elif mark := FENCE.match(line):
            yield from _closing(held)
            fence = mark[1]
            held = _Open(Shape.CODE, number, len(line) - len(line.lstrip()), [raw])
        elif item := _ITEM.fullmatch(line):
            yield from _closing(held)
            held = _Open(Shape.ITEM, number, len(item[1]), [item[2]])
        elif held and _goes_on(line, held, after_blank):
            held.lines += [""] * after_blank + [line.strip()]
        else:
            yield from _closing(held)
            held = _Open(Shape.TEXT, number, 0, [_QUOTE.sub("", line.strip())])
        after_blank = False
    yield from _closing(held)


def _heading(line: str, number: int, held: _Open | None, after_blank: bool) -> Block | None:
    """The heading that a line is, or that it makes of the line before it by underlining it."""
    if marked := _HEADING.fullmatch(line):
        level, text = len(marked[1]), marked[2] or ""
        return Block(shape=Shape.HEADING, line=number, depth=level, text=text)
    single = held and held.shape is Shape.TEXT and len(held.lines) == 1 and not after_blank
    if held and single and _UNDERLINE.fullmatch(line):
        level = 1 if "=" in line else 2
        return Block(shape=Shape.HEADING, line=held.line, depth=level, text=held.lines[0])
    return None


def _goes_on(line: str, held: _Open, after_blank: bool) -> bool:
    """Whether a line belongs to the block before it; after a blank only if an item holds it."""
    if not after_blank:
        return True
    return held.shape is Shape.ITEM and len(line) - len(line.lstrip()) >= held.depth + 2


def _closing(held: _Open | None) -> Iterator[Block]:
    if held is not None:
        yield _closed(held)


def _closed(held: _Open) -> Block:
    if held.shape is Shape.CODE:
        shown = [line[_margin(line, held.depth) :] for line in held.lines]
        return Block(shape=held.shape, line=held.line, depth=held.depth, text="\n".join(shown))
    lines = [_QUOTE.sub("", line) for line in held.lines]
    return Block(shape=held.shape, line=held.line, depth=held.depth, text="\n".join(lines).strip())


def _margin(line: str, most: int) -> int:
    """Blanks before a line, at most so many: what its list put before a line of code."""
    return min(most, len(line) - len(line.lstrip(" \t")))
