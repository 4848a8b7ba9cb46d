"""One thing said once, and no session with all the places."""

from collections.abc import Sequence

from memex_mcp.model.kinds import Kind
from memex_mcp.model.record import Record
from memex_mcp.text import lazily
from memex_mcp.values import dataclass

SAME = 0.9
"""Jaccard index of two texts' terms from which they say the same."""

PER_SESSION = 0.5
"""Share of a page that archive records of one session may take while others have something."""

_ARCHIVE = (Kind.SPAN, Kind.CHECKPOINT)
# A difference in one of these is a difference in what is said, however alike the texts are.
_TELLING = lazily.pattern(
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


def order(ranked: Sequence[Said], limit: int, *, everything: bool = False) -> list[int]:
    """Put current before stale, drop repetitions, and let sessions take turns.

    Args:
        ranked: Best first.
        limit: Hits of a page.
        everything: Put current before stale, and no more.

    Returns:
        Positions in ``ranked`` of what is left, best first.
    """
    current_first = sorted(range(len(ranked)), key=lambda position: ranked[position].stale)
    if everything:
        return current_first
    kept: list[int] = []
    whole: list[Said] = []
    stated: set[str] = set()
    for position in current_first:
        said = ranked[position]
        keys = {said.record.value_key, said.record.body_sha256} - {""}
        if not stated.isdisjoint(keys):
            continue
        if said.whole:
            if _repeats(said, whole):
                continue
            whole.append(said)
        kept.append(position)
        stated |= keys
    most = max(2, int(PER_SESSION * limit))
    first: list[int] = []
    later: list[int] = []
    taken: dict[tuple[str, str], int] = {}
    for position in kept:
        session = _session(ranked[position].record)
        count = taken[session] = taken.get(session, 0) + 1
        (later if session[1] and count > most else first).append(position)
    return first + later


def _session(record: Record) -> tuple[str, str]:
    """The session whose archive a record is part of; unnamed for what is limited by none."""
    return record.workspace_id, record.session_id if record.kind in _ARCHIVE else ""


def _repeats(said: Said, whole: Sequence[Said]) -> bool:
    """Whether one of the whole texts that were kept says the same in nearly the same words."""
    size = len(said.terms)
    if not size:
        return False
    # Most differ so much in size that nothing else need be compared.
    least, most = SAME * size, size / SAME
    return any(least <= len(each.terms) <= most and _alike(said, each) for each in whole)


def _alike(one: Said, better: Said) -> bool:
    if one.stale != better.stale:
        return False
    shared = len(one.terms & better.terms)
    if shared < SAME * (len(one.terms) + len(better.terms) - shared):
        return False
    return not any(_TELLING.search(term) for term in one.terms ^ better.terms)
