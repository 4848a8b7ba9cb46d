"""Candidates, scored and put into words for their caller."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import LEVELS, Status
from memex_mcp.model.query import Hit
from memex_mcp.model.record import Record
from memex_mcp.retrieval import legs
from memex_mcp.retrieval.evidence import LEAD, Candidate, Coverage
from memex_mcp.retrieval.render import hit_block
from memex_mcp.retrieval.snippet import LENGTH, snippet
from memex_mcp.store.veil import body_text
from memex_mcp.text import tokens
from memex_mcp.text.fence import Format, inside
from memex_mcp.values import dataclass

LINK = "link"
"""Name of the part of the score that a link alone gives."""

_AROUND = 120
_WORDS = 4


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with what speaks for it.

    Attributes:
        parts: Contribution of each feature; they add up to the score.
        worded: Words found it, and not its meaning alone.
    """

    candidate: Candidate
    coverage: Coverage
    exact: float
    parts: Mapping[str, float]
    worded: bool = True

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return sum(self.parts.values())


def expired(record: Record, at: datetime) -> bool:
    """Whether the record's time has run out; being superseded is another end."""
    over = record.status is Status.SUPERSEDED
    ends = (record.times.expires_at, None if over else record.times.valid_to)
    return any(end is not None and end <= at for end in ends)


def via(scored: Scored) -> str:
    """What found it: its words, its meaning alone, or a link."""
    if LINK in scored.parts:
        return "association"
    return "lexical" if scored.worded else "meaning"


def matched_in(scored: Scored) -> str:
    """The field that holds most of the question."""
    found = scored.coverage
    shares = {
        "title": found.title,
        "body": found.body,
        "alias": found.alias,
        "question": found.question,
        "card": found.about,
    }
    if LINK in scored.parts:
        return "association"
    if scored.exact:
        return "exact"
    if not scored.worded:
        return "body"
    return max(shares, key=shares.__getitem__)


def hit(
    db: sqlite3.Connection,
    scored: Scored,
    worth: Mapping[str, float],
    caller: Caller,
    moment: datetime,
    *,
    explain: bool = False,
) -> Hit:
    """One hit as the caller sees it.

    Args:
        db: Snapshot to read the snippet from.
        scored: The candidate.
        worth: Terms that the snippet should show, with their rarity.
        caller: Decides whether the session is the same.
        moment: Decides whether the record's time has run out.
        explain: Say what the score is made of.
    """
    record = scored.candidate.record
    own = record.session_id and record.session_id == caller.session_id
    return Hit(
        id=record.id,
        title=record.card.title,
        snippet=_snippet(db, scored.candidate, worth),
        kind=record.kind,
        type=record.type,
        status=record.status,
        trust=record.trust,
        author=record.author,
        scope=record.scope,
        level=LEVELS.get(record.scope),
        tier=record.tier,
        score=scored.score,
        via=via(scored),
        matched_in=matched_in(scored),
        recorded_at=record.times.recorded_at,
        valid_from=record.times.valid_from,
        valid_to=record.times.valid_to,
        source=record.source,
        session="same" if own else "other",
        tokens=record.tokens,
        client=record.client,
        replaced_by=record.superseded_by if record.status is Status.SUPERSEDED else None,
        parts=dict(scored.parts) if explain else None,
        expired=expired(record, moment),
    )


def _snippet(db: sqlite3.Connection, candidate: Candidate, worth: Mapping[str, float]) -> str:
    if candidate.past:
        return snippet(candidate.record.body, worth, before=False, after=False)
    start, stop = candidate.start, candidate.start + len(candidate.text)
    whole = start == 0 and not candidate.more
    if whole or (candidate.matched and stop - start >= LENGTH):
        return snippet(candidate.text, worth, before=start > 0, after=candidate.more)
    if not candidate.matched:
        chunk = legs.best_chunk(db, candidate.n, rarest(worth))
        start, stop = (chunk.start, chunk.stop) if chunk else (0, LEAD)
    around = _AROUND if stop - start < LENGTH else 0
    low = max(0, start - around)
    text = body_text(db, candidate.n, low, stop + around + 1)
    more = len(text) > stop + around - low
    return snippet(text[:-1] if more else text, worth, before=low > 0, after=more)


def rarest(worth: Mapping[str, float]) -> dict[str, float]:
    """The terms worth most, four at most: a common one costs a search through all it stands in."""
    return dict(sorted(worth.items(), key=lambda each: -each[1])[:_WORDS])


def within(
    hits: Sequence[Hit], max_tokens: int, max_characters: int, form: Format = Format.XML
) -> list[Hit]:
    """The first hits that fit as they are shown; the first one is shortened if it must be."""
    kept: list[Hit] = []
    left, room = max_tokens, max_characters
    for each in hits:
        shown = _shown(each, form)
        cost = tokens.count(shown).tokens
        if kept and (cost > left or len(shown) >= room):
            break
        if cost > left:
            each = _shortened(each, left, form)
            shown = _shown(each, form)
            cost = tokens.count(shown).tokens
        kept.append(each)
        left -= cost
        room -= len(shown) + 1
    return kept


def _shown(each: Hit, form: Format) -> str:
    # The number in front of a hit never has more digits than this one.
    return inside(hit_block(50, each), form)


def _shortened(each: Hit, most: int, form: Format) -> Hit:
    bare = replace(each, title="", snippet="")
    left = max(most - tokens.count(_shown(bare, form)).tokens, 0)
    title = tokens.clip(each.title, left)
    return replace(
        each, title=title, snippet=tokens.clip(each.snippet, left - tokens.count(title).tokens)
    )
