"""Automatic links: which records hold a name, and which records that ties together.

Nothing of this is told in files or written by anybody, so it is derived anew whenever the
index is.  A tie is the same from either end: it is one row, walked both ways.  Neither a
record's version nor its times move when it is tied to another one.
"""

import json
import sqlite3
from collections.abc import Iterable

from memex_mcp.model.kinds import Relation
from memex_mcp.model.record import Record
from memex_mcp.policy import association
from memex_mcp.policy.association import HOLDERS, MOST
from memex_mcp.store.visible import Sight
from memex_mcp.values import dataclass

HUB = 2 * MOST
"""A record with more links than that conducts nothing: it is about everything."""

WALKED = (Relation.RELATED, Relation.REFINES, Relation.DEPENDS_ON, Relation.SAME_ENTITY)
"""Relations that lead from a record to what belongs to it; the others lead to its rivals."""

# Two more than tie anything: one tells that a name is common, two that it was so before.
_HOLDERS = f"""
SELECT asked.value, (
  SELECT json_group_array(record_n) FROM (
    SELECT record_n FROM mention WHERE owner = ? AND name = asked.value LIMIT {HOLDERS + 2}
  )
) FROM json_each(?) AS asked"""
_OTHERS = """
SELECT other.value,
  (SELECT json_group_array(name) FROM mention WHERE record_n = other.value),
  (SELECT count(*) FROM association WHERE low_n = other.value)
  + (SELECT count(*) FROM association WHERE high_n = other.value)
FROM json_each(?) AS other"""
_RELATIONS = ", ".join(f"'{relation}'" for relation in WALKED)
# The predicate is asked about both ends: what is not visible neither appears nor conducts.
_BESIDE = """
WITH here(n) AS (
  SELECT r.n FROM json_each(?) AS asked CROSS JOIN record AS r ON r.n = asked.value
  WHERE {where}
), edge(here, there, weight) AS (
  SELECT low_n, high_n, weight FROM here CROSS JOIN association ON low_n = here.n
  UNION ALL SELECT high_n, low_n, weight FROM here CROSS JOIN association ON high_n = here.n
  UNION ALL SELECT from_n, to_n, weight FROM here CROSS JOIN link ON from_n = here.n
    WHERE relation IN ({relations})
  UNION ALL SELECT to_n, from_n, weight FROM here CROSS JOIN link ON to_n = here.n
    WHERE relation IN ({relations})
), seen(here, there, weight) AS (
  SELECT e.here, e.there, max(e.weight) FROM edge AS e CROSS JOIN record AS r ON r.n = e.there
  WHERE {where} GROUP BY e.here, e.there
)
SELECT here, there, weight FROM (
  SELECT *, count(*) OVER (PARTITION BY here) AS links FROM seen
) WHERE links <= {hub} ORDER BY here, there"""


@dataclass(frozen=True, slots=True)
class Step:
    """A link as it is walked from one record to another; numbers are rows of records."""

    here: int
    there: int
    weight: float


def follow(db: sqlite3.Connection, n: int, old: Record | None, new: Record) -> None:
    """Tie a record, in row ``n``, to what names the same as its new version does.

    Args:
        db: An open write transaction.
        n: The row of the record.
        old: The version before; None for a record that is new.
        new: The version that stands there now.
    """
    before = frozenset() if old is None else association.names(old)
    after = association.names(new)
    if before == after:
        return
    if before:
        _untie(db, n)
        db.execute("DELETE FROM mention WHERE record_n = ?", (n,))
    if after:
        named = [(new.owner, name, n) for name in sorted(after)]
        db.executemany("INSERT INTO mention(owner, name, record_n) VALUES (?, ?, ?)", named)
        for other in _tie(db, n, new.owner, after):
            # A name has just become common, so what it tied until now is tied anew.
            _untie(db, other)
            _tie(db, other, new.owner, _names(db, other))


def clear(db: sqlite3.Connection) -> None:
    """Forget every name and every tie, before all records are followed again."""
    db.execute("DELETE FROM association")
    db.execute("DELETE FROM mention")


def beside(db: sqlite3.Connection, rows: Iterable[int], sight: Sight) -> list[Step]:
    """The links of some records, of both kinds and both ways, as far as the sight admits both ends.

    Of several links between two records the strongest counts.
    """
    sql = _BESIDE.format(where=sight.where, relations=_RELATIONS, hub=HUB)
    found = db.execute(sql, (json.dumps(list(rows)), *sight.params, *sight.params))
    return [Step(*row) for row in found]


def count(db: sqlite3.Connection, sight: Sight) -> dict[str, int]:
    """How many links the records in sight have: ``stated`` by somebody, and ``automatic``.

    Both ends of a link have one owner, so the one that it begins at tells whose it is.
    """
    counted = {}
    for name, table, end in (("stated", "link", "from_n"), ("automatic", "association", "low_n")):
        (counted[name],) = db.execute(
            f"SELECT count(*) FROM {table} AS l JOIN record AS r ON r.n = l.{end}"
            f" WHERE {sight.where}",
            sight.params,
        ).fetchone()
    return counted


def _untie(db: sqlite3.Connection, n: int) -> None:
    db.execute("DELETE FROM association WHERE low_n = ?", (n,))
    db.execute("DELETE FROM association WHERE high_n = ?", (n,))


def _tie(db: sqlite3.Connection, n: int, owner: str, mine: frozenset[str]) -> set[int]:
    """Tie one record to the others; returns those that lost a common name by it."""
    rare: set[str] = set()
    others: set[int] = set()
    loosened: set[int] = set()
    for name, held in db.execute(_HOLDERS, (owner, json.dumps(sorted(mine)))):
        holders = json.loads(held)
        if len(holders) <= HOLDERS:
            rare.add(name)
            others.update(holders)
        elif len(holders) == HOLDERS + 1:
            loosened.update(holders)
    others.discard(n)
    loosened.discard(n)
    if others:
        ties = _ties(db, others, mine, frozenset(rare))
        db.executemany(
            "INSERT INTO association(low_n, high_n, relation, weight) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET relation = excluded.relation, weight = excluded.weight",
            [
                (min(n, other), max(n, other), tie.relation.value, tie.weight)
                for other, tie in association.strongest(ties).items()
            ],
        )
    return loosened


def _ties(
    db: sqlite3.Connection, others: set[int], mine: frozenset[str], rare: frozenset[str]
) -> dict[int, association.Tie]:
    ties = {}
    for other, named, links in db.execute(_OTHERS, (json.dumps(sorted(others)),)):
        tie = association.tie(mine, frozenset(json.loads(named)), rare)
        if tie is not None and links < MOST:
            ties[other] = tie
    return ties


def _names(db: sqlite3.Connection, n: int) -> frozenset[str]:
    rows = db.execute("SELECT name FROM mention WHERE record_n = ?", (n,))
    return frozenset(name for (name,) in rows)
