"""What a caller asks beside searching, and what it is told: lines, lists and counts."""

from memex_mcp.model.kinds import Kind, Scope, Status, Trust
from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Browse:
    """Which records to list, newest first.

    Attributes:
        kinds: None named shows every kind.
        statuses: Statuses to show, or ``expired``; the current ones when none is named.
        scope: Narrow to one scope; never widens.
        limit: 1 to 200 records.
        cursor: Where an earlier page ended.
    """

    kinds: tuple[Kind, ...] = ()
    statuses: tuple[str, ...] = ()
    scope: Scope | None = None
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grep:
    """Which lines to look for.

    Attributes:
        pattern: Read as it stands, or as a regular expression.
        among: Which records to look into; its limit counts lines, 1 to 100, and its cursor
            belongs to the same pattern.
    """

    pattern: str
    regex: bool = False
    ignore_case: bool = False
    among: Browse = Browse(limit=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line that matches.

    Attributes:
        line: Counts from 1 in the body; 0 is the title.
        offset: Where the match begins, in characters of the body, or of the title.
        excerpt: The line around the match, cuts marked with ``…``.
    """

    id: str
    title: str
    line: int
    offset: int
    excerpt: str
    kind: Kind
    status: Status
    trust: Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Grepped:
    """The lines that match, newest record first.

    Attributes:
        truncated: Time ran out before all was looked at; ``next_cursor`` goes on there.
    """

    lines: tuple[Line, ...] = ()
    truncated: bool = False
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much there is, as far as the caller may see.

    Attributes:
        by_kind: Records of every status, by kind; the others likewise.
        by_origin: ``tool``, ``hook``, ``cli``, ``panel``, ``import``, ``backfill`` (archived
            turns that an import took from old transcripts) or ``distill``.
        tokens: In record bodies, by tier.
        token_method: How token counts are made at present.
        index: ``ok``, or what is wrong with the search index, in words.
        links: Those ``stated`` by somebody, and the ``automatic`` ones.
        waiting_files: Records whose Markdown file is still to be written, in the whole store.
        database_bytes: Size of the database, its log left out.
    """

    by_kind: dict[str, int]
    by_status: dict[str, int]
    by_tier: dict[str, int]
    by_scope: dict[str, int]
    by_origin: dict[str, int]
    tokens: dict[str, int]
    token_method: str
    index: str
    links: dict[str, int]
    waiting_files: int
    database_bytes: int
