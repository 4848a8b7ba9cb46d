"""The one predicate that says which records a caller sees, compiled to SQL once.

Search, open, list, catalog, count and every background pass put ``where`` into their own
statement; none of them filters afterwards.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from urllib.parse import unquote

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import CURRENT, Author, Kind, NoteType, Scope, Status
from memex_mcp.model.times import to_ms
from memex_mcp.policy import access
from memex_mcp.values import dataclass

_NAMED = """EXISTS (
  SELECT 1 FROM (
    SELECT r.source AS name
    UNION ALL SELECT value FROM json_each(r.entities)
    UNION ALL SELECT value FROM json_each(r.tags)
  ) AS named, json_each(?) AS beginning
  WHERE substr(replace(named.name, '\\', '/') || '/', 1, length(beginning.value))
    = beginning.value)"""
_TAGGED = "EXISTS (SELECT 1 FROM json_each(r.tags) WHERE value = ?)"
_VALID_ON = "(r.valid_from IS NULL OR r.valid_from <= ?) AND (r.valid_to IS NULL OR r.valid_to > ?)"
# A superseded record without a declared end was true until it was superseded.
_ONCE_TRUE = "(r.status = 'superseded' AND coalesce(r.valid_to, r.updated_at) > ?)"


@dataclass(frozen=True, slots=True)
class Sight:
    """What one query may see.

    Attributes:
        where: SQL over alias ``r`` of table ``record``, safe to join with ``AND``; ``1=0``
            when nothing may be seen.
        params: One value for each ``?`` in ``where``, in order.
    """

    where: str
    params: tuple[object, ...]


def pinned(seen: Sight) -> Sight:
    """The same sight with only what is pinned in it."""
    return Sight(f"{seen.where} AND r.pinned = 1", seen.params)


def apart_from(seen: Sight, session_id: str) -> Sight:
    """The same sight without the archive of one session; the notes written in it stay."""
    where = f"{seen.where} AND (r.session_id <> ? OR r.kind = '{Kind.NOTE}')"
    return Sight(where, (*seen.params, storable(session_id)))


def notes_by(seen: Sight, authors: Sequence[Author]) -> Sight:
    """The same sight with only the notes that one of these wrote in it."""
    marks = ", ".join("?" * len(authors))
    where = f"{seen.where} AND r.kind = '{Kind.NOTE}' AND r.author IN ({marks})"
    return Sight(where, (*seen.params, *authors))


def unchanged(seen: Sight, since: datetime) -> Sight:
    """The same sight with only what has not changed since a moment in it."""
    return Sight(f"{seen.where} AND r.updated_at <= ?", (*seen.params, to_ms(since)))


class _Clauses:
    """Conditions that all have to hold."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.params: list[object] = []

    def add(self, sql: str, *params: object) -> None:
        self.parts.append(sql)
        self.params += params

    def add_any_of(self, column: str, values: Sequence[str]) -> None:
        """``column`` is one of ``values``; no value admits nothing."""
        marks = ", ".join("?" * len(values))
        self.add(f"{column} IN ({marks})" if values else "1=0", *map(storable, values))

    def compiled(self) -> Sight:
        return Sight(" AND ".join(self.parts), tuple(self.params))


def owners_clause(caller: Caller) -> Sight:
    """What the caller owns, whatever its status: for reads by id and for revisions."""
    clauses = _Clauses()
    clauses.add_any_of("r.owner", access.owners(caller))
    return clauses.compiled()


def sight(  # noqa: PLR0913 - one name for each filter of a query
    caller: Caller,
    *,
    at: datetime,
    statuses: Sequence[Status] = CURRENT,
    include_expired: bool = False,
    kinds: Sequence[Kind] = (),
    types: Sequence[NoteType] = (),
    tags: Sequence[str] = (),
    family: str | None = None,
    path: str = "",
    scope: Scope | None = None,
    after: datetime | None = None,
    before: datetime | None = None,
    as_of: datetime | None = None,
    believed_at: datetime | None = None,
) -> Sight:
    """Compile what the caller sees under these filters; every filter narrows.

    * ``at``: the moment of the question; a record is expired from its last moment on.
    * ``statuses``: none shows nothing.
    * ``tags``: all of them have to be present.
    * ``path``: source, entities or tags name this path or something below it, segment by
      segment; relative paths start at the workspace.
    * ``after``, ``before``: observed at the first or later, and before the second.
    * ``as_of``: what was true then, superseded since or not, in place of what is true now.
    * ``believed_at``: only what had been recorded by then.
    """
    clauses = _Clauses()
    clauses.add_any_of("r.owner", access.owners(caller))
    _add_status(clauses, statuses, as_of)
    _add_times(clauses, at, include_expired, as_of)
    if believed_at is not None:
        clauses.add("r.recorded_at <= ?", to_ms(believed_at))
    if scope is not None:
        clauses.add("r.scope = ?", scope.value)
    if kinds:
        clauses.add_any_of("r.kind", kinds)
    if types:
        clauses.add_any_of("r.type", types)
    if family is not None:
        clauses.add("r.family = ?", storable(family))
    if after is not None:
        clauses.add("r.observed_at >= ?", to_ms(after))
    if before is not None:
        clauses.add("r.observed_at < ?", to_ms(before))
    for tag in tags:
        clauses.add(_TAGGED, storable(tag.strip().lower()))
    if beginnings := _beginnings(path, caller):
        clauses.add(_NAMED, json.dumps(beginnings))
    return clauses.compiled()


def _add_status(clauses: _Clauses, statuses: Sequence[Status], as_of: datetime | None) -> None:
    if as_of is None or not statuses or Status.SUPERSEDED in statuses:
        clauses.add_any_of("r.status", statuses)
        return
    marks = ", ".join("?" * len(statuses))
    clauses.add(f"(r.status IN ({marks}) OR {_ONCE_TRUE})", *map(str, statuses), to_ms(as_of))


def _add_times(
    clauses: _Clauses, at: datetime, include_expired: bool, as_of: datetime | None
) -> None:
    moment = to_ms(at)
    if not include_expired:
        clauses.add("(r.expires_at IS NULL OR r.expires_at > ?)", moment)
    if as_of is not None:
        clauses.add(_VALID_ON, to_ms(as_of), to_ms(as_of))
    elif not include_expired:
        # A superseded record ended when it was replaced; its status already hides it.
        clauses.add("(r.valid_to IS NULL OR r.valid_to > ? OR r.status = 'superseded')", moment)


def lies_at(names: Iterable[str], path: str, caller: Caller) -> bool:
    """Whether one of the names is this path or something below it, as the sight has it."""
    beginnings = tuple(_beginnings(path, caller))
    plain = (name.replace("\\", "/") + "/" for name in names)
    return not beginnings or any(name.startswith(beginnings) for name in plain)


def _beginnings(path: str, caller: Caller) -> list[str]:
    """How a name that lies at or below ``path`` can begin, a slash added at its end.

    A name goes on with a slash, or with ``:`` or ``#`` and a line.
    """
    asked = _plain_path(storable(path))
    if not asked:
        return []
    root = _plain_path(caller.workspace.path) if caller.workspace else ""
    spellings = {asked, asked.lower()}
    if asked.startswith(f"{root}/"):
        spellings |= {asked[len(root) + 1 :], f"./{asked[len(root) + 1 :]}"}
    elif root and not _is_absolute(asked):
        spellings |= {f"./{asked}", f"{root}/{asked}"}
    spellings |= {f"file://{spelling}" for spelling in spellings if spelling.startswith("/")}
    return sorted(spelling + end for spelling in spellings for end in "/:#")


def _plain_path(path: str) -> str:
    plain = path.strip().replace("\\", "/")
    if plain.startswith("file://"):
        plain = unquote(plain.removeprefix("file://"))
    while plain.startswith("./"):
        plain = plain[2:].lstrip("/")
    plain = plain.rstrip("/")
    return "" if plain == "." else plain


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "~")) or path[1:2] == ":" or "://" in path


def storable(text: str) -> str:
    """The text as the write gate stores it: no lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")
