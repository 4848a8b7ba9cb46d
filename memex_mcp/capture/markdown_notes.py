"""Notes from files that people write for their agents: CLAUDE.md, AGENTS.md, rules, memories.

A list item or a paragraph is one statement.  It begins with the headings above it, without
which many a line says nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import zip_longest

from memex_mcp.capture.markdown_blocks import Block, Shape, cut
from memex_mcp.model.kinds import NoteType
from memex_mcp.text import tokens
from memex_mcp.text.card import TITLE, build, clip
from memex_mcp.text.fold import is_blank
from memex_mcp.values import dataclass

MOST_TOKENS = 2048

_BETWEEN = " › "
# Of a long heading this much is enough to know what a statement is about.
_HEADING = 80
# What headings may take of a note.
_ROOM = 256
_LEADS = (":", "：")
_IMPORT = re.compile(r"@(?:~?[\w./-]+)")
_INLINE_IMPORT = re.compile(r"(?<![\w`@/.])@~?[\w./-]*\.(?:mdx?|mdc|txt)\b")
_BOX = re.compile(r"\[([ xX])\][ \t]+")
_JUMP = re.compile(r"\[[^\[\]\n]*\]\(#[^()\s]*\)")
_MARKS = re.compile(r"[*_`]+")

_TYPES: tuple[tuple[NoteType, re.Pattern[str]], ...] = tuple(
    (type_, re.compile(pattern, re.IGNORECASE))
    for type_, pattern in (
        (
            NoteType.CONSTRAINT,
            r"\b(?:never|must(?: not|n't)?|do not|don't|may not|forbidden|not allowed)\b"
            r"|禁止|严禁|不得|不允许|必须|务必|不要|切勿|绝不|不能",
        ),
        (
            NoteType.DECISION,
            r"\b(?:we|was|were|been|is|are) (?:have )?(?:decided|agreed|chosen)\b|\bwe chose\b"
            r"|^decision\b|决定|选定|约定采用|最终采用",
        ),
        (
            NoteType.PREFERENCE,
            r"\b(?:prefer(?:s|red|ably)?|favou?rs?|would rather|likes?|dislikes?)\b"
            r"|偏好|喜欢|倾向|优先|尽量",
        ),
        (
            NoteType.INSTRUCTION,
            r"^(?:always|please|run|use|add|write|keep|ensure|make sure|follow|check|commit|put"
            r"|test|read|ask|avoid|remember|call|create|update|start|stop)\b"
            r"|^(?:请|使用|运行|执行|确保|遵循|每次|始终|总是|先|提交|记住|避免)",
        ),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that a file says.

    Attributes:
        heading: The headings above it, outermost first, in one line; empty where there is none.
        text: The headings and what stands below them.
        line: Where it begins; counts from 1.
    """

    heading: str
    title: str
    text: str
    type: NoteType
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a file says.

    Attributes:
        left_out: What was passed over, by reason, such as ``import`` for a file that the text
            only names; ``cut`` counts the statements that were too long for one note.
    """

    statements: tuple[Statement, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Found:
    """One block that may be a statement, and the headings that it is under."""

    path: tuple[str, ...]
    text: str
    line: int
    box: bool = False


def read(text: str) -> Said:
    """The statements of a Markdown text, in their order."""
    blocks, told = cut(text)
    statements: list[Statement] = []
    for found in _found(_titled(blocks)):
        told["import"] += len(_INLINE_IMPORT.findall(found.text))
        plain = found.text.strip()
        if _IMPORT.fullmatch(plain):
            told["import"] += not _INLINE_IMPORT.fullmatch(plain)
        elif _JUMP.fullmatch(plain):
            told["link"] += 1
        elif not is_blank(_MARKS.sub("", plain)):
            pieces = list(_pieces(found))
            told["cut"] += len(pieces) > 1
            statements += pieces
    return Said(statements=tuple(statements), left_out={k: n for k, n in told.items() if n})


def type_of(text: str) -> NoteType:
    """What kind of statement a line of rules is, by the words it uses; a fact without any."""
    plain = _MARKS.sub("", text).strip()
    return next((type_ for type_, cue in _TYPES if cue.search(plain)), NoteType.FACT)


def _titled(blocks: list[Block]) -> list[Block]:
    """The blocks without the title of the whole text, which tells its statements nothing."""
    heads = [block for block in blocks if block.shape is Shape.HEADING]
    tops = [block for block in heads if block.depth == 1]
    if len(tops) == 1 and len(heads) > 1 and blocks[0] is tops[0]:
        return blocks[1:]
    return blocks


def _found(blocks: list[Block]) -> Iterator[_Found]:
    """Statements with what stands above them; code goes with what introduces it."""
    headings: list[Block] = []
    items: list[Block] = []
    lead = ""
    taken = False
    for block, after in zip_longest(blocks, blocks[1:]):
        if taken:
            # The code that the statement before it took along.
            taken = False
            continue
        if block.shape is Shape.HEADING:
            headings = [each for each in headings if each.depth < block.depth] + [block]
            items, lead = [], ""
            continue
        if block.shape is Shape.ITEM:
            items = [each for each in items if each.depth < block.depth]
        else:
            items, lead = [], ""
        above = (*(each.text for each in headings), lead, *(each.text for each in items))
        path = tuple(filter(None, map(_short, above)))
        text = block.text
        if after and _carries(block, after):
            text, taken = f"{text}\n\n{after.text}", True
        if block.shape is Shape.ITEM:
            items.append(block)
        if block.text.endswith(_LEADS) and after and _below(block, after):
            lead = block.text if block.shape is Shape.TEXT else lead
            continue
        box = _BOX.match(text) if block.shape is Shape.ITEM else None
        yield _Found(path, text[box.end() if box else 0 :], block.line, bool(box and box[1] == " "))


def _below(block: Block, after: Block) -> bool:
    """Whether a line that ends in a colon introduces the block after it."""
    if after.shape is not Shape.ITEM:
        return False
    return block.shape is Shape.TEXT or after.depth > block.depth


def _carries(block: Block, after: Block) -> bool:
    """Whether the code after a block belongs to it: an item holds what is set in under it."""
    if after.shape is not Shape.CODE or block.shape is Shape.CODE:
        return False
    return block.shape is Shape.TEXT or after.depth > block.depth


def _short(text: str) -> str:
    """A heading as people would say it: its first line, without marks and colon."""
    lines = _MARKS.sub("", text).split("\n")
    return clip(_BOX.sub("", lines[0]).rstrip(":：.。 ").strip(), _HEADING)


def _pieces(found: _Found) -> Iterator[Statement]:
    path = found.path
    while path and tokens.count(_BETWEEN.join(path)).tokens > _ROOM:
        path = path[1:]
    heading = _BETWEEN.join(path)
    type_ = NoteType.TASK if found.box else type_of(found.text)
    room = MOST_TOKENS - (_ROOM if heading else 0)
    for text in [found.text] if _fits(found.text, room) else _split(found.text, room):
        first = build(text).title
        separator = "\n\n" if "\n" in text else ": "
        yield Statement(
            heading=heading,
            title=clip(f"{heading}: {first}" if heading else first, TITLE),
            text=f"{heading}{separator}{text}" if heading else text,
            type=type_,
            line=found.line,
        )


def _fits(text: str, room: int) -> bool:
    # A token is at least one byte, so a short text needs no counting.
    return len(text.encode("utf-8", "surrogatepass")) <= room or tokens.count(text).tokens <= room


def _split(text: str, room: int) -> Iterator[str]:
    """Cut between paragraphs, else between lines, else anywhere."""
    for between in ("\n\n", "\n"):
        parts = text.split(between)
        if len(parts) > 1:
            held = ""
            for part in parts:
                joined = f"{held}{between}{part}" if held else part
                if not held or _fits(joined, room):
                    held = joined
                    continue
                yield from _split_or_whole(held, room)
                held = part
            yield from _split_or_whole(held, room)
            return
    while text:
        piece = tokens.clip(text, room) or text[:1]
        yield piece
        text = text[len(piece) :].lstrip()


def _split_or_whole(text: str, room: int) -> Iterator[str]:
    if is_blank(text):
        return
    if _fits(text, room):
        yield text
    else:
        yield from _split(text, room)
