"""The page of context for one question: what always counts, then what answers it.

Pinned records and stable ones (persona, constraints, preferences, instructions) come first
and take a quarter of the budget at most, so that they cannot push the hits out; without a
question the page is theirs.  The hits follow in the order of the search.  Every excerpt is at
first about 120 tokens around its match, so that many fit; what is left of the budget then
lets all of them grow alike.  A reranker orders the hits that fit and decides nothing else.
"""

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memex_mcp.errors import Invalid, Unavailable
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import STABLE, Kind, State, Trust
from memex_mcp.model.query import Query, SearchAnswer
from memex_mcp.model.window import Excerpt, Window
from memex_mcp.retrieval import recall, score
from memex_mcp.retrieval.aids import NONE, Aids
from memex_mcp.retrieval.excerpts import Source, Wanted, block
from memex_mcp.retrieval.fitting import HIT, SIZES, Chosen, fitting, grown, reranked
from memex_mcp.retrieval.language import parse
from memex_mcp.retrieval.query import ask
from memex_mcp.store import records, veil
from memex_mcp.store.migrations import get_meta
from memex_mcp.store.visible import pinned, sight
from memex_mcp.text import tokens
from memex_mcp.text.fence import fenced
from memex_mcp.text.fold import is_blank
from memex_mcp.values import dataclass

LEAST, MOST = 200, 20_000
"""Tokens that a page may be asked to cost."""

SHARE = 4
"""Pinned and stable records take one part in four, unless nothing is asked."""

_MOST_HITS = 24
_MOST_RESIDENTS = 20
_SEARCH_TOKENS = 20_000
_SPARE = 24
_RERANK = "rerank"
_NOTHING = {
    State.NO_MATCH: "nothing on record matches.",
    State.EMPTY_ARCHIVE: "nothing is on record here yet.",
    State.FILTERED: "the filters hide every match.",
    State.DEGRADED: "nothing found, and not everything could be searched.",
    State.DISABLED: "memory is off.",
    State.OK: "nothing is pinned or stable here.",
}


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands around the excerpts.

    Attributes:
        key: Nobody who writes a record knows it, so that nobody foresees the fence.
    """

    state: State
    notes: tuple[str, ...]
    key: str

    def page(self, excerpts: Sequence[Excerpt], left_out: int) -> str:
        """The whole page; the same for the same excerpts."""
        notes = list(self.notes)
        if left_out:
            notes.append(f"{left_out} more did not fit; raise the budget or search for them.")
        told = "nothing fits." if left_out else _NOTHING.get(self.state, "no hits.")
        if not excerpts:
            return "\n".join([f"{self.state}: {told}", *notes])
        text = "\n".join(block(number, each) for number, each in enumerate(excerpts, start=1))
        digest = hashlib.sha256(f"{self.key}\0{text}".encode("utf-8", "surrogatepass"))
        page = fenced(text, label="window", nonce=digest.hexdigest()[:8])
        found = any(each.why == HIT for each in excerpts)
        also = "" if found or self.state is State.OK else f" {told} This holds whatever is asked:"
        return "\n".join([f"{self.state}:{also} {len(excerpts)} excerpts", page, *notes])

    @property
    def cost(self) -> int:
        """What the page costs besides its excerpts, and what may be added to its notes."""
        bare = self.page([], 9_999) + fenced("", label="window", nonce="0" * 8)
        return tokens.count(bare).tokens + _SPARE


def window(
    db: sqlite3.Connection,
    question: str,
    caller: Caller,
    at: datetime,
    budget: int,
    *,
    aids: Aids = NONE,
) -> Window:
    """Assemble the page from one snapshot; the same page each time.

    Args:
        db: Snapshot to read from.
        question: As for a search, filters in it included; blank for what always counts.
        caller: Decides what is seen.
        at: The moment of the question.
        budget: 200 to 20,000 tokens that the page may cost as it is shown.
        aids: Its reranker orders the hits that fit.

    Raises:
        Invalid: The budget is out of range.
    """
    if not LEAST <= budget <= MOST:
        raise Invalid(f"the budget is {budget:,} tokens", f"Ask for {LEAST} to {MOST:,}.")
    answer = _searched(db, question, caller, at, budget, aids)
    wanted = _wanted(db, question)
    notes = [note for note in (answer.hint, answer.notice) if note]
    notes += [f"skipped: {step}" for step in answer.skipped]
    frame = _Frame(answer.state, tuple(notes), get_meta(db, "store_id") or "")
    residents, hits = _residents(db, caller, at, wanted), _hits(db, answer, wanted)
    share = 1 if is_blank(question) else SHARE
    chosen = grown(fitting(residents, hits, budget - frame.cost, share), budget - frame.cost)
    if aids.reranker is None:
        return _window(frame, chosen, answer, budget)
    try:
        chosen = reranked(chosen, question, aids.reranker)
    except Unavailable:
        answer = replace(answer, skipped=(*answer.skipped, _RERANK))
        frame = replace(frame, notes=(*frame.notes, f"skipped: {_RERANK}"))
    return _window(frame, chosen, answer, budget)


def switched_off(why: str, budget: int) -> Window:
    """The page while memory is off."""
    frame = _Frame(State.DISABLED, (why,), "")
    answer = SearchAnswer(state=State.DISABLED, hint=why)
    return _window(frame, Chosen((), (), 0), answer, budget)


def _searched(
    db: sqlite3.Connection, question: str, caller: Caller, at: datetime, budget: int, aids: Aids
) -> SearchAnswer:
    if is_blank(question):
        seen = any(records.count(db, sight(caller, at=at)).values())
        return SearchAnswer(state=State.OK if seen else State.EMPTY_ARCHIVE)
    limit = max(1, min(budget // SIZES[0] + 1, _MOST_HITS))
    query = Query(text=question, limit=limit, max_tokens=_SEARCH_TOKENS)
    return recall.recall(db, query, caller, at, aids=replace(aids, reranker=None))


def _wanted(db: sqlite3.Connection, question: str) -> Wanted:
    words, _ = parse(question)
    if is_blank(words):
        return Wanted({})
    asked = ask(db, words)
    return Wanted(score.worth_of([asked]), asked.exact)


def _hits(db: sqlite3.Connection, answer: SearchAnswer, wanted: Wanted) -> list[Source]:
    expired = {hit.id: hit.expired for hit in answer.hits}
    return _sources(db, expired, HIT, wanted)


def _residents(
    db: sqlite3.Connection, caller: Caller, at: datetime, wanted: Wanted
) -> list[Source]:
    """Pinned records, the persona, then stable notes, verified ones first; the newest first."""
    found: dict[str, str] = {}
    for why, seen in (
        ("pinned", pinned(sight(caller, at=at))),
        ("stable", sight(caller, at=at, kinds=(Kind.PERSONA,))),
        ("stable", sight(caller, at=at, kinds=(Kind.NOTE,), types=STABLE)),
    ):
        page = veil.page(db, seen, before_id=None, limit=_MOST_RESIDENTS)
        for record in sorted(page, key=lambda each: each.trust is not Trust.VERIFIED):
            found.setdefault(record.id, why)
    return [
        source
        for why in ("pinned", "stable")
        for source in _sources(db, [each for each in found if found[each] == why], why, wanted)
    ]


def _sources(
    db: sqlite3.Connection,
    ids: Mapping[str, bool] | Sequence[str],
    why: str,
    wanted: Wanted,
) -> list[Source]:
    expired = ids if isinstance(ids, Mapping) else {}
    numbers = [n for n in (records.number(db, each) for each in ids) if n is not None]
    rows = veil.some(db, numbers)
    return [
        Source(db, n, rows[n], why, wanted, expired.get(rows[n].id, False))
        for n in numbers
        if n in rows
    ]


def _window(frame: _Frame, chosen: Chosen, answer: SearchAnswer, budget: int) -> Window:
    excerpts, left_out = list(chosen.excerpts), chosen.left_out
    text = frame.page(excerpts, left_out)
    # The parts are counted one by one; only the whole page is what it costs.
    while tokens.count(text).tokens > budget and excerpts:
        excerpts.pop()
        left_out += 1
        text = frame.page(excerpts, left_out)
    if tokens.count(text).tokens > budget:
        text = f"{frame.state}"
    count = tokens.count(text)
    return Window(
        state=frame.state,
        text=text,
        tokens=count.tokens,
        token_method=count.method,
        excerpts=tuple(excerpts),
        left_out=left_out,
        hint=answer.hint,
        skipped=answer.skipped,
    )
