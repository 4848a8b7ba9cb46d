"""Levels that are nearly full."""

import sqlite3

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import LEVELS, Scope
from memex_mcp.store.visible import owners_clause
from memex_mcp.values import dataclass

CAPACITY = {Scope.SESSION: 10_000_000, Scope.WORKSPACE: 100_000_000}
"""Tokens that one level is meant to hold hot."""

# A database of less than half a byte for each token holds less than it seems.
_BYTES = 0.5
_SIZE = ("page_count", "page_size")
_HOT = """
SELECT coalesce(sum(r.tokens), 0) FROM record r WHERE {} AND r.scope = ? AND r.tier = 'hot'"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fullness:
    """How full one level is for a caller.

    Attributes:
        share: Of its capacity, in bodies that are not packed.
        capacity: Tokens that it is meant to hold.
    """

    level: str
    share: float
    capacity: int


def nearly_full(db: sqlite3.Connection, caller: Caller, share: float) -> list[Fullness]:
    """The levels of a caller that are full to a share, 0 to 1, or beyond."""
    # Adding up takes its time, and hardly any store is large enough.
    size = _size(db)
    large = [scope for scope in CAPACITY if size >= share * CAPACITY[scope] * _BYTES]
    found = [
        Fullness(
            level=LEVELS[scope],
            share=_hot(db, caller, scope) / CAPACITY[scope],
            capacity=CAPACITY[scope],
        )
        for scope in large
    ]
    return [each for each in found if each.share >= share]


def _size(db: sqlite3.Connection) -> int:
    pages, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    return int(pages) * int(size)


def _hot(db: sqlite3.Connection, caller: Caller, scope: Scope) -> int:
    seen = owners_clause(caller)
    row = db.execute(_HOT.format(seen.where), (*seen.params, scope.value)).fetchone()
    return int(row[0])
