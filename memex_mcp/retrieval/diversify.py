"""One thing said once, and no session with all the places."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memex_mcp.model.kinds import Kind
from memex_mcp.model.record import Record

SAME = 0.9
"""Jaccard index of two texts' terms from which they say the same."""

PER_SESSION = 2
"""Archive records of one session that come before those of others."""

_ARCHIVE = (Kind.SPAN, Kind.CHECKPOINT)
# A difference in one of these is a difference in what is said, however alike the texts are.
_TELLING = re.compile(
    r"\d|^(?:not?|nor|never|none|without|cannot|dis\w+|un\w+)$|[不没無无未勿非别禁]"
)


@dataclass(frozen=True, slots=True)
class Said:
    """What is compared of one hit.

    Attributes:
        terms: Distinct terms of its text.
        whole: The terms are those of the whole body.
        stale: Superseded or expired.
    """

    record: Record
    terms: frozenset[str]
    whole: bool
    stale: bool = False


def order(ranked: Sequence[Said]) -> list[int]:
    """Put current before stale, drop repetitions, and let sessions take turns.

    Args:
        ranked: Best first.

    Returns:
        Positions in ``ranked`` of what is left, best first.
    """
    kept: list[int] = []
    for position in sorted(range(len(ranked)), key=lambda position: ranked[position].stale):
        if not any(_repeats(ranked[position], ranked[earlier]) for earlier in kept):
            kept.append(position)
    first: list[int] = []
    later: list[int] = []
    taken: dict[tuple[str, str], int] = {}
    for position in kept:
        session = _session(ranked[position].record)
        count = taken[session] = taken.get(session, 0) + 1
        (later if session[1] and count > PER_SESSION else first).append(position)
    return first + later


def _session(record: Record) -> tuple[str, str]:
    """The session whose archive a record is part of; unnamed for what is limited by none."""
    return record.workspace_id, record.session_id if record.kind in _ARCHIVE else ""


def _repeats(one: Said, better: Said) -> bool:
    """Whether one says nothing that a better one, perhaps of another scope, does not say."""
    if one.record.value_key and one.record.value_key == better.record.value_key:
        return True
    if one.record.body_sha256 and one.record.body_sha256 == better.record.body_sha256:
        return True
    if one.stale != better.stale or not (one.whole and better.whole):
        return False
    fewer, more = sorted((len(one.terms), len(better.terms)))
    if not fewer or fewer < SAME * more:
        return False
    if len(one.terms & better.terms) < SAME * len(one.terms | better.terms):
        return False
    return not any(_TELLING.search(term) for term in one.terms ^ better.terms)
