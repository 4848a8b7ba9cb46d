"""A record as a row of table ``record``, and back."""

import json
import sqlite3
from datetime import datetime

from memex_mcp.model.kinds import Author, Kind, NoteType, Scope, Status, Surface, Tier, Trust
from memex_mcp.model.record import Card, Record, Times
from memex_mcp.model.times import from_ms, to_ms

NAMES = (
    "id", "kind", "type", "family", "scope", "workspace_id", "session_id", "owner", "title",
    "summary", "use_when", "tags", "aliases", "questions", "entities", "author", "surface",
    "client", "trust", "status", "pinned", "salience", "confidence", "observations",
    "opened_count", "last_opened_at", "source", "source_version", "branch", "recorded_at",
    "updated_at", "observed_at", "valid_from", "valid_to", "expires_at", "superseded_by",
    "version", "tokens", "token_method", "tier", "body_sha256", "value_key", "dedupe_key",
)  # fmt: skip
"""Columns that :func:`values` gives, in its order."""

_WIDTH = len(NAMES) + 1

COLUMNS = ", ".join(f"r.{name}" for name in ["n", *NAMES])
"""What :func:`from_row` reads, in its order, from alias ``r`` of table ``record``."""

_KINDS = {word.value: word for word in Kind}
_TYPES = {word.value: word for word in NoteType}
_SCOPES = {word.value: word for word in Scope}
_AUTHORS = {word.value: word for word in Author}
_SURFACES = {word.value: word for word in Surface}
_TRUSTS = {word.value: word for word in Trust}
_STATUSES = {word.value: word for word in Status}
_TIERS = {word.value: word for word in Tier}


def from_row(row: sqlite3.Row, body: str = "") -> Record:
    """The record in a row that begins with :data:`COLUMNS` (or ``r.*``)."""
    # By position: looking up 43 columns by name costs more than all the rest.
    (
        _n, id_, kind, type_, family, scope, workspace_id, session_id, _owner,
        title, summary, use_when, tags, aliases, questions, entities,
        author, surface, client, trust, status, pinned, salience, confidence,
        observations, opened_count, last_opened_at, source, source_version, branch,
        recorded_at, updated_at, observed_at, valid_from, valid_to, expires_at, superseded_by,
        version, tokens, token_method, tier, body_sha256, value_key, dedupe_key,
    ) = row[:_WIDTH]  # fmt: skip
    return Record(
        id=id_,
        kind=_KINDS[kind],
        type=_TYPES[type_],
        family=family,
        scope=_SCOPES[scope],
        workspace_id=workspace_id,
        session_id=session_id,
        card=Card(
            title=title,
            summary=summary,
            use_when=use_when,
            tags=_unlist(tags),
            aliases=_unlist(aliases),
            questions=_unlist(questions),
            entities=_unlist(entities),
        ),
        body=body,
        author=_AUTHORS[author],
        surface=_SURFACES[surface],
        client=client,
        trust=_TRUSTS[trust],
        status=_STATUSES[status],
        pinned=bool(pinned),
        salience=salience,
        confidence=confidence,
        observations=observations,
        opened_count=opened_count,
        last_opened_at=_moment(last_opened_at),
        source=source,
        source_version=source_version,
        branch=branch,
        times=Times(
            recorded_at=from_ms(recorded_at),
            updated_at=from_ms(updated_at),
            observed_at=from_ms(observed_at),
            valid_from=_moment(valid_from),
            valid_to=_moment(valid_to),
            expires_at=_moment(expires_at),
        ),
        superseded_by=superseded_by,
        version=version,
        tokens=tokens,
        token_method=token_method,
        tier=_TIERS[tier],
        body_sha256=body_sha256,
        value_key=value_key,
        dedupe_key=dedupe_key,
    )


def values(record: Record) -> tuple[object, ...]:
    """What goes into the columns :data:`NAMES`."""
    card, times = record.card, record.times
    return (
        record.id, record.kind.value, record.type.value, record.family, record.scope.value,
        record.workspace_id, record.session_id, record.owner,
        card.title, card.summary, card.use_when,
        _list(card.tags), _list(card.aliases), _list(card.questions), _list(card.entities),
        record.author.value, record.surface.value, record.client,
        record.trust.value, record.status.value,
        int(record.pinned), record.salience, record.confidence, record.observations,
        record.opened_count, _ms(record.last_opened_at),
        record.source, record.source_version, record.branch,
        to_ms(times.recorded_at), to_ms(times.updated_at), to_ms(times.observed_at),
        _ms(times.valid_from), _ms(times.valid_to), _ms(times.expires_at),
        record.superseded_by, record.version, record.tokens, record.token_method, record.tier.value,
        record.body_sha256, record.value_key, record.dedupe_key,
    )  # fmt: skip


def _list(items: tuple[str, ...]) -> str:
    return json.dumps(items, ensure_ascii=False) if items else "[]"


def _unlist(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else to_ms(moment)


def _moment(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else from_ms(milliseconds)
