"""What readers are shown of evidence: all but what was withdrawn after it was archived.

Evidence is stored as it was said and stays so.  Whoever reads it for somebody reads it here,
where a placeholder stands for each statement that is refused now; once a person lets the
statement in again, it is shown again.  Texts keep their length, so that places in them hold.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from memex_mcp.model.kinds import Status
from memex_mcp.model.record import Card, Record
from memex_mcp.model.turn import Envelope
from memex_mcp.policy import withdrawn
from memex_mcp.policy.keys import core, plain, value_key, watched_owners
from memex_mcp.store import records, tombstones
from memex_mcp.store.visible import Sight
from memex_mcp.text.fold import value_text
from memex_mcp.values import dataclass

_WHOSE = "SELECT kind, status, owner FROM record WHERE n = ?"
_MOST_KNOWN = 4_096


class _Said(NamedTuple):
    """A withdrawn statement: what is found where it is said, and what may be cut short."""

    core: str
    text: str


# By value key, which is a hash of what is said: what is known once holds in every store.
_known: dict[str, _Said] = {}


def body_text(db: sqlite3.Connection, n: int, start: int = 0, stop: int | None = None) -> str:
    """As :func:`records.body_text`."""
    return _body(db, _Veils(db), n, start, stop)


def body_parts(db: sqlite3.Connection, parts: Sequence[tuple[int, int, int]]) -> list[str]:
    """As :func:`records.body_parts`."""
    veils = _Veils(db)
    if not veils.any:
        return records.body_parts(db, parts)
    return [_body(db, veils, n, start, stop) for n, start, stop in parts]


def some(db: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Record]:
    """As :func:`records.some`."""
    veils = _Veils(db)
    return {n: veils.shown(record) for n, record in records.some(db, numbers).items()}


def page(
    db: sqlite3.Connection, sight: Sight, *, before_id: str | None, limit: int
) -> list[Record]:
    """As :func:`records.page`."""
    veils = _Veils(db)
    found = records.page(db, sight, before_id=before_id, limit=limit)
    return [veils.shown(record) for record in found]


def get(
    db: sqlite3.Connection, record_id: str, sight: Sight, *, with_body: bool = True
) -> Record | None:
    """As :func:`records.get`."""
    record = records.get(db, record_id, sight, with_body=with_body)
    return None if record is None else shown(db, record)


def shown(db: sqlite3.Connection, record: Record) -> Record:
    """A record as it is shown, with its card and as much of its body as was read."""
    return _Veils(db).shown(record)


def title(db: sqlite3.Connection, n: int, said: str) -> str:
    """The title of the record in a row."""
    veil = _Veils(db).over_row(n)
    return said if veil is None else veil.card(Card(title=said)).title


def lines(
    db: sqlite3.Connection, record: Record, events: tuple[Envelope, ...]
) -> tuple[Envelope, ...]:
    """The lines that a record stands for."""
    veil = _Veils(db).over(record.kind, record.status, record.owner)
    return events if veil is None else veil.lines(events)


def _body(db: sqlite3.Connection, veils: "_Veils", n: int, start: int, stop: int | None) -> str:
    veil = veils.over_row(n)
    if veil is None:
        return records.body_text(db, n, start, stop)
    return veil.text(records.body_text(db, n))[max(start, 0) : stop]


@dataclass(frozen=True, slots=True)
class _Veil:
    """What is refused where a record lies.

    Attributes:
        owners: Whose refusals bind there.
        keys: The values that they refuse.
        said: What those values say; of some nobody knows it any more.
    """

    owners: tuple[str, ...]
    keys: frozenset[str]
    said: tuple[_Said, ...]

    def text(self, text: str) -> str:
        """The text, as long as before."""
        return withdrawn.hidden(text, self._refuses) if self._may_hold(text) else text

    def card(self, old: Card) -> Card:
        """The card; a statement may stand in it cut short."""
        gone = [each.text for each in self.said]
        fields = (old.title, old.summary, old.use_when)
        if self._may_hold("\n".join((*fields, *old.tags, *old.aliases, *old.questions))):
            return withdrawn.card(old, self._refuses, gone)
        return withdrawn.uncut(old, gone)

    def lines(self, events: Iterable[Envelope]) -> tuple[Envelope, ...]:
        """The lines: JSON, in which each string may hold one."""
        return withdrawn.lines(events, self._refuses)

    def _may_hold(self, text: str) -> bool:
        """Whether it is worth asking about every piece, which takes fifty times as long."""
        if len(self.said) < len(self.keys):
            return True
        bare = plain(text)
        return any(each.core in bare for each in self.said)

    def _refuses(self, text: str) -> bool:
        return any(value_key(owner, text) in self.keys for owner in self.owners)


class _Veils:
    """The veils of one snapshot.

    Attributes:
        any: Something is refused somewhere; nearly always nothing is.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._made: dict[str, _Veil | None] = {}
        self.any = tombstones.some_stand(db)

    def shown(self, record: Record) -> Record:
        veil = self.over(record.kind, record.status, record.owner)
        if veil is None:
            return record
        return replace(record, card=veil.card(record.card), body=veil.text(record.body))

    def over_row(self, n: int) -> _Veil | None:
        row = self._db.execute(_WHOSE, (n,)).fetchone() if self.any else None
        return None if row is None else self.over(row[0], row[1], row[2])

    def over(self, kind: str, status: str, owner: str) -> _Veil | None:
        """What hides parts of a record; of one that was itself withdrawn nothing is hidden."""
        if not self.any or kind not in withdrawn.EVIDENCE or status == Status.RETRACTED:
            return None
        if owner not in self._made:
            owners = watched_owners(owner)
            keys = tombstones.keys(self._db, owners)
            self._made[owner] = _Veil(owners, keys, _said(self._db, keys)) if keys else None
        return self._made[owner]


def _said(db: sqlite3.Connection, keys: frozenset[str]) -> tuple[_Said, ...]:
    if missing := keys - _known.keys():
        if len(_known) > _MOST_KNOWN:
            _known.clear()
        found = tombstones.texts(db, missing)
        _known.update({key: _Said(core(text), value_text(text)) for key, text in found.items()})
    return tuple(_known[key] for key in keys if key in _known)
