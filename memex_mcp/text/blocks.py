r"""Where blocks that a program put into a text begin and end, found in one pass.

A block opens at the beginning of a line and closes at the end of one.  A marker in a sentence,
in backticks, in a code block or behind ``>`` opens nothing.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property

from memex_mcp.text import lazily
from memex_mcp.text.fence import HEAD, LABEL

# What is cut off in the middle has no end; these tags stand alone on their line then.
_ENDLESS = {"system-reminder", "system_reminder"}

_FENCE_END = lazily.pattern(
    rf"(?:<|&lt;|\*\*|\[)/memex-({LABEL}) nonce=([0-9a-f]{{8}})(?:>|&gt;|\*\*|\])"
)
_CODE_LINE = lazily.pattern(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_INDENT = lazily.pattern(" {0,3}")
_MARKS = {"*": ">", "[": "|"}


def outside(text: str, opened: re.Pattern[str] | None) -> list[str]:
    """The stretches of a text that are in no block; the text alone where it has none.

    Args:
        text: Anything.
        opened: Matches the opening tag of a block, whose name is its group ``tag``; blocks of
            memory itself are always looked for.
    """
    return list(_outside(text, opened))


def without_fences(text: str, put: Callable[[str], str]) -> str:
    """The text with something in place of each block of memory that begins a line.

    Args:
        text: Anything; code blocks are no different here.
        put: Gives what stands for a block.
    """
    ends = _Ends(text)
    pieces: list[str] = []
    done = 0
    for head in HEAD.finditer(text):
        if head.start() >= done and _begins_line(text, head.start()):
            end = ends.of_fence(head)
            pieces += [text[done : head.start()], put(text[head.start() : end])]
            done = end
    return "".join([*pieces, text[done:]])


def _outside(text: str, opened: re.Pattern[str] | None) -> Iterator[str]:
    ends = _Ends(text)
    at = since = 0
    while at < len(text):
        end = ends.of_block(at, opened)
        if end is None:
            at = ends.of_code(at)
        else:
            yield text[since:at]
            at = since = end
    yield text[since:]


def _begins_line(text: str, at: int) -> bool:
    start = max(0, at - 60)
    line = text.rfind("\n", start, at) + 1
    return (line > 0 or start == 0) and not text[max(line, start) : at].strip(" \t>|")


def _after_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


class _Ends:
    """The ends of blocks in one text; no stretch of it is searched twice for the same one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next: dict[str, int] = {}

    def of_block(self, at: int, opened: re.Pattern[str] | None) -> int | None:
        """Where a block that begins here ends, its line break included; None when none does."""
        text = self._text
        indent = _INDENT.match(text, at)
        begins = at if indent is None else indent.end()
        head = HEAD.match(text, begins)
        if head:
            return self._line_end(self.of_fence(head), opened)
        opening = opened.match(text, begins) if opened else None
        if opening is None:
            return None
        close = f"</{opening['tag']}>"
        found = self._find(close, opening.end())
        if found >= 0:
            return self._line_end(found + len(close), opened)
        alone = text.startswith(("\n", "\r\n"), opening.end()) or opening.end() == len(text)
        return len(text) if alone and opening["tag"] in _ENDLESS else None

    def of_fence(self, head: re.Match[str]) -> int:
        """Where a block of memory ends; one that was cut, with its marked lines or the text."""
        text = self._text
        ends = self._fence_ends.get((head["label"], head["nonce"]), [])
        place = bisect_left(ends, head.end())
        if place < len(ends):
            return ends[place]
        mark = _MARKS.get(text[head.start()])
        if mark is None:
            return len(text)
        at = _after_line(text, head.end())
        while text.startswith(mark, at):
            at = _after_line(text, at)
        return at

    def of_code(self, at: int) -> int:
        """The next line to look at: behind a code block, if one begins here and ends."""
        starts, lines, longest = self._code
        place = bisect_left(starts, at)
        following = _after_line(self._text, at)
        if place == len(starts) or starts[place] != at:
            return following
        sign = lines[place][1]
        if longest[sign[0]][place + 1] < len(sign):
            return following
        close = next(
            line for line in lines[place + 1 :] if line[1].startswith(sign) and not line[2].strip()
        )
        return _after_line(self._text, close.end())

    def _line_end(self, at: int, opened: re.Pattern[str] | None) -> int | None:
        """The beginning of the next line, or of a block that follows on the same one."""
        text = self._text
        while text.startswith((" ", "\t", "\r"), at):
            at += 1
        if at == len(text) or text.startswith("\n", at):
            return min(at + 1, len(text))
        return at if opened and opened.match(text, at) else None

    def _find(self, close: str, start: int) -> int:
        known = self._next.get(close)
        if known is None or -1 < known < start:
            known = self._next[close] = self._text.find(close, start)
        return known

    @cached_property
    def _fence_ends(self) -> dict[tuple[str, str], list[int]]:
        ends: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for end in _FENCE_END.finditer(self._text):
            ends[end[1], end[2]].append(end.end())
        return ends

    @cached_property
    def _code(self) -> tuple[list[int], list[re.Match[str]], dict[str, list[int]]]:
        """Lines that may bound a code block, and the longest that ends one from each on."""
        lines = list(_CODE_LINE.finditer(self._text))
        longest = {sign: [0] * (len(lines) + 1) for sign in "`~"}
        for place in range(len(lines) - 1, -1, -1):
            sign, rest = lines[place][1], lines[place][2]
            for each, most in longest.items():
                ends = len(sign) if sign[0] == each and not rest.strip() else 0
                most[place] = max(most[place + 1], ends)
        return [line.start() for line in lines], lines, longest
