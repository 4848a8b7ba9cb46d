"""What a person wrote into a record's file that a file cannot change."""

from collections.abc import Mapping

from memex_mcp.errors import Invalid
from memex_mcp.model.record import Record
from memex_mcp.store.fields import from_fields, to_fields
from memex_mcp.store.sheet import DEFAULTS, EDITABLE, PLACED, Sheet, related

_COUNTED = frozenset({"observations", "opened_count", "last_opened_at"})
"""What grows in the database while the file stays as it is."""

_DERIVED = frozenset({"tokens", "token_method", "body_sha256", "value_key", "entities"})
"""What follows from the text."""

_VERSIONED = frozenset({"version", "updated_at", "author", "trust", "surface", "client"})
"""What the next version of a record has of its own."""


def changed(page: Sheet, base: Record, fields: Mapping[str, object]) -> tuple[str, ...]:
    """Names of the stamps that a file states otherwise, in the order of the file's layout.

    A line that is gone says what it says by default, or nothing if it has no default.

    Args:
        page: The record as it is now.
        base: The version that the file was written from.
        fields: What the file says.
    """
    known, latest = to_fields(base), to_fields(page.record)
    names = [name for name in known if name not in EDITABLE and name != "id"]
    found = [name for name in names if _differs(name, known, latest, fields)]
    sources, links = related(base.id, fields)
    if not set(sources) <= set(page.sources):
        found.append("sources")
    there = {(link.to_id, link.relation) for link in page.links}
    if not {(link.to_id, link.relation) for link in links} <= there:
        found.append("links")
    return tuple(found)


def unknown(fields: Mapping[str, object], record: Record) -> tuple[str, ...]:
    """Names in a file that no field of a record has."""
    return tuple(name for name in fields if name not in PLACED and name not in to_fields(record))


def beside_an_edit(names: tuple[str, ...], *, later: bool) -> tuple[str, ...]:
    """Those of some changed stamps that do not follow from what else was changed.

    Args:
        names: From :func:`changed`.
        later: The file is that of a later version than the record has.
    """
    expected = _DERIVED | _VERSIONED if later else _DERIVED
    return tuple(name for name in names if name not in expected)


def told(stamped: tuple[str, ...], strange: tuple[str, ...]) -> str:
    """Why a file is not taken as it is, for people; empty when nothing speaks against it."""
    said = []
    if stamped:
        said.append(f"{', '.join(stamped)} cannot be changed in a file")
    if "status" in stamped:
        said.append("memex-mcp set-status changes a status")
    if strange:
        said.append(f"{', '.join(strange)} is no field of a record")
    return "; ".join(said)


def _differs(
    name: str,
    known: Mapping[str, object],
    latest: Mapping[str, object],
    fields: Mapping[str, object],
) -> bool:
    if name not in fields and name not in DEFAULTS:
        return False
    if name not in fields and name in _COUNTED:
        return False
    given = fields.get(name, DEFAULTS.get(name))
    if given in (known[name], latest[name]) or not (given or known[name]):
        return False
    try:
        # The value as it is read, however it is spelled.
        value = to_fields(from_fields({**known, name: given}, ""))[name]
    except Invalid:
        return True
    if name in _COUNTED:
        return _more(value, latest[name])
    return bool(value or known[name]) and value not in (known[name], latest[name])


def _more(value: object, counted: object) -> bool:
    """Whether a file counts higher than the database; times are ISO 8601 and compare as text."""
    if isinstance(value, int) and isinstance(counted, int):
        return value > counted
    return str(value or "") > str(counted or "")
