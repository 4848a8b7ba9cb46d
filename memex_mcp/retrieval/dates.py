"""Dates that a question says, in English and Chinese, as stretches of time.

``last March``, ``two weeks ago``, ``上周三``, ``2026年3月5日``, ``2026-03``.  They say where an
answer probably lies and never where it must: what is far from them only ranks lower.  A date
without a year is the latest that has begun.
"""

import contextlib
import unicodedata
from collections.abc import Iterable
from datetime import UTC, date, datetime

from memex_mcp.retrieval.english_dates import IN_EVERY
from memex_mcp.retrieval.english_dates import RULES as ENGLISH
from memex_mcp.retrieval.han_dates import RULES as HAN
from memex_mcp.retrieval.stretches import Range
from memex_mcp.values import dataclass

__all__ = ["Dated", "Range", "closeness", "read"]

_READ_CHARACTERS = 4_000
_MOST = 8


@dataclass(frozen=True, slots=True)
class Dated:
    """A text taken apart.

    Attributes:
        ranges: The stretches of time that it names, in its order, each once, at most 8.
        rest: The text with a blank for every character of them.
    """

    ranges: tuple[Range, ...]
    rest: str


def read(text: str, now: datetime) -> Dated:
    """Find the stretches of time that a text names.

    Args:
        text: Of a long one the first 4,000 characters count.
        now: What ``yesterday`` and ``last year`` are told from; its day in UTC counts.
    """
    left = unicodedata.normalize("NFKC", text[:_READ_CHARACTERS])
    today = _day(now)
    found: list[tuple[int, Range]] = []
    english = ENGLISH if IN_EVERY.search(left) else ()
    # What one rule has read, no later one reads: the longer dates come first.
    for pattern, told in english if left.isascii() else (*HAN, *english):
        for match in pattern.finditer(left):
            # At either end of the calendar there is no last week, or no next one.
            with contextlib.suppress(OverflowError):
                stretch = told(match, today)
                if stretch is None:
                    continue
                found.append((match.start(), stretch))
                read_off = "\0" * len(match[0])
                left = f"{left[: match.start()]}{read_off}{left[match.end() :]}"
    found.sort(key=lambda each: each[0])
    ranges = tuple(dict.fromkeys(stretch for _, stretch in found))[:_MOST]
    return Dated(ranges, left.replace("\0", " ") + text[_READ_CHARACTERS:])


def closeness(
    ranges: Iterable[Range], observed_at: datetime, valid_from: datetime | None = None
) -> float:
    """How near a record lies to the nearest stretch of time, 0 to 1.

    1 inside of it, a half at the distance of its own length, a quarter at twice that.  Either
    clock of the record will do.
    """
    clocks = (observed_at, valid_from or observed_at)
    return max((_near(each, clock) for each in ranges for clock in clocks), default=0.0)


def _near(stretch: Range, moment: datetime) -> float:
    if moment < stretch.start:
        away = stretch.start - moment
    elif moment >= stretch.stop:
        away = moment - stretch.stop
    else:
        return 1.0
    return float(0.5 ** (away / (stretch.stop - stretch.start)))


def _day(now: datetime) -> date:
    return now.date() if now.tzinfo is None else now.astimezone(UTC).date()
