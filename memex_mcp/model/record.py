"""One remembered thing, whole, and what a caller hands in to have it remembered."""

from datetime import datetime

from memex_mcp.model.kinds import Author, Kind, NoteType, Scope, Status, Surface, Tier, Trust
from memex_mcp.model.turn import Envelope
from memex_mcp.values import dataclass

GLOBAL_OWNER = "global"


def owner_of(scope: Scope, workspace_id: str, session_id: str) -> str:
    """Scope owner of a record: ``global``, ``w:<workspace>`` or ``s:<workspace>:<session>``."""
    if scope is Scope.GLOBAL:
        return GLOBAL_OWNER
    if scope is Scope.WORKSPACE:
        return f"w:{workspace_id}"
    return f"s:{workspace_id}:{session_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a record says about itself in a few lines; searchable apart from the body.

    Attributes:
        title: At most 120 characters, never empty.
        summary: At most 400 characters.
        use_when: The situation in which the record helps, in the writer's words.
        tags: Lower-case labels, at most 12.
        aliases: Other names for what the record is about, at most 12.
        questions: Questions that the record answers, at most 12.
        entities: Paths, URLs, packages and back-quoted names found in the text, at most 12.
    """

    title: str
    summary: str = ""
    use_when: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The two clocks of a record.  All aware, UTC.

    Attributes:
        recorded_at: When the first version was committed.
        updated_at: When this version was committed.
        observed_at: When the writer learned it; ``recorded_at`` if it did not say.
        valid_from: Since when it is true; None means always.
        valid_to: Until when, exclusive; None means still.
        expires_at: From then on ordinary recall leaves it out.
    """

    recorded_at: datetime
    updated_at: datetime
    observed_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One remembered thing.  Records never change in place: an edit is a new version.

    Attributes:
        id: 26 characters, Crockford base 32, sortable by creation time.
        family: ``chat`` or ``work``; None when it is neither.
        workspace_id: Empty for global records.
        session_id: Session that it was written in; decides who reads it when the scope is
            ``session``.
        salience: 0 to 1; scales a score, never gates it.
        confidence: 0 to 1; scales a score, never gates it.
        observations: How often the same value was written.
        version: Counts from 1.
        tokens: Size of the body, counted by ``token_method``.
        body_sha256: Hexadecimal digest of the body's UTF-8 bytes (surrogates passed through).
        value_key: Normal form of the body in its scope owner, hashed; serves duplicates and
            tombstones.
        dedupe_key: The caller's own key for an upsert.
    """

    id: str
    kind: Kind
    type: NoteType
    family: str | None = None
    scope: Scope
    workspace_id: str
    session_id: str
    card: Card
    body: str
    author: Author
    surface: Surface
    client: str
    trust: Trust
    status: Status
    pinned: bool = False
    salience: float = 0.5
    confidence: float = 0.5
    observations: int = 1
    opened_count: int = 0
    last_opened_at: datetime | None = None
    source: str = ""
    source_version: str = ""
    branch: str = ""
    times: Times
    superseded_by: str | None = None
    version: int = 1
    tokens: int = 0
    token_method: str = ""
    tier: Tier = Tier.HOT
    body_sha256: str = ""
    value_key: str = ""
    dedupe_key: str | None = None

    @property
    def owner(self) -> str:
        """Scope owner: what uniqueness, links, value keys and visibility hang on."""
        return owner_of(self.scope, self.workspace_id, self.session_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a caller asks to have remembered; every stamp is missing on purpose.

    Attributes:
        scope: A new record lies in the workspace unless told otherwise; an old one stays put.
        id: Revise this record.
        supersedes: Replace this record by the new one.
        dedupe_key: Revise the record that carries this key, or create it.
        sources: Ids of the records this one was derived from.
        events: Lines of a transcript that the text stands for, in their order; capture only.
        whole: In a revision, what is left out is emptied; else it stays as it was.
        propose: A new record waits for a person as a candidate.
        confidence: 0 to 1; only what was derived says itself how sure it is.
    """

    text: str
    kind: Kind = Kind.NOTE
    type: NoteType | None = None
    family: str | None = None
    scope: Scope | None = None
    title: str = ""
    summary: str = ""
    use_when: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    source: str = ""
    source_version: str = ""
    observed_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    salience: float | None = None
    id: str | None = None
    supersedes: str | None = None
    dedupe_key: str | None = None
    sources: tuple[str, ...] = ()
    events: tuple[Envelope, ...] = ()
    whole: bool = False
    propose: bool = False
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A typed, weighted relation between two records of one scope owner."""

    from_id: str
    to_id: str
    relation: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """Whether a record is pinned, and whether it was before."""

    id: str
    title: str
    pinned: bool
    was: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One version of a record, for people who ask how it came to be."""

    version: int
    at: datetime
    author: Author
    client: str
    title: str
    status: Status
