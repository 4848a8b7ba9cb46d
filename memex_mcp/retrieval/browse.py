"""Lists and counts: what is on record, whatever it says."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

from memex_mcp.errors import Invalid
from memex_mcp.model.browse import Browse, Stats
from memex_mcp.model.caller import Caller
from memex_mcp.model.ids import is_id
from memex_mcp.model.kinds import CURRENT, Scope, Status, Tier
from memex_mcp.model.query import Listed
from memex_mcp.model.record import Record
from memex_mcp.retrieval.lists import ROOM, record_line
from memex_mcp.retrieval.view import EXPIRED
from memex_mcp.store import associations, browse, index, veil
from memex_mcp.store.browse import Group
from memex_mcp.store.visible import Sight, owners_clause, sight
from memex_mcp.text import tokens
from memex_mcp.text.fence import defused

_MOST = 200
_STATUSES = frozenset(status.value for status in Status)


def listed(db: sqlite3.Connection, asked: Browse, caller: Caller, at: datetime) -> Listed:
    """Records newest first by id, without their bodies, as many as one answer holds.

    The next page begins before the last id of this one, whatever was written since.

    Raises:
        Invalid: The cursor is no id, or ``statuses`` names no status.
    """
    if asked.cursor is not None and not is_id(asked.cursor):
        raise Invalid("cursor is not one of ours", "Use next_cursor of an earlier answer as it is.")
    size = max(1, min(asked.limit, _MOST))
    seen = sight_of(asked, caller, at)
    found = veil.page(db, seen, before_id=asked.cursor, limit=size + 1)
    shown = found[: min(size, _fitting(found))]
    more = len(found) > len(shown)
    return Listed(records=tuple(shown), next_cursor=shown[-1].id if more else None)


def _fitting(found: Sequence[Record]) -> int:
    """How many of the records have room in one answer, at least one."""
    room = ROOM
    for position, record in enumerate(found):
        room -= len(defused(record_line(record))) + 1
        if room < 0:
            return max(position, 1)
    return len(found)


def sight_of(asked: Browse, caller: Caller, at: datetime) -> Sight:
    """Compile which records are asked for.

    Raises:
        Invalid: ``statuses`` names something else than a status or ``expired``.
    """
    for name in asked.statuses:
        if name != EXPIRED and name not in _STATUSES:
            known = f"Known are {', '.join(Status)} and {EXPIRED}."
            raise Invalid(f"statuses has no {name[:40]!r}", known)
    named = tuple(Status(name) for name in dict.fromkeys(asked.statuses) if name != EXPIRED)
    return sight(
        caller,
        at=at,
        statuses=named or CURRENT,
        include_expired=EXPIRED in asked.statuses,
        kinds=asked.kinds,
        scope=asked.scope,
    )


def stats(db: sqlite3.Connection, caller: Caller) -> Stats:
    """Count what the caller sees, whatever its status."""
    seen = owners_clause(caller)
    groups = browse.groups(db, seen)

    def by(part: Callable[[Group], str]) -> dict[str, int]:
        counted = Counter[str]()
        for group in groups:
            counted[part(group)] += group.records
        return dict(sorted(counted.items()))

    body = {tier.value: 0 for tier in Tier}
    for group in groups:
        body[group.tier] += group.tokens
    return Stats(
        by_kind=by(lambda group: group.kind),
        by_status=by(lambda group: group.status),
        by_tier={tier.value: 0 for tier in Tier} | by(lambda group: group.tier),
        by_scope={scope.value: 0 for scope in Scope} | by(lambda group: group.scope),
        by_origin=by(lambda group: group.origin),
        tokens=body,
        token_method=tokens.method(),
        index=_health(db),
        links=associations.count(db, seen),
        waiting_files=browse.waiting(db),
        database_bytes=browse.size(db),
    )


def _health(db: sqlite3.Connection) -> str:
    if index.stale(db):
        return "built by another version; it is built anew at the next start"
    return "; ".join(index.unmatched(db)) or "ok"
