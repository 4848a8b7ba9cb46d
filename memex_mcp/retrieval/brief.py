"""What a session begins with: the same bytes until something is written.

The blocks stand in the order in which they change: what always holds, what else is on record,
how full the archives are, and after a compaction what became of the conversation.  Each has a
nonce that follows from its content, so that a write changes its own block and none before it.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import STABLE, Kind, Scope, Trust
from memex_mcp.model.levels import Previews
from memex_mcp.model.record import Record
from memex_mcp.retrieval.shown import CHARACTERS, FRAMING, Manner, authors, pointer, whole
from memex_mcp.store import records, veil
from memex_mcp.store.fullness import nearly_full
from memex_mcp.store.migrations import get_meta
from memex_mcp.store.visible import Sight, apart_from, notes_by, pinned, sight
from memex_mcp.text.ceiling import at_most
from memex_mcp.text.fence import fenced, inside, nonce_of
from memex_mcp.values import dataclass

BRIEF, CATALOG, CAPACITY, RECEIPT = "brief", "catalog", "capacity", "receipt"

NOTICE = "[EXTRA CONTEXT CAPACITY]"
"""Heads what is said about a level that is nearly full."""

FULL = 0.8
"""Share of a level's capacity from which it is told."""

_ALWAYS = 0.5
_STABLE_SHARE = 0.8
_MOST = 60
_MOST_ARCHIVES = 12
_WHOLE = 160
_FULL = (
    "{} holds {:.0%} of its capacity of {:,} tokens. Nothing is lost when it is full, and all"
    " of it stays findable.",
    "{} 已用容量的 {:.0%}（共 {:,} tokens）。写满也不会丢失任何内容，仍可检索。",
)
_MORE = "More is on record; memory_search finds it."


@dataclass(frozen=True, slots=True)
class _View:
    """What may be read for one brief."""

    db: sqlite3.Connection
    caller: Caller
    at: datetime
    manner: Manner
    key: str

    def page(self, seen: Sight, most: int = _MOST) -> list[Record]:
        """The newest records of a sight that the policy admits."""
        only = authors(self.manner.policy)
        admitted = notes_by(seen, only) if only else seen
        return veil.page(self.db, admitted, before_id=None, limit=most)

    def block(self, lines: Sequence[str], label: str, note: str = "") -> str:
        """Lines inside a fence whose nonce follows from them."""
        body = "\n".join(lines)
        nonce = nonce_of(self.key, f"{label}\n{body}")
        return fenced(body, label=label, nonce=nonce, format=self.manner.form, note=note)


def build(
    db: sqlite3.Connection, caller: Caller, at: datetime, manner: Manner, receipt: str = ""
) -> str:
    """What a session should know at its beginning; empty when nothing is on record.

    Args:
        db: Snapshot to read from.
        caller: Decides what is seen; its own session's archive is left out.
        at: The moment; what has expired by then is left out.
        manner: Whose records may be shown, within which budget.
        receipt: What was archived of the session, a line each; stands last and takes nothing
            from the rest.
    """
    if manner.policy is Previews.OFF:
        return ""
    view = _View(db, caller, at, manner, get_meta(db, "store_id") or "")
    stable = int(manner.budget * _STABLE_SHARE)
    blocks = [block for block in _stable(view, stable) if block]
    left = manner.budget - sum(map(at_most, blocks)) - len(blocks)
    if blocks and (notice := _notice(view)):
        blocks, left = _added(blocks, view.block(notice, CAPACITY), left)
    if receipt:
        told = _filled(view, receipt.splitlines(), RECEIPT, left - 1, note="")
        blocks, _ = _added(blocks, told, left)
    text = "\n".join(blocks)
    # The budget is in tokens; a client counts characters.
    while blocks and (len(text) > CHARACTERS or at_most(text) > manner.budget):
        blocks.pop()
        text = "\n".join(blocks)
    return text


def _added(blocks: list[str], block: str, left: int) -> tuple[list[str], int]:
    cost = at_most(block) + 1
    return ([*blocks, block], left - cost) if block and cost <= left else (blocks, left)


def _stable(view: _View, budget: int) -> Iterator[str]:
    """What always holds, then what else is on record."""
    always = list(_always(view))
    residents = (_resident(view, record) for record in always)
    first = _filled(view, residents, BRIEF, budget * _ALWAYS)
    yield first
    known = {record.id for record in always}
    others = [record for record in _others(view) if record.id not in known]
    lines = (pointer(record) for record in others)
    note = "" if first else FRAMING
    yield _filled(view, lines, CATALOG, budget - at_most(first), note)


def _filled(
    view: _View, lines: Iterable[str], label: str, budget: float, note: str = FRAMING
) -> str:
    """A block with the first lines that fit, and whether there are more; empty without any."""
    kept: list[str] = []
    more = False
    room = budget - at_most(view.block(["", _MORE], label, note))
    for line in lines:
        room -= at_most(inside(line, view.manner.form)) + 1
        if room < 0:
            more = True
            break
        kept.append(line)
    if not kept:
        return ""
    return view.block([*kept, _MORE] if more else kept, label, note)


def _always(view: _View) -> Iterator[Record]:
    """Pinned records, the persona, then stable notes, each once."""
    caller, at = view.caller, view.at
    seen: set[str] = set()
    for clause in (
        pinned(sight(caller, at=at)),
        sight(caller, at=at, kinds=(Kind.PERSONA,)),
        sight(caller, at=at, kinds=(Kind.NOTE,), types=STABLE),
    ):
        for record in sorted(view.page(clause), key=lambda each: each.trust is not Trust.VERIFIED):
            if record.id not in seen:
                seen.add(record.id)
                yield record


def _resident(view: _View, record: Record) -> str:
    """A short note whole; of anything longer the line that says what there is to open."""
    if record.kind is not Kind.NOTE or record.tokens > _WHOLE:
        return pointer(record)
    number = records.number(view.db, record.id)
    body = "" if number is None else veil.body_text(view.db, number)
    text = whole(record, body)
    return text if at_most(text) <= 2 * _WHOLE else pointer(record)


def _others(view: _View) -> list[Record]:
    """Notes and scenes, newest first, then the last archives of other sessions."""
    notes = sight(view.caller, at=view.at, kinds=(Kind.NOTE, Kind.SCENE))
    return [*view.page(notes), *view.page(_archives(view), _MOST_ARCHIVES)]


def _archives(view: _View) -> Sight:
    """The archives of the workspace but those of the caller's own session."""
    kinds = (Kind.CHECKPOINT, Kind.DIGEST)
    seen = sight(view.caller, at=view.at, kinds=kinds, scope=Scope.WORKSPACE)
    return apart_from(seen, view.caller.session_id or "")


def _notice(view: _View) -> list[str]:
    """What to say of levels that are nearly full; in whole percents, so that it rarely changes."""
    full = nearly_full(view.db, view.caller, FULL)
    told = [each.format(one.level, one.share, one.capacity) for one in full for each in _FULL]
    return [NOTICE, *told] if told else []
