"""A record as named JSON values: the form of its revisions and of its mirror file."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from memex_mcp.errors import Invalid
from memex_mcp.model.kinds import Author, Kind, NoteType, Scope, Status, Surface, Tier, Trust
from memex_mcp.model.record import Card, Record, Times
from memex_mcp.model.times import iso, parse_time

_Word = TypeVar("_Word", bound=StrEnum)
_Number = TypeVar("_Number", int, float)


def to_fields(record: Record) -> dict[str, object]:
    """Everything but the body, in the order in which people read it.

    Times are ISO 8601 with milliseconds, words are plain strings, lists are lists; nothing
    needs more than JSON.
    """
    card, times = record.card, record.times
    return {
        "id": record.id,
        "kind": record.kind.value,
        "type": record.type.value,
        "family": record.family,
        "title": card.title,
        "summary": card.summary,
        "use_when": card.use_when,
        "tags": list(card.tags),
        "aliases": list(card.aliases),
        "questions": list(card.questions),
        "entities": list(card.entities),
        "scope": record.scope.value,
        "workspace_id": record.workspace_id,
        "session_id": record.session_id,
        "author": record.author.value,
        "surface": record.surface.value,
        "client": record.client,
        "trust": record.trust.value,
        "status": record.status.value,
        "superseded_by": record.superseded_by,
        "pinned": record.pinned,
        "salience": record.salience,
        "confidence": record.confidence,
        "source": record.source,
        "source_version": record.source_version,
        "branch": record.branch,
        "recorded_at": iso(times.recorded_at),
        "updated_at": iso(times.updated_at),
        "observed_at": iso(times.observed_at),
        "valid_from": _iso(times.valid_from),
        "valid_to": _iso(times.valid_to),
        "expires_at": _iso(times.expires_at),
        "version": record.version,
        "observations": record.observations,
        "opened_count": record.opened_count,
        "last_opened_at": _iso(record.last_opened_at),
        "tokens": record.tokens,
        "token_method": record.token_method,
        "tier": record.tier.value,
        "body_sha256": record.body_sha256,
        "value_key": record.value_key,
        "dedupe_key": record.dedupe_key,
    }


def from_fields(mapping: Mapping[str, object], body: str) -> Record:
    """The record that :func:`to_fields` described.

    A file that someone edited may leave out what has a default, write any value as a plain
    string, and hold keys of its own; those are passed over.

    Raises:
        Invalid: A field is missing or cannot be read; the message names it.
    """
    read = _Reader(mapping)
    return Record(
        id=read.text("id"),
        kind=read.word("kind", Kind),
        type=read.word("type", NoteType),
        family=read.maybe_text("family"),
        scope=read.word("scope", Scope),
        workspace_id=read.text("workspace_id"),
        session_id=read.text("session_id", ""),
        card=_card(read),
        body=body,
        author=read.word("author", Author),
        surface=read.word("surface", Surface),
        client=read.text("client", ""),
        trust=read.word("trust", Trust, Trust.UNTRUSTED),
        status=read.word("status", Status),
        pinned=read.flag("pinned"),
        salience=read.share("salience"),
        confidence=read.share("confidence"),
        observations=read.number("observations", int, 1),
        opened_count=read.number("opened_count", int, 0),
        last_opened_at=read.maybe_time("last_opened_at"),
        source=read.text("source", ""),
        source_version=read.text("source_version", ""),
        branch=read.text("branch", ""),
        times=_times(read),
        superseded_by=read.maybe_text("superseded_by"),
        version=read.number("version", int, 1),
        tokens=read.number("tokens", int, 0),
        token_method=read.text("token_method", ""),
        tier=read.word("tier", Tier, Tier.HOT),
        body_sha256=read.text("body_sha256", ""),
        value_key=read.text("value_key", ""),
        dedupe_key=read.maybe_text("dedupe_key"),
    )


def _card(read: "_Reader") -> Card:
    return Card(
        title=read.text("title"),
        summary=read.text("summary", ""),
        use_when=read.text("use_when", ""),
        tags=read.texts("tags"),
        aliases=read.texts("aliases"),
        questions=read.texts("questions"),
        entities=read.texts("entities"),
    )


def _times(read: "_Reader") -> Times:
    recorded_at = read.time("recorded_at")
    return Times(
        recorded_at=recorded_at,
        updated_at=read.maybe_time("updated_at") or recorded_at,
        observed_at=read.maybe_time("observed_at") or recorded_at,
        valid_from=read.maybe_time("valid_from"),
        valid_to=read.maybe_time("valid_to"),
        expires_at=read.maybe_time("expires_at"),
    )


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)


class _Reader:
    """Typed access to a mapping that a person may have edited."""

    def __init__(self, mapping: Mapping[str, object]) -> None:
        self.mapping = mapping

    def text(self, name: str, default: str | None = None) -> str:
        value = self.mapping.get(name, default)
        if value is None:
            raise Invalid(f"{name} is missing")
        return _plain(name, value)

    def maybe_text(self, name: str) -> str | None:
        value = self.mapping.get(name)
        return None if value is None else _plain(name, value)

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.mapping.get(name)
        if value is None or value == "":
            return ()
        if not isinstance(value, Iterable) or isinstance(value, str | Mapping):
            raise Invalid(f"{name} is not a list", f'Write it like {name}: ["one", "two"].')
        return tuple(_plain(name, item) for item in value)

    def word(self, name: str, words: type[_Word], default: _Word | None = None) -> _Word:
        value = self.mapping.get(name, default)
        try:
            return words(str(value))
        except ValueError as error:
            raise Invalid(f"{name} is none of {', '.join(words)}") from error

    def flag(self, name: str) -> bool:
        value = self.mapping.get(name, False)
        if isinstance(value, bool):
            return value
        known = {"true": True, "false": False}
        if not isinstance(value, str) or value.lower() not in known:
            raise Invalid(f"{name} is neither true nor false")
        return known[value.lower()]

    def number(self, name: str, of: Callable[[str], _Number], default: _Number) -> _Number:
        value = self.mapping.get(name, default)
        try:
            # Through the text, so that 2.5 is no version and true is no number.
            number = of(str(value))
        except ValueError as error:
            raise Invalid(f"{name} is not a number") from error
        if number < 0:
            raise Invalid(f"{name} is below zero")
        return number

    def share(self, name: str) -> float:
        number = self.number(name, float, 0.5)
        if not number <= 1:
            raise Invalid(f"{name} does not lie between 0 and 1")
        return number

    def time(self, name: str) -> datetime:
        return parse_time(self.text(name), name)

    def maybe_time(self, name: str) -> datetime | None:
        value = self.mapping.get(name)
        if value is None or value in ("", "null", "~"):
            return None
        return parse_time(_plain(name, value), name)


def _plain(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise Invalid(f"{name} is not text")
