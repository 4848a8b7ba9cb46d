r"""What people write between the words of a question: ``tag:ops``, ``before:2026-01-31``.

``key:value`` narrows the search where the key is one of ours and the value makes sense, quotes
around it or not, with a colon of either width.  Anything else is ordinary text, so that no
question is ever wrong: ``C:\a\b``, ``http://x``, ``std::vector`` and ``12:30`` are words, and so
is whatever stands in quotation marks.

* ``tag:`` (all of them), ``type:`` and ``kind:`` (one of them, ``type:fact,decision`` too),
  ``path:``, ``scope:``
* ``is:superseded`` shows what has that status, or is ``expired``, besides the current records
* ``after:2026-01`` from the first moment of that year, month, day or time on;
  ``before:2026-01-31`` until that moment, which is no longer in it.  Both mean ``observed_at``;
  a time without a zone is UTC.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from memex_mcp.errors import Invalid
from memex_mcp.model.kinds import Kind, NoteType, Scope, Status
from memex_mcp.model.query import Query
from memex_mcp.model.times import parse_time
from memex_mcp.text import lazily
from memex_mcp.text.fold import is_blank
from memex_mcp.values import dataclass

MOST_TAGS = 12
"""Tags that a question may name: no record has more, and SQL takes no end of them."""

KEYS = ("tag", "type", "kind", "path", "scope", "before", "after", "is")
"""What a filter begins with."""

_EXPIRED = "expired"
_LONGEST = 300
_TOKEN = lazily.pattern(
    rf"""
    "[^"\n]{{1,300}}" | “[^”\n]{{1,300}}” | 「[^」\n]{{1,300}}」
    | 『[^』\n]{{1,300}}』 | `[^`\n]{{1,300}}`
    | (?: (?<=[\s，。；、！？（「]) | ^ )
      (?P<key> {"|".join(KEYS)} ) [:：]
      (?: "(?P<double>[^"\n]*)" | “(?P<curly>[^”\n]*)” | 「(?P<corner>[^」\n]*)」
        | '(?P<single>[^'\n]*)'(?!\w) | (?P<plain>[^\s"“”「」，。；、！？]+) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PERIOD = lazily.pattern(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?")


@dataclass(frozen=True, slots=True)
class Filters:
    """What a question narrows itself to.

    Attributes:
        include: Statuses to show besides the current ones; ``expired`` among them.
        after: Observed then or later.
        before: Observed earlier.
    """

    kinds: tuple[Kind, ...] = ()
    types: tuple[NoteType, ...] = ()
    tags: tuple[str, ...] = ()
    path: str = ""
    scope: Scope | None = None
    include: tuple[str, ...] = ()
    after: datetime | None = None
    before: datetime | None = None


def parse(text: str) -> tuple[str, Filters]:
    """Take the filters out of a question.

    Returns:
        The question without them, unchanged where there are none, and what they say.  Of two
        paths or scopes the first one counts and the other is text; of two times the narrower.
    """
    filters = Filters()
    kept: list[str] = []
    done = 0
    for match in _TOKEN.finditer(text):
        narrowed = _taken(filters, match)
        if narrowed is not None:
            filters = narrowed
            kept.append(text[done : match.start()])
            done = match.end()
    if not done:
        return text, filters
    words = (part.strip(" \t\r\n,;，；、") for part in [*kept, text[done:]])
    return " ".join(filter(None, words)), filters


def applied(query: Query) -> Query:
    """The query with the filters of its text as its own.

    What the caller gave apart from the text wins over the same filter in it (kinds, types,
    path, scope); tags and times both apply, and so does ``include``.  With nothing left but
    filters the first variant is the question; without one, ``text`` is empty.
    """
    text, found = parse(query.text)
    variants = query.variants
    if found != Filters() and is_blank(text):
        text, *others = [*[each for each in variants if not is_blank(each)], ""]
        variants = tuple(others[:-1]) if text else ()
    return replace(
        query,
        text=text,
        variants=variants,
        kinds=query.kinds or found.kinds,
        types=query.types or found.types,
        tags=tuple(dict.fromkeys((*query.tags, *found.tags))),
        path=query.path or found.path,
        scope=query.scope or found.scope,
        include=tuple(dict.fromkeys((*query.include, *found.include))),
        after=_narrower(max, query.after, found.after),
        before=_narrower(min, query.before, found.before),
    )


def only_filters(query: Query) -> bool:
    """Whether a query says no word, but something that narrows it or widens what it shows."""
    named = (query.kinds, query.types, query.tags, query.path, query.scope, query.family)
    return is_blank(query.text) and any((*named, query.include, query.after, query.before))


def parse_moment(text: str) -> datetime | None:
    """The first moment of a year, month or day, or the moment itself; None when it is no time."""
    plain = unicodedata.normalize("NFKC", text).strip()
    try:
        if match := _PERIOD.fullmatch(plain):
            year, month, day = (int(part or 1) for part in match.groups())
            return datetime(year, month, day, tzinfo=UTC)
        return parse_time(plain)
    except (Invalid, ValueError):
        return None


def _taken(filters: Filters, match: re.Match[str]) -> Filters | None:
    """The filters with one more; None when it makes no sense and is text after all."""
    key = match["key"]
    if key is None:
        return None
    quoted = (match[name] for name in ("double", "curly", "corner", "single"))
    value = next((each for each in quoted if each is not None), None)
    if value is None:
        value = match["plain"].rstrip(",;.?!)，；。？！）")
    value = value.strip()
    if is_blank(value) or len(value) > _LONGEST:
        return None
    return _READERS[key.lower()](filters, value)


def _tag(filters: Filters, value: str) -> Filters | None:
    tags = tuple(dict.fromkeys((*filters.tags, value.lower())))
    return replace(filters, tags=tags) if len(tags) <= MOST_TAGS else None


def _type(filters: Filters, value: str) -> Filters | None:
    named = _named(value, NoteType)
    types = tuple(dict.fromkeys((*filters.types, *map(NoteType, named))))
    return replace(filters, types=types) if named else None


def _kind(filters: Filters, value: str) -> Filters | None:
    named = _named(value, Kind)
    kinds = tuple(dict.fromkeys((*filters.kinds, *map(Kind, named))))
    return replace(filters, kinds=kinds) if named else None


def _path(filters: Filters, value: str) -> Filters | None:
    return replace(filters, path=value) if filters.path in ("", value) else None


def _scope(filters: Filters, value: str) -> Filters | None:
    named = _named(value, Scope)
    if len(named) != 1 or filters.scope not in (None, named[0]):
        return None
    return replace(filters, scope=Scope(named[0]))


def _is(filters: Filters, value: str) -> Filters | None:
    named = _named(value, (*Status, _EXPIRED))
    include = tuple(dict.fromkeys((*filters.include, *named)))
    return replace(filters, include=include) if named else None


def _after(filters: Filters, value: str) -> Filters | None:
    moment = parse_moment(value)
    return replace(filters, after=_narrower(max, filters.after, moment)) if moment else None


def _before(filters: Filters, value: str) -> Filters | None:
    moment = parse_moment(value)
    return replace(filters, before=_narrower(min, filters.before, moment)) if moment else None


_READERS: Mapping[str, Callable[[Filters, str], Filters | None]] = {
    "tag": _tag,
    "type": _type,
    "kind": _kind,
    "path": _path,
    "scope": _scope,
    "is": _is,
    "after": _after,
    "before": _before,
}


def _named(value: str, known: Iterable[str]) -> list[str]:
    """The words of a closed vocabulary that a value lists; none when one of them is not of it."""
    names = [name.strip().lower() for name in value.split(",")]
    return names if set(names) <= set(known) else []


def _narrower(
    pick: Callable[[datetime, datetime], datetime], one: datetime | None, other: datetime | None
) -> datetime | None:
    return pick(one, other) if one and other else one or other
