"""What a prompt brings back by itself: little, whole, labelled, and nothing twice.

Notes are shown with all of their text or not at all; of an archive there is a line that says
what to open.  Every one of them answers by itself: a search may show what is merely near,
but nobody searched here.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind, State
from memex_mcp.model.levels import Previews
from memex_mcp.model.query import Hit, Query
from memex_mcp.model.record import Record
from memex_mcp.retrieval import recall
from memex_mcp.retrieval.asking import Question
from memex_mcp.retrieval.floor import Floor
from memex_mcp.retrieval.shown import CHARACTERS, FRAMING, Manner, authors, pointer, whole
from memex_mcp.retrieval.tuning import DEFAULT
from memex_mcp.store import seen, veil
from memex_mcp.store.migrations import get_meta
from memex_mcp.store.visible import Sight, sight
from memex_mcp.text.card import clip
from memex_mcp.text.ceiling import at_most
from memex_mcp.text.fence import Format, fenced, inside, nonce_of
from memex_mcp.values import dataclass

ITEMS = 6
"""Records that one prompt brings back at most."""

LABEL = "recall"

# Spans are left out: those that a session sees are its own.
_KINDS = (Kind.NOTE, Kind.CHECKPOINT, Kind.DIGEST, Kind.SCENE, Kind.PERSONA)
_RANKED = 12
_SEARCH_TOKENS = 20_000
_SAID = 160
# On the sets of ``docs/recall.md`` this answers one question in eighty about something else,
# instead of one in twenty, and loses one hit in twenty-five.
_ENOUGH = 6.4
_TUNING = replace(
    DEFAULT, spread=False, reasons=False, floor=Floor(answer=_ENOUGH, company=_ENOUGH)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is put into a context, and what is not.

    Attributes:
        state: As of the search; ``no_match`` too where all that matched was shown before.
        text: The whole fence; empty when there is nothing to show.
        ids: Records in it, in order.
        left_out: Records that matched and did not fit.
    """

    state: State
    text: str = ""
    ids: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class _Item:
    """A record as it would be shown; without text it is too big for any answer."""

    id: str
    text: str


def find(
    db: sqlite3.Connection, question: Question, caller: Caller, at: datetime, manner: Manner
) -> Shown:
    """Find what a question brings back in this session and was not shown in it yet.

    Args:
        db: Snapshot to read from.
        question: What the prompt asks.
        caller: Decides what is seen; its own session's archive is left out, being its context.
        at: The moment of the prompt.
        manner: Whose records may be shown, within which budget.
    """
    if manner.policy is Previews.OFF:
        return Shown(state=State.DISABLED)
    chosen = _best(db, question, caller, at, manner)
    # What was shown keeps its place, or the same prompt would bring the next best each time.
    shown = _shown_before(db, caller, [hit.id for hit in chosen])
    fresh = [hit for hit in chosen if hit.id not in shown]
    items = list(_items(db, fresh, sight(caller, at=at), manner.budget))
    return _assembled(items, manner, get_meta(db, "store_id") or "")


def _best(
    db: sqlite3.Connection, question: Question, caller: Caller, at: datetime, manner: Manner
) -> list[Hit]:
    """What answers best of what the policy admits, without the archive of the caller's session."""
    tuning = replace(_TUNING, weights=replace(_TUNING.weights, **manner.weights))
    query = Query(
        text=question.text,
        variants=question.variants,
        kinds=_KINDS,
        authors=authors(manner.policy),
        apart_from=caller.session_id or "",
        limit=_RANKED,
        max_tokens=_SEARCH_TOKENS,
    )
    return list(recall.recall(db, query, caller, at, tuning).hits[:ITEMS])


def _shown_before(db: sqlite3.Connection, caller: Caller, ids: Sequence[str]) -> set[str]:
    if caller.workspace is None or not caller.session_id:
        return set()
    return seen.which(db, caller.workspace.id, caller.session_id, ids)


def _items(
    db: sqlite3.Connection, hits: Sequence[Hit], clause: Sight, budget: int
) -> Iterable[_Item]:
    for hit in hits:
        record = veil.get(db, hit.id, clause, with_body=hit.tokens <= budget)
        if record is not None:
            yield _Item(record.id, _text(record, hit, budget))


def _text(record: Record, hit: Hit, budget: int) -> str:
    if record.kind is not Kind.NOTE:
        return pointer(record, clip(" ".join(hit.snippet.split()), _SAID))
    return whole(record, record.body) if hit.tokens <= budget else ""


def _assembled(items: Sequence[_Item], manner: Manner, key: str) -> Shown:
    """As many items as the budget holds, in order; each of them whole."""
    kept: list[_Item] = []
    budget, form = manner.budget, manner.form
    room = budget - at_most(_page([], 99, form, key))
    for item in items:
        cost = at_most(inside(item.text, form)) + 1
        if item.text and cost <= room:
            kept.append(item)
            room -= cost
    while kept:
        text = _page(kept, len(items) - len(kept), form, key)
        # The parts were counted one by one; only the whole is what it costs.
        if at_most(text) <= budget and len(text) <= CHARACTERS:
            ids = tuple(item.id for item in kept)
            return Shown(state=State.OK, text=text, ids=ids, left_out=len(items) - len(kept))
        kept.pop()
    return Shown(state=State.NO_MATCH, left_out=len(items))


def _page(kept: Sequence[_Item], left_out: int, form: Format, key: str) -> str:
    lines = [item.text for item in kept]
    if left_out:
        lines.append(f"{left_out} more matched and did not fit; memory_search finds them.")
    body = "\n".join(lines)
    return fenced(body, label=LABEL, nonce=nonce_of(key, body), format=form, note=FRAMING)
