"""Excerpts of bodies around what a question asks for, each with where it stands."""

import sqlite3
from collections.abc import Mapping
from functools import cached_property

from memex_mcp.model.kinds import Kind, Scope, Status
from memex_mcp.model.record import Record
from memex_mcp.model.window import Excerpt
from memex_mcp.retrieval import legs, snippet
from memex_mcp.retrieval.hits import rarest
from memex_mcp.retrieval.pages import border_after, border_before
from memex_mcp.retrieval.snippet import MARK
from memex_mcp.store import search
from memex_mcp.store.search import Part
from memex_mcp.store.veil import body_text
from memex_mcp.text import lazily, tokens
from memex_mcp.text.card import clip
from memex_mcp.text.words import index_terms
from memex_mcp.values import dataclass

LONGEST = 1_000
"""Tokens of the longest excerpt."""

_CHARACTERS = 5
_REACH = LONGEST * _CHARACTERS
_TRIES = 4
_BORDER = lazily.pattern(r"[\s。！？；，、]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an excerpt should show.

    Attributes:
        worth: Terms with their rarity.
        exact: Quoted phrases and identifiers; where one stands is the place.
    """

    worth: Mapping[str, float]
    exact: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Around:
    """What was read of a body.

    Attributes:
        at: Where ``text`` begins in the body.
        first: Where the match begins in ``text``.
        last: Where it ends.
        more: The body goes on behind it.
    """

    text: str
    at: int
    first: int
    last: int
    more: bool


@dataclass(frozen=True)
class Source:
    """One record that excerpts of any length are cut from.

    Attributes:
        n: Row number.
        record: Its body is left out.
        why: See :class:`~memex_mcp.model.window.Excerpt`.
    """

    db: sqlite3.Connection
    n: int
    record: Record
    why: str
    wanted: Wanted
    expired: bool = False

    def excerpt(self, most: int) -> Excerpt:
        """The part of the body around the best match that costs at most ``most`` tokens."""
        around, record = self._around, self.record
        length = min(max(most, 1) * _CHARACTERS, _REACH)
        start, stop = _cut(around, length)
        for _ in range(_TRIES):
            cost = tokens.count(around.text[start:stop]).tokens
            if cost <= most:
                break
            length = max(int(length * most / cost) - 2, 1)
            start, stop = _cut(around, length)
        shown = tokens.clip(around.text[start:stop], most)
        stop = start + len(shown)
        return Excerpt(
            id=record.id,
            title=record.card.title,
            text=shown,
            start=around.at + start,
            stop=around.at + stop,
            more=stop < len(around.text) or around.more,
            why=self.why,
            kind=record.kind,
            type=record.type,
            status=record.status,
            trust=record.trust,
            author=record.author,
            client=record.client,
            scope=record.scope,
            source=record.source,
            recorded_at=record.times.recorded_at,
            expired=self.expired,
            replaced_by=record.superseded_by if record.status is Status.SUPERSEDED else None,
        )

    @cached_property
    def _around(self) -> _Around:
        """As much of the body as any excerpt of it may show."""
        start, stop = self._place()
        at = max(0, (start + stop) // 2 - _REACH)
        reach = (start + stop) // 2 + _REACH - at
        read = body_text(self.db, self.n, at, at + reach + 1)
        text = read[:reach]
        first, last = snippet.window(
            text[start - at : stop - at],
            self.wanted.worth,
            length=snippet.LENGTH,
            before=start > 0,
        )
        return _Around(text, at, start - at + first, start - at + last, len(read) > reach)

    def _place(self) -> tuple[int, int]:
        """Where the best chunk begins and ends; the beginning when nothing matches."""
        for phrase in self.wanted.exact:
            if terms := index_terms(phrase):
                found = search.best_chunk(self.db, self.n, [Part(f'"{terms}"', 1.0)])
                if found is not None:
                    return found
        chunk = legs.best_chunk(self.db, self.n, rarest(self.wanted.worth))
        return (chunk.start, chunk.stop) if chunk else (0, 0)


def _cut(around: _Around, length: int) -> tuple[int, int]:
    """So much of a text with the match in it, a third of the rest in front, at good borders."""
    text, first, last = around.text, around.first, around.last
    if len(text) <= length:
        return 0, len(text)
    start = max(0, min(first - (length - (last - first)) // 3, len(text) - length))
    if last - first >= length:
        start = first
    elif start or around.at:
        start = _start(text, start, first)
    stop = min(start + length, len(text))
    return start, border_before(text, stop, max(min(last, stop - 1), start))


def _start(text: str, low: int, high: int) -> int:
    """The first border of a word from ``low`` on, at most at ``high``."""
    found = _BORDER.search(text, max(low - 1, 0), high)
    return min(found.end() if found else border_after(text, low), max(low, high))


def block(number: int, each: Excerpt) -> str:
    """One excerpt as it is shown: id and title, what it is worth, the text with where it stands."""
    what = each.type if each.kind is Kind.NOTE else each.kind
    marks = [what, each.status, each.trust, f"by {each.author} ({each.client})"]
    marks.append(each.recorded_at.date().isoformat())
    if each.scope is not Scope.WORKSPACE:
        marks.append(each.scope)
    if each.source:
        marks.append(f"source {clip(each.source, 80)}")
    if each.expired:
        marks.append("expired")
    if each.replaced_by:
        marks.append(f"replaced by {each.replaced_by}")
    if each.why != "hit":
        marks.append(each.why)
    if each.start or each.more:
        marks.append(f"characters {each.start}-{each.stop}")
    before = MARK if each.start else ""
    after = MARK if each.more else ""
    head = f"[{number}] {each.id}{_title(each)}"
    return "\n".join([head, f"    {' · '.join(marks)}", f"{before}{each.text}{after}"])


def _title(each: Excerpt) -> str:
    """The title, unless the text begins with it."""
    said = " ".join(each.text[: 2 * len(each.title)].split())
    return "" if said.startswith(each.title.rstrip("….。 ")) else f" {each.title}"
