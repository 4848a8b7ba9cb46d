"""Which statement of a file is an earlier one, edited."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from memex_mcp.values import dataclass

# So alike is an edit anywhere in the file; where the heading has no other, less will do.
_ALIKE, _ALONE = 0.6, 0.3
# Beyond this a file was written anew rather than edited.
_MOST_COMPARED = 10_000
_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Said:
    """A statement and the heading it stands under."""

    heading: str
    text: str


def edited(old: Sequence[Said], new: Sequence[Said]) -> dict[int, int]:
    """For statements that are new in a file, which of those that are gone from it each was.

    Args:
        old: What is gone from the file.
        new: What came into it.

    Returns:
        Positions in ``new``, and for each the position in ``old``; no position twice.
    """
    if len(old) * len(new) > _MOST_COMPARED:
        return {}
    gone, came = (Counter(each.heading for each in side) for side in (old, new))
    close: list[tuple[float, int, int]] = []
    for at, after in enumerate(new):
        for was, before in enumerate(old):
            alone = after.heading == before.heading
            alone = alone and gone[after.heading] == came[after.heading] == 1
            ratio = _likeness(before.text, after.text, _ALONE if alone else _ALIKE)
            if ratio:
                close.append((-ratio, at, was))
    pairs: dict[int, int] = {}
    for _, at, was in sorted(close):
        if at not in pairs and was not in pairs.values():
            pairs[at] = was
    return pairs


def _likeness(before: str, after: str, least: float) -> float:
    """How alike two texts are, 0 to 1; 0 where that is less than ``least``."""
    matcher = SequenceMatcher(None, before[:_CHARACTERS], after[:_CHARACTERS], autojunk=False)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= least else 0.0
