"""What records are to each other, and what they were derived from."""

import json
import sqlite3
from collections.abc import Iterable

from memex_mcp.errors import Invalid, NotFound
from memex_mcp.model.kinds import Relation
from memex_mcp.model.record import Link
from memex_mcp.store.visible import Sight

_LINKS = """
SELECT a.id, b.id, l.relation, l.weight FROM link AS l
JOIN record AS a ON a.n = l.from_n JOIN record AS b ON b.n = l.to_n
"""
# Either of the two may have been written last, and the link begins at that one.
_AGAINST = f"""
WITH here(n, id) AS (
  SELECT r.n, r.id FROM json_each(?) AS asked CROSS JOIN record AS r ON r.id = asked.value
), edge(id, there) AS (
  SELECT id, to_n FROM here CROSS JOIN link ON from_n = here.n
    WHERE relation = '{Relation.CONTRADICTS}'
  UNION SELECT id, from_n FROM here CROSS JOIN link ON to_n = here.n
    WHERE relation = '{Relation.CONTRADICTS}'
)
SELECT e.id, r.id FROM edge AS e CROSS JOIN record AS r ON r.n = e.there
WHERE {{where}} ORDER BY e.id, r.id DESC"""


def add(db: sqlite3.Connection, link: Link) -> None:
    """Link two records; the same link again takes the new weight.

    Raises:
        NotFound: One of the records does not exist.
        Invalid: They belong to different scope owners, or are one and the same.
    """
    from_n, from_owner = _end(db, link.from_id)
    to_n, to_owner = _end(db, link.to_id)
    if from_n == to_n:
        raise Invalid("a record cannot be linked to itself", "Name two records.")
    if from_owner != to_owner:
        raise Invalid("linked records must have the same scope", "Link records of one scope.")
    db.execute(
        "INSERT INTO link(from_n, to_n, relation, weight) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET weight = excluded.weight",
        (from_n, to_n, link.relation, link.weight),
    )


def of(db: sqlite3.Connection, record_id: str) -> list[Link]:
    """Links from and to a record, oldest ends first."""
    # Two searches by index; one with OR would look at every link.
    rows = db.execute(
        f"{_LINKS} WHERE a.id = ? UNION {_LINKS} WHERE b.id = ? ORDER BY 1, 2, 3",
        (record_id, record_id),
    )
    return [
        Link(from_id=from_id, to_id=to_id, relation=relation, weight=weight)
        for from_id, to_id, relation, weight in rows
    ]


def against(db: sqlite3.Connection, ids: Iterable[str], sight: Sight) -> dict[str, tuple[str, ...]]:
    """What contradicts each of some records, as far as the sight admits it, the newest first."""
    found: dict[str, tuple[str, ...]] = {}
    rows = db.execute(_AGAINST.format(where=sight.where), (json.dumps(list(ids)), *sight.params))
    for record_id, other in rows:
        found[record_id] = (*found.get(record_id, ()), other)
    return found


def add_sources(db: sqlite3.Connection, record_id: str, ids: Iterable[str]) -> None:
    """Note what a record was derived from; known sources stay.

    Raises:
        NotFound: The record does not exist.
    """
    n, _ = _end(db, record_id)
    db.executemany(
        "INSERT OR IGNORE INTO source_ref(record_n, source_id) VALUES (?, ?)",
        [(n, source_id) for source_id in ids],
    )


def sources(db: sqlite3.Connection, record_id: str) -> list[str]:
    """Ids of what a record was derived from, oldest first."""
    rows = db.execute(
        "SELECT s.source_id FROM source_ref AS s JOIN record AS r ON r.n = s.record_n"
        " WHERE r.id = ? ORDER BY s.source_id",
        (record_id,),
    )
    return [source_id for (source_id,) in rows]


def _end(db: sqlite3.Connection, record_id: str) -> tuple[int, str]:
    row = db.execute("SELECT n, owner FROM record WHERE id = ?", (record_id,)).fetchone()
    if row is None:
        raise NotFound(f"no record {record_id}")
    return int(row[0]), row[1]
