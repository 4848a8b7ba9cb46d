"""Regular expressions that cannot hang: the time is bounded by pattern times text.

Python's own engine backtracks, and nothing can stop it within one call; ``(a+)+$`` keeps it
busy for as long as one likes.  Here all ways through a pattern are followed at once, one
character at a time, and where a set of ways leads with a character is worked out once.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from memex_mcp.text.expression import read

_MOST_STATES = 1_000
_LOOKBACK = 400

Tick = Callable[[], None]
"""Called again and again while a line is searched; it may raise to stop that."""


class Pattern:
    """A compiled pattern; belongs to one thread.

    Attributes:
        needs: What every match holds as it stands; may be empty.
    """

    def __init__(self, source: str, *, ignore_case: bool = False) -> None:
        self._program, self.needs = read(source, ignore_case=ignore_case)
        self._kernels: list[tuple[frozenset[int], str | None]] = []
        self._numbers: dict[tuple[frozenset[int], str | None], int] = {}
        self._next: list[dict[str, int]] = []

    def find(self, line: str, tick: Tick) -> tuple[int, int] | None:
        """Where the first match in a line to end begins, and where it ends.

        A match of more than 400 characters is told to begin 400 before its end.
        """
        end = self._end(line, tick)
        return None if end is None else (self._start(line, end, tick), end)

    def _end(self, line: str, tick: Tick) -> int | None:
        """Where the first match ends; None when there is none."""
        tick()
        state, following = self._number(frozenset({0}), None), self._next
        for at, character in enumerate(line):
            reached = following[state].get(character)
            if reached is None:
                tick()
                reached = self._step(state, character)
            if reached < 0:
                return at
            state = reached
        kernel, before = self._kernels[state]
        _, matched = self._closed(dict.fromkeys(kernel, 0), before, None)
        return None if matched is None else len(line)

    def _step(self, state: int, character: str) -> int:
        """The state that a character leads to; -1 when a match is complete before it."""
        kernel, before = self._kernels[state]
        ways, matched = self._closed(dict.fromkeys(kernel, 0), before, character)
        if matched is not None:
            reached = -1
        else:
            full = len(self._kernels) >= _MOST_STATES
            if full:
                self._kernels.clear()
                self._numbers.clear()
                self._next.clear()
            taken = self._taken(ways, character)
            # All characters of a word are alike to what stands after them.
            reached = self._number(frozenset({0, *taken}), "w" if _in_word(character) else " ")
            if full:
                return reached
        self._next[state][character] = reached
        return reached

    def _number(self, kernel: frozenset[int], before: str | None) -> int:
        number = self._numbers.get((kernel, before))
        if number is None:
            number = self._numbers[kernel, before] = len(self._kernels)
            self._kernels.append((kernel, before))
            self._next.append({})
        return number

    def _start(self, line: str, end: int, tick: Tick) -> int:
        """Where the longest match with a known end begins."""
        low = max(0, end - _LOOKBACK)
        ways: dict[int, int] = {}
        for at in range(low, end):
            tick()
            ways.setdefault(0, at)
            before = line[at - 1] if at else None
            ways = self._taken(self._closed(ways, before, line[at])[0], line[at])
        ways.setdefault(0, end)
        after = line[end] if end < len(line) else None
        begun = self._closed(ways, line[end - 1] if end else None, after)[1]
        return low if begun is None else begun

    def _closed(
        self, ways: Mapping[int, int], before: str | None, after: str | None
    ) -> tuple[dict[int, int], int | None]:
        """Follow every step that takes no character.

        Args:
            ways: Steps to be at, each with where its way began.
            before: The character before this place; None at the beginning.
            after: The character after it; None at the end.

        Returns:
            The steps that wait for a character, and where the earliest match began, if any.
        """
        waiting: dict[int, int] = {}
        matched: int | None = None
        seen: set[int] = set()
        stack = sorted(ways.items(), key=lambda way: -way[1])
        while stack:
            at, begun = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            step = self._program[at]
            if step.what == "char":
                waiting[at] = begun
            elif step.what == "match":
                matched = begun if matched is None else min(matched, begun)
            elif step.what in ("split", "jump") or _holds(step.what, before, after):
                stack += [(at + way, begun) for way in step.to]
        return waiting, matched

    def _taken(self, waiting: Mapping[int, int], character: str) -> dict[int, int]:
        taken: dict[int, int] = {}
        for at, begun in waiting.items():
            atom = self._program[at].atom
            if atom is not None and atom.fullmatch(character):
                taken[at + 1] = begun
        return taken


def _holds(assertion: str, before: str | None, after: str | None) -> bool:
    if assertion == "start":
        return before is None
    if assertion == "end":
        return after is None
    edge = _in_word(before) != _in_word(after)
    return edge if assertion == "edge" else not edge


def _in_word(character: str | None) -> bool:
    return character is not None and (character.isalnum() or character == "_")


class Plain:
    """A text that is looked for as it stands.

    Attributes:
        needs: The text itself, unless its case does not matter.
    """

    def __init__(self, source: str, *, ignore_case: bool = False) -> None:
        # Nothing in it repeats, so that Python's engine has nothing to go back to.
        self._text = re.compile(re.escape(source), re.IGNORECASE if ignore_case else re.NOFLAG)
        self.needs = "" if ignore_case else source

    def find(self, line: str, _tick: Tick) -> tuple[int, int] | None:
        """Where it first stands in a line, and where it ends."""
        found = self._text.search(line)
        return None if found is None else found.span()


def lines(text: str, start: int = 0, *, needs: str, longest: int) -> Iterator[tuple[int, int]]:
    """Where the lines of a text begin and end, from ``start`` on.

    Args:
        text: Its lines end with a line feed; a carriage return before it is left out.
        start: Where a line begins.
        needs: Only lines that hold this.
        longest: A line of more characters is cut into several.
    """
    at = start
    while at <= len(text):
        if needs:
            place = text.find(needs, at)
            if place < 0:
                return
            at = max(at, text.rfind("\n", 0, place) + 1)
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        end = stop - 1 if text[at:stop].endswith("\r") else stop
        yield from _cut(at, end, longest)
        at = stop + 1


def _cut(start: int, stop: int, longest: int) -> Iterable[tuple[int, int]]:
    places = range(start, stop, longest) if stop > start else (start,)
    return ((at, min(at + longest, stop)) for at in places)
