"""What each tool answers under ``--structured``, as models that schemas are made from."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from memex_mcp.model.kinds import (
    Author,
    Kind,
    NoteType,
    Outcome,
    Scope,
    State,
    Status,
    Surface,
    Tier,
    Trust,
)


class _Output(BaseModel):
    model_config = ConfigDict(extra="forbid")


class HitOutput(_Output):
    """One hit of a search."""

    id: str
    title: str
    snippet: str
    kind: Kind
    type: NoteType
    status: Status
    trust: Trust
    author: Author
    client: str
    scope: Scope
    level: str | None
    tier: Tier
    score: float
    via: Literal["lexical", "meaning", "association"]
    matched_in: str
    recorded_at: str
    valid_from: str | None
    valid_to: str | None
    source: str
    session: Literal["same", "other"]
    tokens: int
    replaced_by: str | None = None
    contradicted_by: list[str] = []
    expired: bool = False
    parts: dict[str, float] | None = None


class TopOutput(_Output):
    """Beginning of the best hit."""

    id: str
    text: str
    next_cursor: str | None = None


class SearchOutput(_Output):
    """Answer of ``memory_search``."""

    state: State
    hits: list[HitOutput]
    top: TopOutput | None = None
    searched: dict[Literal["hot", "cold"], int]
    next_cursor: str | None = None
    notice: str | None = None
    hint: str | None = None
    skipped: list[str]


class LinkOutput(_Output):
    """A relation to another record."""

    from_id: str
    to_id: str
    relation: str
    weight: float


class RevisionOutput(_Output):
    """One version of a record."""

    version: int
    at: str
    author: Author
    client: str
    title: str
    status: Status


class CardOutput(_Output):
    """What a record says about itself in a few lines, and when."""

    title: str
    summary: str
    use_when: str
    tags: list[str]
    aliases: list[str]
    questions: list[str]
    entities: list[str]
    recorded_at: str
    updated_at: str
    observed_at: str
    valid_from: str | None
    valid_to: str | None
    expires_at: str | None


class RecordOutput(CardOutput):
    """A record without its body."""

    id: str
    kind: Kind
    type: NoteType
    family: str | None
    scope: Scope
    workspace_id: str
    author: Author
    surface: Surface
    client: str
    trust: Trust
    status: Status
    pinned: bool
    salience: float
    confidence: float
    observations: int
    opened_count: int
    last_opened_at: str | None
    source: str
    source_version: str
    branch: str
    superseded_by: str | None
    version: int
    tokens: int
    token_method: str
    tier: Tier
    body_sha256: str
    dedupe_key: str | None


class OpenOutput(RecordOutput):
    """Answer of ``memory_open``: the record, one page of its text, and where it comes from."""

    text: str
    offset: int
    revision: int
    current_status: Status
    expired: bool
    next_cursor: str | None = None
    links: list[LinkOutput]
    sources: list[str]
    revisions: list[RevisionOutput]
    revisions_total: int
    events: list[str] | None = None


class SimilarOutput(_Output):
    """A record that stands close to what was written."""

    id: str
    title: str


class WriteOutput(_Output):
    """Answer of ``memory_write``."""

    id: str
    outcome: Outcome
    status: Status
    trust: Trust
    scope: Scope
    version: int
    masked: list[str]
    similar: list[SimilarOutput]
    conflicts: list[SimilarOutput]
    hint: str | None = None


class SetStatusOutput(_Output):
    """Answer of ``memory_set_status``."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    id: str
    from_: Annotated[Status, Field(alias="from")]
    to: Status
    superseded_by: str | None = None


class LineOutput(_Output):
    """One line that matches."""

    id: str
    title: str
    line: int
    offset: int
    excerpt: str
    kind: Kind
    status: Status
    trust: Trust


class GrepOutput(_Output):
    """Answer of ``memory_grep``."""

    lines: list[LineOutput]
    truncated: bool
    next_cursor: str | None = None


class IndexOutput(_Output):
    """Answer of ``memory_index``."""

    records: list[RecordOutput]
    next_cursor: str | None = None


class StatsOutput(_Output):
    """Answer of ``memory_stats``."""

    by_kind: dict[Kind, int]
    by_status: dict[Status, int]
    by_tier: dict[Tier, int]
    by_scope: dict[Scope, int]
    by_origin: dict[str, int]
    tokens: dict[Tier, int]
    token_method: str
    index: str
    links: dict[Literal["stated", "automatic"], int]
    waiting_files: int
    database_bytes: int
