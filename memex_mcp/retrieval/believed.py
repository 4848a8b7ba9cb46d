"""What was on record at an earlier moment: texts and statuses as they were then."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Query
from memex_mcp.model.record import Record
from memex_mcp.retrieval.evidence import LEAD, Candidate, cover, load
from memex_mcp.retrieval.fuse import Found
from memex_mcp.retrieval.hits import expired
from memex_mcp.retrieval.query import Asked
from memex_mcp.retrieval.snippet import window
from memex_mcp.retrieval.view import EXPIRED, statuses
from memex_mcp.store import records, revisions, veil
from memex_mcp.store.visible import lies_at, owners_clause

_SCANNED = 2_000
_MOST = 40
_READ = 20_000


def candidates(
    db: sqlite3.Connection, found: Sequence[Found], asked: Asked, query: Query, caller: Caller
) -> list[Candidate]:
    """Turn records that match now, and versions that matched then, into what was known then.

    The index knows current texts only, so the versions of that time are read one by one,
    2,000 at most.

    Args:
        db: Snapshot to read.
        found: Records that match, as of then, and have not changed since.
        asked: What earlier versions are searched for.
        query: Its filters are applied to the versions of then.
        caller: Only what it owns is read.
    """
    moment = query.believed_at
    if moment is None:
        return load(db, found)
    return [*load(db, found), *_changed(db, asked, query, caller, moment)]


def _changed(
    db: sqlite3.Connection, asked: Asked, query: Query, caller: Caller, moment: datetime
) -> list[Candidate]:
    """Versions that were current then and hold words of the question, most of it first."""
    holding: list[tuple[float, Candidate]] = []
    worth = {form: concept.rarity for concept in asked.concepts for form in concept.forms}
    for n, past in versions(db, query, caller, moment):
        start, stop = window(past.body[:_READ], worth, length=LEAD)
        each = Candidate(n, past, past.body[start:stop], start, matched=True, past=True)
        held = cover(asked, each).whole
        if held:
            holding.append((held, each))
    holding.sort(key=lambda pair: -pair[0])
    return [each for _, each in holding[:_MOST]]


def versions(
    db: sqlite3.Connection, query: Query, caller: Caller, moment: datetime
) -> Iterator[tuple[int, Record]]:
    """Versions that were current then and that the filters admit, each with its row number."""
    for past in revisions.live_at(db, owners_clause(caller), moment, _SCANNED):
        n = records.number(db, past.id)
        if n is not None and _shown(past, query, caller, moment):
            yield n, veil.shown(db, past)


def _shown(record: Record, query: Query, caller: Caller, moment: datetime) -> bool:
    """Whether the query's filters admit the version, as of then."""
    as_of = query.as_of or moment
    times, card = record.times, record.card
    return (
        times.recorded_at <= moment
        and record.status in statuses(query)
        and (EXPIRED in query.include or not expired(record, as_of))
        and (query.as_of is None or times.valid_from is None or times.valid_from <= as_of)
        and (not query.kinds or record.kind in query.kinds)
        and (not query.types or record.type in query.types)
        and set(query.tags) <= set(card.tags)
        and query.family in (None, record.family)
        and query.scope in (None, record.scope)
        and (query.after is None or times.observed_at >= query.after)
        and (query.before is None or times.observed_at < query.before)
        and lies_at((record.source, *card.entities, *card.tags), query.path, caller)
    )
