"""The beginning of the best hit, or the part of it that matched."""

import sqlite3
from collections.abc import Mapping

from memex_mcp.model.query import TopText
from memex_mcp.retrieval import pages
from memex_mcp.retrieval.evidence import Candidate
from memex_mcp.retrieval.snippet import MARK, window
from memex_mcp.store.veil import body_text
from memex_mcp.text import tokens
from memex_mcp.text.fence import Format, inside

CHARACTERS = 2_000
"""Longest text shown, marks not counted."""


def text(
    db: sqlite3.Connection,
    candidate: Candidate,
    worth: Mapping[str, float],
    max_tokens: int,
    form: Format = Format.XML,
) -> TopText:
    """Read up to 2,000 characters of a body.

    It begins where the body begins, unless the match lies further on.  ``…`` marks where
    the body goes on; ``next_cursor`` is where.

    Args:
        db: Snapshot to read from.
        candidate: The best hit.
        worth: Terms that should be in it, with their rarity.
        max_tokens: What it may cost.
        form: How the fence around it is written: some put a mark before every line.
    """
    record = candidate.record
    start = 0
    end = candidate.start + len(candidate.text)
    if end > CHARACTERS and candidate.matched:
        start = _start(candidate, worth)
    if candidate.past:
        around = record.body[start : start + CHARACTERS + 1]
    else:
        around = body_text(db, candidate.n, start, start + CHARACTERS + 1)
    shown = _clipped(around[:CHARACTERS], max_tokens, form)
    more = len(around) > len(shown)
    if more:
        shown = around[: pages.border_before(around, len(shown), 0)]
    following = None
    if more and not candidate.past:
        following = pages.cursor(record.id, record.body_sha256, start + len(shown))
    return TopText(
        id=record.id,
        text=f"{MARK if start else ''}{shown}{MARK if more else ''}",
        next_cursor=following,
    )


def _clipped(around: str, most: int, form: Format) -> str:
    """The beginning that costs so much at most, with the marks of its lines."""
    shown, budget = tokens.clip(around, most), most
    if form is Format.XML:
        return shown
    while shown and (cost := tokens.count(inside(shown, form)).tokens) > most:
        budget = min(budget - 1, budget * most // cost)
        shown = tokens.clip(around, budget)
    return shown


def _start(candidate: Candidate, worth: Mapping[str, float]) -> int:
    """A little before the match, as far back as leaves room for what follows it."""
    first, _ = window(candidate.text, worth, length=CHARACTERS // 2, before=candidate.start > 0)
    return candidate.start + first
