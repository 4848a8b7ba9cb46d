"""What a change answers, in two or three lines; a page of a record, cut to what clients take."""

from dataclasses import replace
from itertools import accumulate

from memex_mcp.model.query import Moved, Opened, Similar, Written
from memex_mcp.retrieval import pages, render
from memex_mcp.text.fence import Format, fenced


def opened(answer: Opened, *, nonce: str, form: Format = Format.XML) -> tuple[str, Opened]:
    """A page of a record: as text, and the page itself, shorter if its text was too long.

    A budget in tokens does not bound characters: long words are cheap, and a fence adds some.
    """
    while True:
        text = render.render_opened(answer, nonce=nonce, form=form)
        over = len(text) - render.CHARACTERS
        if over <= 0 or len(answer.text) <= 1:
            return text, answer
        answer = _shortened(answer, max(len(answer.text) - over, len(answer.text) // 2))


def ended_hashes(answer: Opened) -> list[str]:
    """Hashes of the transcript lines that end on this page, in their order."""
    ends = accumulate(len(line.data) + 1 for line in answer.events)
    stop = answer.offset + len(answer.text)
    return [
        line.sha256
        for line, end in zip(answer.events, ends, strict=True)
        if answer.offset < end <= stop
    ]


def written(answer: Written, *, nonce: str, form: Format = Format.XML) -> str:
    """A write: what happened, under which id, and what stands close to it."""
    marks = (answer.status, answer.trust, answer.scope, f"version {answer.version}")
    lines = [f"{answer.outcome} {answer.id} ({', '.join(marks)})"]
    if answer.masked:
        lines.append(f"masked before storing: {', '.join(answer.masked)}")
    if answer.hint:
        lines.append(answer.hint)
    if answer.conflicts:
        lines.append("These say otherwise; if one is outdated, supersede or retract it:")
        lines.append(_titles(answer.conflicts, nonce, form))
    if answer.similar:
        lines.append("These say something close:")
        lines.append(_titles(answer.similar, nonce, form))
    return "\n".join(lines)


def moved(answer: Moved) -> str:
    """A status change."""
    after = f", replaced by {answer.superseded_by}" if answer.superseded_by else ""
    return f"{answer.id}: {answer.from_status} -> {answer.to_status}{after}"


def _shortened(answer: Opened, most: int) -> Opened:
    stop = pages.border_before(answer.text, max(most, 1), 0)
    cursor = pages.cursor(answer.record.id, answer.whole_sha256, answer.offset + stop)
    return replace(answer, text=answer.text[:stop], next_cursor=cursor)


def _titles(similar: tuple[Similar, ...], nonce: str, form: Format) -> str:
    body = "\n".join(f"- {one.id} {one.title}" for one in similar)
    return fenced(body, label="titles", nonce=nonce, format=form)
