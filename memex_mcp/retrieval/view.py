"""What one search may see, and what its filters hide."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from memex_mcp.errors import Invalid
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import CURRENT, Status
from memex_mcp.model.query import Query
from memex_mcp.store.visible import Sight, apart_from, notes_by, sight, unchanged

EXPIRED = "expired"

_STATUSES = frozenset(status.value for status in Status)
_MOST_HITS = 50
_EMPTY: Mapping[str, object] = {
    "kinds": (),
    "types": (),
    "tags": (),
    "family": None,
    "path": "",
    "scope": None,
    "after": None,
    "before": None,
    "as_of": None,
    "believed_at": None,
}


def statuses(query: Query) -> tuple[Status, ...]:
    """The statuses that a query shows.

    Raises:
        Invalid: ``include`` names something else than a status or ``expired``.
    """
    shown = dict.fromkeys(CURRENT)
    for name in query.include:
        if name == EXPIRED:
            continue
        if name not in _STATUSES:
            raise Invalid(
                f"include has no {name[:40]!r}", f"Known are {', '.join(Status)} and {EXPIRED}."
            )
        shown[Status(name)] = None
    return tuple(shown)


def page_size(query: Query) -> int:
    """Hits of one page: what the query asks for, 1 to 50."""
    return max(1, min(query.limit, _MOST_HITS))


def asked_about(query: Query, at: datetime) -> datetime:
    """The moment that a question is about: the one it names, or its own."""
    return query.as_of or query.believed_at or at


def sight_of(query: Query, caller: Caller, at: datetime) -> Sight:
    """Compile the query's filters for its caller.

    What has changed since ``believed_at`` stays out: the filters apply to its version of then,
    which the index does not know.
    """
    moment = query.believed_at
    seen = sight(
        caller,
        at=at if moment is None else moment,
        statuses=statuses(query),
        include_expired=EXPIRED in query.include,
        kinds=query.kinds,
        types=query.types,
        tags=query.tags,
        family=query.family,
        path=query.path,
        scope=query.scope,
        after=query.after,
        before=query.before,
        as_of=query.as_of,
        believed_at=moment,
    )
    if query.apart_from:
        seen = apart_from(seen, query.apart_from)
    if query.authors:
        seen = notes_by(seen, query.authors)
    return seen if moment is None else unchanged(seen, moment)


def wider(query: Query) -> Iterator[tuple[Query, str]]:
    """The query with one thing less in its way, and what that thing is; then with none."""
    given = [name for name, empty in _EMPTY.items() if getattr(query, name) != empty]
    for name in given:
        yield without(query, name), f"Without the filter {name} there are matches."
    if len(given) > 1:
        names = ", ".join(given)
        yield without(query, *given), f"Without the filters {names} there are matches."
    every = replace(query, include=(*Status, EXPIRED))
    yield every, ""
    if given:
        yield without(every, *given), ""


def without(query: Query, *names: str) -> Query:
    """The same question without some of its filters."""
    return replace(query, **{name: _EMPTY[name] for name in names})  # type: ignore[arg-type]  # names of fields, their own empty values
