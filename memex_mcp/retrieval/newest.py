"""A question that names filters and no word: what they admit, newest first."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import State, Status
from memex_mcp.model.query import Hit, Query, SearchAnswer
from memex_mcp.policy.access import owners
from memex_mcp.retrieval import believed, hits, top
from memex_mcp.retrieval.cursor import read_offset, write_cursor
from memex_mcp.retrieval.evidence import LEAD, NO_COVERAGE, Candidate, load
from memex_mcp.retrieval.fuse import Found
from memex_mcp.retrieval.render import FRAME_TOKENS, room, top_block
from memex_mcp.retrieval.rivals import flagged
from memex_mcp.retrieval.view import asked_about, page_size, sight_of, statuses, wider
from memex_mcp.store import records, search
from memex_mcp.text import tokens
from memex_mcp.text.fence import Format, inside

_OTHER = "Only records of another status are there; ask with include to see them."


def answer(
    db: sqlite3.Connection,
    query: Query,
    caller: Caller,
    at: datetime,
    form: Format = Format.XML,
) -> SearchAnswer:
    """List what the filters of a query admit, the last observed first.

    Every score is 0 and every snippet the beginning of its text: nothing was asked.

    Raises:
        Invalid: The cursor belongs to another query, or ``include`` names no status.
    """
    offset = read_offset(query)
    limit = page_size(query)
    found = _found(db, query, caller, at, skip=offset, limit=limit + 1)
    searched = records.tally(db, owners(caller), statuses(query))
    if not found:
        state, hint = _why_none(db, query, caller, at)
        return SearchAnswer(state=state, searched=searched, hint=hint)
    best, left = None, query.max_tokens - FRAME_TOKENS
    if query.open_top:
        best = top.text(db, found[0], {}, left * 3 // 4, form)
        left -= tokens.count(inside(top_block(best), form)).tokens
    moment = asked_about(query, at)
    listed = [_hit(db, each, caller, moment) for each in found[:limit]]
    told = flagged(db, listed, query, caller, at)
    shown = hits.within(told, left, room(best, form), form)
    more = len(found) > len(shown)
    return SearchAnswer(
        state=State.OK,
        hits=tuple(shown),
        top=best,
        searched=searched,
        next_cursor=write_cursor(query, offset + len(shown)) if more else None,
    )


def _found(
    db: sqlite3.Connection, query: Query, caller: Caller, at: datetime, *, skip: int, limit: int
) -> Sequence[Candidate]:
    sight = sight_of(query, caller, at)
    if query.believed_at is None:
        return load(db, [Found(n) for n in search.latest(db, sight, skip=skip, limit=limit)])
    current = load(db, [Found(n) for n in search.latest(db, sight, skip=0, limit=skip + limit)])
    past = [
        Candidate(n, record, record.body[:LEAD], past=True)
        for n, record in believed.versions(db, query, caller, query.believed_at)
    ]
    both = sorted([*current, *past], key=_observed, reverse=True)
    return both[skip : skip + limit]


def _observed(candidate: Candidate) -> tuple[datetime, str]:
    return candidate.record.times.observed_at, candidate.record.id


def _hit(db: sqlite3.Connection, candidate: Candidate, caller: Caller, moment: datetime) -> Hit:
    scored = hits.Scored(candidate, NO_COVERAGE, 0.0, {})
    return hits.hit(db, scored, {}, caller, moment)


def _why_none(
    db: sqlite3.Connection, query: Query, caller: Caller, at: datetime
) -> tuple[State, str | None]:
    """Nothing is here, or which filter hides what is, in words."""
    if not any(records.tally(db, owners(caller), tuple(Status)).values()):
        return State.EMPTY_ARCHIVE, None
    for wide, told in wider(query):
        if _found(db, wide, caller, at, skip=0, limit=1):
            return State.FILTERED, told or _OTHER
    return State.NO_MATCH, None
