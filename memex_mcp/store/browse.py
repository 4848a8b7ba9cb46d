"""Records in order of age, and counts of them, as far as a sight admits."""

import sqlite3
from collections import Counter

from memex_mcp.model.kinds import Kind, Status, Trust
from memex_mcp.store.visible import Sight, storable
from memex_mcp.values import dataclass

_HEADS = """
SELECT r.n, r.id, r.title, r.kind, r.status, r.trust FROM record AS r
WHERE {where} AND r.id <= ? ORDER BY r.id DESC LIMIT ?"""
_ORIGIN = """CASE
  WHEN r.surface = 'import' AND r.kind IN ('span', 'checkpoint') THEN 'backfill'
  WHEN r.surface = 'worker' THEN 'distill'
  ELSE r.surface END"""
_COUNTS = f"""
SELECT r.kind, r.status, r.tier, r.scope, {_ORIGIN}, count(*), sum(r.tokens) FROM record AS r
WHERE {{where}} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"""


@dataclass(frozen=True, slots=True)
class Head:
    """What of a record stands above its text; ``n`` is its row."""

    n: int
    id: str
    title: str
    kind: Kind
    status: Status
    trust: Trust


@dataclass(frozen=True, slots=True)
class Group:
    """Records that are alike in five ways: how many they are, and the tokens of their bodies."""

    kind: str
    status: str
    tier: str
    scope: str
    origin: str
    records: int
    tokens: int


def heads(db: sqlite3.Connection, sight: Sight, upto: str | None, limit: int) -> list[Head]:
    """Records newest first by id, from ``upto`` on, that one included."""
    # "~" sorts after every id.
    last = "~" if upto is None else storable(upto)
    rows = db.execute(_HEADS.format(where=sight.where), (*sight.params, last, limit))
    return [
        Head(n, record_id, title, Kind(kind), Status(status), Trust(trust))
        for n, record_id, title, kind, status, trust in rows
    ]


def groups(db: sqlite3.Connection, sight: Sight) -> list[Group]:
    """How many records of each sort there are."""
    return [Group(*row) for row in db.execute(_COUNTS.format(where=sight.where), sight.params)]


def origins(db: sqlite3.Connection, sight: Sight) -> dict[str, int]:
    """How many records came from where."""
    counted: Counter[str] = Counter()
    for group in groups(db, sight):
        counted[group.origin] += group.records
    return dict(sorted(counted.items()))


def waiting(db: sqlite3.Connection) -> int:
    """Records of the whole store whose Markdown file is still to be written."""
    return int(db.execute("SELECT count(*) FROM mirror_queue").fetchone()[0])


def size(db: sqlite3.Connection) -> int:
    """Bytes of the database, its log left out."""
    pages, page = db.execute(
        "SELECT page_count, page_size FROM pragma_page_count(), pragma_page_size()"
    ).fetchone()
    return int(pages) * int(page)
