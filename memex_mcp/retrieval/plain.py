"""Answers as JSON-able dictionaries: the one form that tools, commands and resources share."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum

from memex_mcp.model.browse import Grepped
from memex_mcp.model.query import Hit, Listed, Moved, Opened, SearchAnswer, Written
from memex_mcp.model.record import Record
from memex_mcp.model.times import iso
from memex_mcp.model.window import Excerpt, Window

Plain = dict[str, object]

_PAGE = (
    *("text", "offset", "revision", "current_status", "expired"),
    *("links", "sources", "revisions", "revisions_total"),
)
# The id of a session opens its private records to whoever can name it.
_LEFT_OUT = {"body", "value_key", "card", "times", "session_id"}
# Told only when there is something to tell.
_OPTIONAL: Mapping[type, frozenset[str]] = {
    Hit: frozenset({"replaced_by", "contradicted_by", "parts"}),
    SearchAnswer: frozenset({"top", "next_cursor", "notice", "hint"}),
    Written: frozenset({"hint"}),
    Moved: frozenset({"superseded_by"}),
    Opened: frozenset({"next_cursor"}),
    Listed: frozenset({"next_cursor"}),
    Grepped: frozenset({"next_cursor"}),
    Excerpt: frozenset({"replaced_by"}),
    Window: frozenset({"hint"}),
}


def plain(value: object) -> Plain:
    """The value as a dictionary of JSON types; times in ISO 8601, absent parts left out."""
    if isinstance(value, Opened):
        return _opened(value)
    if isinstance(value, Moved):
        told: Plain = {"id": value.id, "from": value.from_status, "to": value.to_status}
        return told | ({"superseded_by": value.superseded_by} if value.superseded_by else {})
    if isinstance(value, Record):
        return _record(value)
    optional = _OPTIONAL.get(type(value), frozenset())
    return {
        name: _any(given)
        for name, given in _items(value)
        if not (name in optional and given in (None, "", ()))
    }


def _items(value: object) -> list[tuple[str, object]]:
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no plain form")
    return [(field.name, getattr(value, field.name)) for field in fields(value)]


def _any(value: object) -> object:
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [_any(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _any(item) for name, item in value.items()}
    if is_dataclass(value):
        return plain(value)
    return value


def _record(record: Record) -> Plain:
    """A record without its body: the card and the times are laid flat."""
    told: Plain = {}
    for part in (record, record.card, record.times):
        told |= {name: _any(given) for name, given in _items(part) if name not in _LEFT_OUT}
    return told


def _opened(opened: Opened) -> Plain:
    told = _record(opened.record)
    for name in _PAGE:
        told[name] = _any(getattr(opened, name))
    if opened.next_cursor is not None:
        told["next_cursor"] = opened.next_cursor
    return told
