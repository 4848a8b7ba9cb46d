"""What stands in a record's file: its fields, where it belongs, what it is linked to, its body."""

import hashlib
import json
import re
import sqlite3
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from memex_mcp.errors import Invalid
from memex_mcp.model.ids import is_id
from memex_mcp.model.kinds import Scope
from memex_mcp.model.record import Link, Record
from memex_mcp.store import links, records
from memex_mcp.store.fields import from_fields, to_fields
from memex_mcp.store.files import HISTORY, RECORDS
from memex_mcp.text import card, lazily, markdown
from memex_mcp.values import dataclass

EDITABLE = (
    *("title", "summary", "use_when", "tags", "aliases", "questions"),
    *("source", "source_version", "valid_from", "valid_to", "expires_at"),
)
"""Fields that a person may change in the file; all others are stamps."""

PLACED = ("workspace", "workspace_path", "sources", "links")
"""What stands in a file beside the fields of the record."""

_LISTS = ("tags", "aliases", "questions", "entities")
_AS_TEXT = frozenset(
    {*EDITABLE, "entities", "branch", "client", "session_id", "dedupe_key", "workspace_path"}
)
DEFAULTS: dict[str, object] = {
    "family": None,
    "summary": "",
    "use_when": "",
    "tags": [],
    "aliases": [],
    "questions": [],
    "entities": [],
    "workspace_id": "",
    "session_id": "",
    "superseded_by": None,
    "pinned": False,
    "salience": 0.5,
    "confidence": 0.5,
    "source": "",
    "source_version": "",
    "branch": "",
    "valid_from": None,
    "valid_to": None,
    "expires_at": None,
    "observations": 1,
    "opened_count": 0,
    "last_opened_at": None,
    "tier": "hot",
    "dedupe_key": None,
}
"""Fields that the file leaves out when they hold these values."""

_SAME_AS_RECORDED = ("updated_at", "observed_at")
_UNSAFE = lazily.pattern(r"[^\w-]+")
_SEPARATORS = lazily.pattern(r"[,，、]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One file, taken apart.

    Attributes:
        workspace_name: For people; empty when it is not known.
        workspace_path: Empty when it is not known.
        sources: Ids of what the record was derived from.
        links: Links that begin at the record.
    """

    record: Record
    workspace_name: str = ""
    workspace_path: str = ""
    sources: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def path(self) -> str:
        """Where the file lies, relative to the store folder.

        No part of it comes from an id or a name unchecked, so it never leaves ``records/``.
        """
        record = self.record
        month = f"{record.times.recorded_at:%Y-%m}"
        if record.scope is Scope.GLOBAL:
            return f"{RECORDS}/global/{month}/{_safe(record.id)}.md"
        level = "l2" if record.scope is Scope.SESSION else "l3"
        folder = f"{slug(self.workspace_name)}-{_safe(record.workspace_id)}"
        return f"{RECORDS}/{folder}/{level}/{month}/{_safe(record.id)}.md"


def history_path(path: str, version: int) -> str:
    """Where an earlier version of the record at ``path`` lies."""
    return f"{path.removesuffix('.md')}{HISTORY}/{version}.md"


@lru_cache(256)
def slug(name: str) -> str:
    """A folder name that every file system takes; letters of all scripts stay readable."""
    plain = _UNSAFE.sub("-", unicodedata.normalize("NFC", name)).strip("-_")
    while len(plain.encode()) > 90:
        plain = plain[:-1].rstrip("-_")
    return plain or "workspace"


def load(
    db: sqlite3.Connection, record_id: str, bodies: Mapping[str, str] | None = None
) -> Sheet | None:
    """The sheet of a record as it is now; None when there is no such record.

    Args:
        db: Snapshot to read.
        record_id: Which record.
        bodies: Texts that need not be read, by their hash.
    """
    record = records.by_id(db, record_id, bodies)
    if record is None:
        return None
    place = db.execute(
        "SELECT name, path FROM workspace WHERE id = ?", (record.workspace_id,)
    ).fetchone()
    return Sheet(
        record=record,
        workspace_name=place["name"] if place else "",
        workspace_path=place["path"] if place else "",
        sources=tuple(links.sources(db, record_id)),
        links=tuple(link for link in links.of(db, record_id) if link.from_id == record_id),
    )


def render(sheet: Sheet) -> bytes:
    """The bytes of the file: what has its default is left out."""
    fields = to_fields(sheet.record)
    for name in _SAME_AS_RECORDED:
        if fields[name] == fields["recorded_at"]:
            del fields[name]
    kept = {
        name: value
        for name, value in fields.items()
        if name not in DEFAULTS or value != DEFAULTS[name]
    }
    kept |= {"workspace": sheet.workspace_name} if sheet.workspace_name else {}
    kept |= {"workspace_path": sheet.workspace_path} if sheet.workspace_path else {}
    kept |= {"sources": list(sheet.sources)} if sheet.sources else {}
    if sheet.links:
        kept["links"] = [
            {"to": link.to_id, "relation": link.relation, "weight": link.weight}
            for link in sheet.links
        ]
    return markdown.write(kept, sheet.record.body).encode("utf-8", "surrogatepass")


def read(data: bytes) -> tuple[dict[str, object], str]:
    """Fields and body of a file that someone may have edited.

    Raises:
        Invalid: It is not UTF-8, or its front matter cannot be read.
    """
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise Invalid("the file is not UTF-8", "Save it as UTF-8.") from error
    fields, body = markdown.read(text, as_text=_AS_TEXT)
    for name in _LISTS:
        value = fields.get(name)
        if isinstance(value, str):
            # A person writes: tags: one, two
            fields[name] = [item.strip() for item in _SEPARATORS.split(value) if item.strip()]
    for name, value in fields.items():
        if not _storable(value):
            raise Invalid(f"{name} holds half a character", "Write it again.")
    return fields, body


def parse(data: bytes) -> Sheet:
    """The inverse of :func:`render`.

    Raises:
        Invalid: The file cannot be read, or a field is missing or makes no sense.
    """
    fields, body = read(data)
    if not is_id(str(fields.get("id", ""))):
        raise Invalid("the file has no id")
    known = {name: value for name, value in fields.items() if value is not None}
    known.setdefault("workspace_id", "")
    if "title" not in known:
        known["title"] = card.build(body).title
    record = from_fields(known, body)
    if record.scope is not Scope.GLOBAL and not record.workspace_id:
        raise Invalid("workspace_id is missing")
    sources, links = related(record.id, known)
    return Sheet(
        record=record,
        workspace_name=str(known.get("workspace", "")),
        workspace_path=str(known.get("workspace_path", "")),
        sources=sources,
        links=links,
    )


def related(
    record_id: str, fields: Mapping[str, object]
) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    """Sources and links in the fields of a file; what makes no sense is left out."""
    return _ids(fields.get("sources")), _links(record_id, fields.get("links"))


def digest(data: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def body_digest(body: str) -> str:
    """What ``body_sha256`` is for a sound body."""
    return digest(body.encode("utf-8", "surrogatepass"))


@lru_cache(256)
def _safe(name: str) -> str:
    """An id as a part of a path: as it is if it is harmless, else its hash."""
    if is_id(name) or re.fullmatch(r"[0-9a-z-]{1,64}", name):
        return name
    return digest(name.encode("utf-8", "surrogatepass"))[:26]


def _storable(value: object) -> bool:
    """Whether a field holds no lone surrogate, which no database text may."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _ids(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, str) and is_id(item))


def _links(from_id: str, value: object) -> tuple[Link, ...]:
    found = []
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping) and is_id(str(item.get("to", ""))):
            weight = item.get("weight", 1.0)
            sound = isinstance(weight, int | float) and 0 <= weight <= 1
            found.append(
                Link(
                    from_id=from_id,
                    to_id=str(item["to"]),
                    relation=str(item.get("relation", "related")),
                    weight=float(weight) if sound else 1.0,
                )
            )
    return tuple(found)
