"""What a caller asks, and what it is told."""

from dataclasses import field
from datetime import datetime

from memex_mcp.model.kinds import (
    Author,
    Kind,
    NoteType,
    Outcome,
    Scope,
    State,
    Status,
    Tier,
    Trust,
)
from memex_mcp.model.record import Link, Record, Revision
from memex_mcp.model.turn import Envelope
from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One search.

    Attributes:
        variants: Rephrasings or translations by the agent, at most 6; each weighs less than
            ``text``.
        limit: 1 to 50 hits.
        path: Only records whose source, entities or tags name this path or something below it.
        scope: Narrow to one scope; never widens.
        include: Statuses to show besides the current ones; ``expired`` is allowed here.
        after: Only what was observed then or later.
        before: Only what was observed earlier.
        apart_from: Leave out what was archived in this session; its notes stay.
        authors: Only notes that one of these wrote.
        as_of: Answer with what was true then.
        believed_at: Answer with what was on record then.
        max_tokens: Budget of the whole answer.
        open_top: Add up to 2,000 characters of the best hit.
        cursor: Position that an earlier answer to the same query gave.
    """

    text: str
    variants: tuple[str, ...] = ()
    limit: int = 8
    kinds: tuple[Kind, ...] = ()
    types: tuple[NoteType, ...] = ()
    tags: tuple[str, ...] = ()
    family: str | None = None
    path: str = ""
    scope: Scope | None = None
    include: tuple[str, ...] = ()
    after: datetime | None = None
    before: datetime | None = None
    apart_from: str = ""
    authors: tuple[Author, ...] = ()
    as_of: datetime | None = None
    believed_at: datetime | None = None
    max_tokens: int = 2000
    open_top: bool = False
    explain: bool = False
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which part of a record to open.

    Attributes:
        cursor: Where an earlier page ended.
        max_tokens: Budget of the page.
        query: Begin the first page near the best match for these words.
        revision: Read this version; the current one when left out.
        events: Read the lines of the transcript that the record stands for, not its text.
    """

    cursor: str | None = None
    max_tokens: int = 2000
    query: str = ""
    revision: int | None = None
    events: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One record that a search found, as its caller sees it.

    Attributes:
        snippet: Text around the best match, cuts marked with ``…``.
        score: Greater is better; comparable within one answer only.
        via: ``lexical``, ``meaning`` where no word of the question led to it, or
            ``association``.
        matched_in: Where the match lies: ``title``, ``card``, ``alias``, ``question``, ``body``,
            ``exact`` or ``association``.
        session: ``same`` or ``other`` than the caller's.
        replaced_by: Set on superseded records.
        contradicted_by: Ids of the records that say otherwise and hold at the moment of the
            question, in the filters of it or not; the newest first.
        expired: The record's time had run out at the moment of the question.
        parts: Contribution of each feature; they add up to ``score``.  Only when asked for.
    """

    id: str
    title: str
    snippet: str
    kind: Kind
    type: NoteType
    status: Status
    trust: Trust
    author: Author
    scope: Scope
    level: str | None
    tier: Tier
    score: float
    via: str
    matched_in: str
    recorded_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    source: str
    session: str
    tokens: int
    client: str = ""
    replaced_by: str | None = None
    contradicted_by: tuple[str, ...] = ()
    expired: bool = False
    parts: dict[str, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopText:
    """The beginning of the best hit."""

    id: str
    text: str
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """The answer to a :class:`Query`.

    Attributes:
        searched: Records of the caller's scopes under the statuses asked for, by tier.
        skipped: Steps that could not run; the answer is poorer, not wrong.
    """

    state: State
    hits: tuple[Hit, ...] = ()
    top: TopText | None = None
    searched: dict[str, int] = field(default_factory=lambda: {"hot": 0, "cold": 0})
    next_cursor: str | None = None
    notice: str | None = None
    hint: str | None = None
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """One record, opened.

    Attributes:
        record: Its ``body`` is the whole body; ``text`` is the page that was asked for.
        offset: Character position of ``text`` in the body, or in the lines of ``events``.
        whole_sha256: Of all that ``text`` is a page of.
        next_cursor: None on the last page.
        revision: Version that ``text`` belongs to.
        current_status: Status of the record now; an earlier version had its own.
        revisions: The newest 20 versions, oldest first, the current one last.
        revisions_total: How many versions there are.
        events: The lines it stands for, where they were asked for; ``text`` is then a page of
            them, each with its line feed.
    """

    record: Record
    text: str
    offset: int
    whole_sha256: str
    revision: int
    current_status: Status
    next_cursor: str | None
    links: tuple[Link, ...]
    sources: tuple[str, ...]
    revisions: tuple[Revision, ...]
    revisions_total: int
    expired: bool = False
    events: tuple[Envelope, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """A record that says something close to, or against, what was just written."""

    id: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a write did.

    Attributes:
        masked: Kinds of secrets that were replaced, in order of appearance.
        hint: What the writer should know or do next; may be empty.
    """

    id: str
    outcome: Outcome
    status: Status
    trust: Trust
    scope: Scope
    version: int
    masked: tuple[str, ...] = ()
    similar: tuple[Similar, ...] = ()
    conflicts: tuple[Similar, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A status change."""

    id: str
    from_status: Status
    to_status: Status
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One page of records, newest first."""

    records: tuple[Record, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Told to listeners after a commit, once for each record that changed.

    Attributes:
        action: As in the audit: ``create``, ``revise``, ``supersede``, ``status:retracted`` …
        created: The record is new.
    """

    record_id: str
    action: str
    created: bool
