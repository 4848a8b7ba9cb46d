"""What a person changed in a record's file, brought together with what changed since."""

import sqlite3
from dataclasses import replace

from memex_mcp.errors import Conflict, Invalid
from memex_mcp.model.record import Record
from memex_mcp.policy.keys import value_key
from memex_mcp.store import revisions, sheet, stamps
from memex_mcp.store.fields import from_fields, to_fields
from memex_mcp.text import card
from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an edited file says that its record does not.

    Attributes:
        record: The record with its changes; None when there is none to take.
        left: What of the file cannot be taken and why, for people; empty when all can.
    """

    record: Record | None
    left: str

    @property
    def nothing(self) -> bool:
        """Whether the file says what the record says."""
        return self.record is None and not self.left


def merge(db: sqlite3.Connection, page: sheet.Sheet, data: bytes) -> Wanted:
    """What an edited file wants of its record.

    The file is compared with the version it was written from.  Stamps in it are not taken:
    they are the current record's.

    Raises:
        Invalid: The file cannot be read, or belongs to another record.
        Conflict: The record has since changed in the same field.
    """
    fields, body = sheet.read(data)
    record, version = page.record, fields.get("version")
    if fields.get("id") != record.id:
        raise Invalid("its id is not that of the record whose file this is")
    base = _base(db, record, version)
    wanted = _edited(record, base, fields, body)
    stamped = stamps.changed(page, base, fields)
    if wanted is not None:
        # It is when an older database was put back that a file is later than its record.
        later = isinstance(version, int) and version > record.version
        stamped = stamps.beside_an_edit(stamped, later=later)
    return Wanted(wanted, stamps.told(stamped, stamps.unknown(fields, record)))


def _edited(record: Record, base: Record, fields: dict[str, object], body: str) -> Record | None:
    """The record with what was changed in its file; None when nothing was."""
    before, latest = _editable(base), _editable(record)
    typed = _editable(_typed(base, fields, body))
    changed = {name: value for name, value in typed.items() if value != before[name]}
    if "body" in changed:
        changed = _derived(base, body) | changed
    for name, value in changed.items():
        if latest[name] not in (before[name], value):
            raise Conflict(f"the record's {name} has changed since the file was opened")
    wanted = latest | changed
    if wanted == latest:
        return None
    text = str(wanted.pop("body"))
    edited = from_fields(to_fields(record) | wanted, text)
    return replace(
        edited,
        body_sha256=sheet.body_digest(text),
        value_key=value_key(record.owner, text),
    )


def _base(db: sqlite3.Connection, record: Record, version: object) -> Record:
    """The version that the file was written from, as far as it says so."""
    if isinstance(version, int) and 0 < version < record.version:
        return revisions.at_version(db, record.id, version) or record
    return record


def _editable(record: Record) -> dict[str, object]:
    fields = to_fields(record)
    return {name: fields[name] for name in sheet.EDITABLE} | {"body": record.body}


def _derived(base: Record, body: str) -> dict[str, object]:
    """Title and summary for a new body, as far as they were made from the old one."""
    old, new = card.build(base.body), card.build(body)
    if base.card.title != old.title:
        old, new = (card.build(text, title=base.card.title) for text in (base.body, body))
    before = {"title": base.card.title, "summary": base.card.summary}
    made = {"title": old.title, "summary": old.summary}
    after = {"title": new.title, "summary": new.summary}
    return {name: after[name] for name in before if before[name] == made[name] != after[name]}


def _typed(base: Record, fields: dict[str, object], body: str) -> Record:
    """The base with everything editable taken from the file; what is gone there is cleared."""
    # Editors change line ends and add a last one; that alone is no edit.
    if _plain(body) == _plain(base.body):
        body = base.body
    given = {name: fields.get(name) for name in sheet.EDITABLE}
    for name in ("summary", "use_when", "source", "source_version"):
        given[name] = given[name] or ""
    if not str(given["title"] or "").strip():
        given["title"] = card.build(body).title
    if not body.strip():
        raise Invalid("the body is empty")
    return from_fields(to_fields(base) | given, body)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n")
