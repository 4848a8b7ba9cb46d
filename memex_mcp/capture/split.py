"""A long turn in parts, none of which takes a tool call from its result."""

from collections.abc import Sequence

from memex_mcp.model.turn import Step, Turn

CHARACTERS = 24_000
"""What a part holds at most, unless a single call and its result are longer."""


def parts(turn: Turn, limit: int = CHARACTERS) -> list[Sequence[Step]]:
    """Cut a turn into parts at points where no call waits for its result.

    Args:
        turn: Its steps stay in order, and each is in exactly one part.
        limit: Characters of text that a part holds.  Steps that cannot be cut apart and are
            longer together are a part by themselves.
    """
    done: list[Sequence[Step]] = []
    part: list[Step] = []
    size = 0
    for group in _together(turn.steps):
        length = sum(map(_length, group))
        if part and size + length > limit:
            done.append(tuple(part))
            part, size = [], 0
        part += group
        size += length
    return [*done, tuple(part)]


def _together(steps: Sequence[Step]) -> list[Sequence[Step]]:
    """The smallest stretches that hold every call together with its result."""
    ends = _ends(steps)
    groups: list[Sequence[Step]] = []
    first = last = 0
    for number in range(len(steps)):
        last = max(last, ends.get(number, number))
        if number == last:
            groups.append(steps[first : last + 1])
            first = last = number + 1
    return groups


def _ends(steps: Sequence[Step]) -> dict[int, int]:
    """For the first step that has to do with a call, the last one that has to do with it."""
    first: dict[str, int] = {}
    ends: dict[int, int] = {}
    for number, step in enumerate(steps):
        for call in (*step.calls, *step.results):
            begins = first.setdefault(call, number)
            ends[begins] = number
    return ends


def _length(step: Step) -> int:
    return len(step.text) + sum(map(len, step.attachments))
