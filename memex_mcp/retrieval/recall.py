"""The whole of a recall, top to bottom.

parse -> legs -> fuse -> rerank -> floor -> diversify -> join -> budget -> render
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from memex_mcp.errors import Unavailable
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import CURRENT, State, Status
from memex_mcp.model.query import Hit, Query, SearchAnswer, TopText
from memex_mcp.model.record import Record
from memex_mcp.policy.access import owners
from memex_mcp.retrieval import believed, dates, hits, language, legs, meaning, newest, score, top
from memex_mcp.retrieval.aids import NONE, Aids
from memex_mcp.retrieval.associates import associates
from memex_mcp.retrieval.cursor import read_offset, write_cursor
from memex_mcp.retrieval.dates import Range
from memex_mcp.retrieval.diversify import Said, order
from memex_mcp.retrieval.evidence import LEAD, load, terms_of
from memex_mcp.retrieval.fuse import FIRSTS, Found, Ranking, fuse, places, pool, relative
from memex_mcp.retrieval.hits import Scored, expired
from memex_mcp.retrieval.near_misses import near_miss
from memex_mcp.retrieval.query import Asked, ask
from memex_mcp.retrieval.render import FRAME_TOKENS, room, top_block
from memex_mcp.retrieval.rivals import flagged
from memex_mcp.retrieval.score import Given
from memex_mcp.retrieval.tuning import DEFAULT, Tuning
from memex_mcp.retrieval.view import asked_about, page_size, sight_of, statuses, wider
from memex_mcp.store import index, records
from memex_mcp.store.visible import Sight
from memex_mcp.text import tokens
from memex_mcp.text.fence import inside
from memex_mcp.values import dataclass

POOL = 24
"""Candidates that are looked at closely; twice the limit if that is more."""

_LEGS = (("card", legs.card), ("body", legs.body), ("exact", legs.exact))
_MOST_VARIANTS = 6
_VARIANT_WEIGHT = 0.5
_MORE = "There may be more; narrow the question."
_REBUILDING = "index is being rebuilt"
_MEANING = "meaning leg"
_RERANK = "rerank"


@dataclass(frozen=True, slots=True)
class _Search:
    """A question on its way: in which words, what each is worth, by whom, when."""

    query: Query
    wordings: tuple[Asked, ...]
    worth: Mapping[str, float]
    caller: Caller
    at: datetime
    said: Sequence[Range]
    tuning: Tuning
    aids: Aids

    @property
    def moment(self) -> datetime:
        """The moment that the question is about."""
        return asked_about(self.query, self.at)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """What a search found.

    Attributes:
        hits: Best first.
        best: The same as words alone have it.
        skipped: The legs that failed.
        full: Others match as well.
        passed: Rows above the floor, also those that only repeat a hit.
    """

    hits: Sequence[Scored] = ()
    best: Sequence[Scored] = ()
    skipped: tuple[str, ...] = ()
    full: bool = False
    passed: frozenset[int] = frozenset()


def recall(
    db: sqlite3.Connection,
    query: Query,
    caller: Caller,
    at: datetime,
    tuning: Tuning = DEFAULT,
    aids: Aids = NONE,
) -> SearchAnswer:
    """Answer a query from one snapshot.

    Raises:
        Invalid: The query is empty, its cursor belongs to another one, or ``include`` names
            no status.
    """
    query = language.applied(query)
    if language.only_filters(query):
        return newest.answer(db, query, caller, at, tuning.form)
    offset = read_offset(query)
    texts = [query.text, *filter(str.strip, query.variants[:_MOST_VARIANTS])]
    dated = [dates.read(each, asked_about(query, at)) for each in texts]
    wordings = [ask(db, each, read.rest) for each, read in zip(texts, dated, strict=True)]
    worth, said = score.worth_of(wordings), dated[0].ranges
    search = _Search(query, tuple(wordings), worth, caller, at, said, tuning, aids)
    found = _reranked(search, _ranked(db, search))
    ranked, skipped, full = found.hits, found.skipped, found.full
    if index.stale(db):
        skipped = (*skipped, _REBUILDING)
    searched = records.tally(db, owners(caller), statuses(query))
    if not ranked:
        return _nothing(db, search, searched, skipped)
    places = page_size(query) - len(ranked)
    if places > 0 and tuning.spread and query.believed_at is None:
        sight = sight_of(query, caller, at)
        ranked = [*ranked, *associates(db, ranked, sight, places, found.passed)]
    page = ranked[offset : offset + page_size(query)]
    best = _top(db, page[0], search) if page and query.open_top else None
    left = query.max_tokens - FRAME_TOKENS
    left -= tokens.count(inside(top_block(best), tuning.form)).tokens if best else 0
    told = flagged(db, [_hit(db, each, search) for each in page], query, caller, at)
    shown = hits.within(told, left, room(best, tuning.form), tuning.form)
    following = offset + len(shown)
    more = following < len(ranked)
    return SearchAnswer(
        state=State.DEGRADED if skipped else State.OK,
        hits=tuple(shown),
        top=best,
        searched=searched,
        next_cursor=write_cursor(query, following) if shown and more else None,
        hint=near_miss(query.text)
        or (_MORE if full and not more and following >= page_size(query) else None),
        skipped=skipped,
    )


def _ranked(db: sqlite3.Connection, search: _Search) -> _Ranked:
    """What answers the question, and what words alone say to it."""
    query, tuning = search.query, search.tuning
    meant = search.aids.meaning if meaning.LEG in tuning.legs else None
    hopeless = not score.answerable(search.wordings, tuning.floor)
    if query.believed_at is None and hopeless and meant is None:
        return _Ranked()
    sight = sight_of(query, search.caller, search.at)
    rankings, skipped = _legs(db, search, sight)
    fused = fuse(rankings)
    size = max(POOL, 2 * page_size(query)) + FIRSTS * (len(search.wordings) - 1)
    found = places(rankings, pool(rankings, fused, size))
    there = None
    if meant is not None:
        least = tuning.similar.floor(across=search.wordings[0].foreign)
        there = meaning.around(db, meant, sight, least)
        skipped = skipped if there else (*skipped, _MEANING)
    beside = there.beside({each.n for each in found}, size) if there else []
    strange = frozenset(each.n for each in beside)
    scored = _scored(db, search, rankings, [*found, *beside])
    unworded = strange - fused.keys()
    if unworded:
        scored = [replace(each, worded=each.candidate.n not in unworded) for each in scored]
    ranked = score.with_neighbours(db, scored, sight, tuning.weights, strange)
    words = [each for each in ranked if each.candidate.n not in strange]
    passed = score.above_floor(words, tuning.floor)
    best = _sorted_out(search, passed)
    full = len(fused) > size
    above = frozenset(each.candidate.n for each in passed)
    if there is None:
        return _Ranked(best, best, skipped, full, above)
    worded = meaning.Worded(ranked, strange, passed, best)
    sorted_out = partial(_sorted_out, search)
    joined = meaning.joined(worded, there, tuning.weights.dense, page_size(query), sorted_out)
    return _Ranked(joined, best, skipped, full, above)


def _scored(
    db: sqlite3.Connection,
    search: _Search,
    rankings: Sequence[Ranking],
    found: Sequence[Found],
) -> list[Scored]:
    """Candidates with what speaks for each, in no order."""
    query = search.query
    if query.believed_at is None:
        candidates = load(db, found)
    else:
        candidates = believed.candidates(db, found, search.wordings[0], query, search.caller)
    cards, bodies = relative(rankings, "card"), relative(rankings, "body")
    given = {
        each.n: Given(cards.get(each.n, 0.0), bodies.get(each.n, 0.0), each.share) for each in found
    }
    return [
        score.rate(
            each,
            search.wordings,
            given.get(each.n, Given()),
            at=search.moment,
            said=search.said,
            weights=search.tuning.weights,
        )
        for each in candidates
    ]


def _sorted_out(search: _Search, scored: Sequence[Scored]) -> list[Scored]:
    """Hits without repetitions, sessions by turns; best first."""
    said = [_said(each, search) for each in scored]
    best = order(said, page_size(search.query), everything=not search.tuning.diversify)
    return [scored[position] for position in best]


def _reranked(search: _Search, found: _Ranked) -> _Ranked:
    """What was found in the order of the reranker, if there is one and it answers."""
    reranker, query = search.aids.reranker, search.query
    if reranker is None or not found.hits:
        return found
    try:
        hits = meaning.reranked(found.hits, found.best, query.text, reranker, page_size(query))
    except Unavailable:
        return replace(found, skipped=(*found.skipped, _RERANK))
    return replace(found, hits=hits)


def _legs(
    db: sqlite3.Connection, search: _Search, sight: Sight
) -> tuple[list[Ranking], tuple[str, ...]]:
    """Run every leg for every wording; one that fails is named and left out."""
    rankings: list[Ranking] = []
    skipped: dict[str, None] = {}
    chosen = [(name, leg) for name, leg in _LEGS if name in search.tuning.legs]
    for position, asked in enumerate(search.wordings):
        for name, leg in chosen:
            try:
                found = leg(db, asked, sight)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                    raise
                skipped[f"{name} leg"] = None
            else:
                rankings.append(Ranking(found, _VARIANT_WEIGHT if position else 1.0, name))
    return rankings, tuple(skipped)


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
    explain = search.query.explain
    return hits.hit(db, scored, search.worth, search.caller, search.moment, explain=explain)


def _top(db: sqlite3.Connection, scored: Scored, search: _Search) -> TopText:
    # A quarter stays for the hits themselves.
    most = (search.query.max_tokens - FRAME_TOKENS) * 3 // 4
    return top.text(db, scored.candidate, search.worth, most, search.tuning.form)


def _nothing(
    db: sqlite3.Connection, search: _Search, searched: dict[str, int], skipped: tuple[str, ...]
) -> SearchAnswer:
    """Say why there are no hits: nothing is here, something hides them, or nothing matches."""
    state, hint = State.NO_MATCH, None
    if skipped:
        state = State.DEGRADED
    elif not any(records.tally(db, owners(search.caller), tuple(Status)).values()):
        state = State.EMPTY_ARCHIVE
    elif search.tuning.reasons:
        hint = _hidden(db, search)
        state = State.FILTERED if hint else state
        hint = near_miss(search.query.text) or hint
    return SearchAnswer(state=state, searched=searched, hint=hint, skipped=skipped)


def _hidden(db: sqlite3.Connection, search: _Search) -> str | None:
    """Which filter or status hides a match, in words; None when there is none at all."""
    for query, told in wider(search.query):
        found = _ranked(db, replace(search, query=query)).hits
        if found:
            return told or _other_status(found[0].candidate.record, search)
    return None


def _other_status(record: Record, search: _Search) -> str:
    name = "expired" if record.status in CURRENT else record.status
    return f'There are {name} matches; ask with include=["{name}"] to see them.'
