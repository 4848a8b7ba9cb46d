"""What contradicts a hit is told with it, whether it was found itself or not."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Hit, Query
from memex_mcp.store import links
from memex_mcp.store.visible import sight


def flagged(
    db: sqlite3.Connection, hits: Sequence[Hit], query: Query, caller: Caller, at: datetime
) -> list[Hit]:
    """The same hits, each with the current records that contradict it.

    The filters of the query do not count: a hit is no more certain for what was not asked for.
    What was on record at ``believed_at`` has none, since a link does not say when it was stated.
    """
    if query.believed_at is not None or not hits:
        return list(hits)
    seen = sight(caller, at=at, as_of=query.as_of)
    found = links.against(db, [hit.id for hit in hits], seen)
    return [replace(hit, contradicted_by=_besides(found, hit)) for hit in hits]


def _besides(found: Mapping[str, Sequence[str]], hit: Hit) -> tuple[str, ...]:
    """Its rivals without the one that replaced it, which is told as such."""
    return tuple(each for each in found.get(hit.id, ()) if each != hit.replaced_by)
