"""The whole of a recall, top to bottom.

parse -> legs -> fuse -> rerank -> floor -> diversify -> budget -> render
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import CURRENT, State, Status
from memex_mcp.model.query import Hit, Query, SearchAnswer, TopText
from memex_mcp.model.record import Record
from memex_mcp.policy.access import owners
from memex_mcp.retrieval import believed, hits, legs, score, top
from memex_mcp.retrieval.diversify import Said, order
from memex_mcp.retrieval.evidence import LEAD, load, terms_of
from memex_mcp.retrieval.fuse import Found, Ranking, fuse
from memex_mcp.retrieval.hits import Scored, expired
from memex_mcp.retrieval.query import Asked, ask, read_offset, write_cursor
from memex_mcp.retrieval.render import FRAME_TOKENS, room, top_block
from memex_mcp.retrieval.view import sight_of, statuses, wider
from memex_mcp.store import index, records
from memex_mcp.store.visible import Sight
from memex_mcp.text import tokens
from memex_mcp.text.fence import defused

POOL = 24
"""Candidates that are looked at closely; twice the limit if that is more."""

_MOST_HITS = 50
_FIRSTS = 8
_MOST_VARIANTS = 6
_VARIANT_WEIGHT = 0.5
_MORE = "There may be more; narrow the question."
_REBUILDING = "index is being rebuilt"


@dataclass(frozen=True, slots=True)
class _Search:
    """A question on its way: in which words, what each is worth, by whom, when."""

    query: Query
    wordings: tuple[Asked, ...]
    worth: Mapping[str, float]
    caller: Caller
    at: datetime

    @property
    def moment(self) -> datetime:
        """The moment that the question is about."""
        return self.query.as_of or self.query.believed_at or self.at


def recall(db: sqlite3.Connection, query: Query, caller: Caller, at: datetime) -> SearchAnswer:
    """Answer a query from one snapshot.

    Raises:
        Invalid: The query is empty, its cursor belongs to another one, or ``include`` names
            no status.
    """
    offset = read_offset(query)
    wordings = [ask(db, query.text)]
    wordings += [ask(db, each) for each in query.variants[:_MOST_VARIANTS] if each.strip()]
    search = _Search(query, tuple(wordings), score.worth_of(wordings), caller, at)
    ranked, skipped, full = _ranked(db, search)
    if index.stale(db):
        skipped = (*skipped, _REBUILDING)
    searched = records.tally(db, owners(caller), statuses(query))
    if not ranked:
        return _nothing(db, search, searched, skipped)
    page = ranked[offset : offset + _limit(query)]
    best = _top(db, page[0], search) if page and query.open_top else None
    left = query.max_tokens - FRAME_TOKENS
    left -= tokens.count(defused(top_block(best))).tokens if best else 0
    shown = hits.within([_hit(db, each, search) for each in page], left, room(best))
    following = offset + len(shown)
    more = following < len(ranked)
    return SearchAnswer(
        state=State.DEGRADED if skipped else State.OK,
        hits=tuple(shown),
        top=best,
        searched=searched,
        next_cursor=write_cursor(query, following) if shown and more else None,
        hint=_MORE if full and not more and following >= _limit(query) else None,
        skipped=skipped,
    )


def _ranked(db: sqlite3.Connection, search: _Search) -> tuple[list[Scored], tuple[str, ...], bool]:
    """What answers the question, best first, the legs that failed, and whether others match."""
    query = search.query
    if query.believed_at is None and not score.answerable(search.wordings):
        return [], (), False
    sight = sight_of(query, search.caller, search.at)
    rankings, skipped = _legs(db, search.wordings, sight)
    fused = fuse(rankings)
    size = max(POOL, 2 * _limit(query)) + _FIRSTS * (len(search.wordings) - 1)
    found = _places(rankings, _pool(rankings, fused, size))
    if query.believed_at is None:
        candidates = load(db, found)
    else:
        candidates = believed.candidates(db, found, search.wordings[0], query, search.caller)
    exact = {each.n: each.share for each in found}
    scored = [
        score.rate(
            each,
            search.wordings,
            fused=fused.get(each.n, 0.0),
            exact=exact.get(each.n, 0.0),
            at=search.moment,
        )
        for each in candidates
    ]
    passed = score.above_floor(score.with_neighbours(db, scored, sight))
    best = order([_said(each, search) for each in passed])
    return [passed[position] for position in best], skipped, len(fused) > size


def _legs(
    db: sqlite3.Connection, wordings: Sequence[Asked], sight: Sight
) -> tuple[list[Ranking], tuple[str, ...]]:
    """Run every leg for every wording; one that fails is named and left out."""
    rankings: list[Ranking] = []
    skipped: dict[str, None] = {}
    for position, asked in enumerate(wordings):
        for name, leg in (("card", legs.card), ("body", legs.body), ("exact", legs.exact)):
            try:
                found = leg(db, asked, sight)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                    raise
                skipped[f"{name} leg"] = None
            else:
                rankings.append(Ranking(found, _VARIANT_WEIGHT if position else 1.0))
    return rankings, tuple(skipped)


def _pool(rankings: Sequence[Ranking], fused: Iterable[int], size: int) -> list[int]:
    """The best of each leg, then the best of all: two poor places must not crowd out a first.

    Legs take turns, so that the wordings of the question share the places.
    """
    turns = zip_longest(*(ranking.found[:_FIRSTS] for ranking in rankings))
    firsts = (found.n for turn in turns for found in turn if found is not None)
    return list(dict.fromkeys([*firsts, *fused]))[:size]


def _places(rankings: Sequence[Ranking], chosen: Sequence[int]) -> list[Found]:
    """Each record with the chunk that the first ranking knows of, and its share verbatim."""
    by_row = [{found.n: found for found in ranking.found} for ranking in rankings]
    places = []
    for n in chosen:
        known = [rows[n] for rows in by_row if n in rows]
        first = next((found for found in known if found.stop), known[0])
        share = max(found.share for found in known)
        places.append(Found(n, first.start, first.stop, share))
    return places


def _said(scored: Scored, search: _Search) -> Said:
    candidate = scored.candidate
    whole = candidate.start == 0 and len(candidate.text) < LEAD
    return Said(candidate.record, terms_of(candidate.text), whole, _stale(candidate.record, search))


def _stale(record: Record, search: _Search) -> bool:
    """Whether the record says what no longer holds at the moment asked about."""
    if search.query.as_of is not None:
        return False
    return record.status not in CURRENT or expired(record, search.moment)


def _hit(db: sqlite3.Connection, scored: Scored, search: _Search) -> Hit:
    made = hits.hit(db, scored, search.worth, search.caller)
    gone = expired(scored.candidate.record, search.moment)
    return replace(made, expired=gone, parts=made.parts if search.query.explain else None)


def _top(db: sqlite3.Connection, scored: Scored, search: _Search) -> TopText:
    # A quarter stays for the hits themselves.
    most = (search.query.max_tokens - FRAME_TOKENS) * 3 // 4
    return top.text(db, scored.candidate, search.worth, most)


def _nothing(
    db: sqlite3.Connection, search: _Search, searched: dict[str, int], skipped: tuple[str, ...]
) -> SearchAnswer:
    """Say why there are no hits: nothing is here, something hides them, or nothing matches."""
    state, hint = State.NO_MATCH, None
    if skipped:
        state = State.DEGRADED
    elif not any(records.tally(db, owners(search.caller), tuple(Status)).values()):
        state = State.EMPTY_ARCHIVE
    else:
        hint = _hidden(db, search)
        state = State.FILTERED if hint else state
    return SearchAnswer(state=state, searched=searched, hint=hint, skipped=skipped)


def _hidden(db: sqlite3.Connection, search: _Search) -> str | None:
    """Which filter or status hides a match, in words; None when there is none at all."""
    for query, told in wider(search.query):
        ranked, _, _ = _ranked(db, replace(search, query=query))
        if ranked:
            return told or _other_status(ranked[0].candidate.record, search)
    return None


def _other_status(record: Record, search: _Search) -> str:
    name = "expired" if record.status in CURRENT else record.status
    return f'There are {name} matches; ask with include=["{name}"] to see them.'


def _limit(query: Query) -> int:
    return max(1, min(query.limit, _MOST_HITS))
