"""Answers of the tools beside search as text for models: lines, lists, counts."""

from collections.abc import Mapping

from memex_mcp.model.browse import Grepped, Line, Stats
from memex_mcp.model.kinds import Kind, Scope
from memex_mcp.model.query import Listed
from memex_mcp.model.record import Link, Record
from memex_mcp.text.card import clip
from memex_mcp.text.fence import Format, fenced

ROOM = 9_000
"""Characters that the lines of one answer have, with their line breaks."""

_TITLE = 80


def record_line(record: Record) -> str:
    """One record of a list."""
    what = record.type if record.kind is Kind.NOTE else record.kind
    marks = [what, record.status, record.trust, record.times.recorded_at.date().isoformat()]
    marks += [] if record.scope is Scope.WORKSPACE else [record.scope]
    marks += ["pinned"] if record.pinned else []
    return f"- {record.id} {record.card.title} ({', '.join(marks)})"


def line_block(line: Line) -> str:
    """One line that matches, below the record it stands in."""
    place = f"line {line.line}" if line.line else "title"
    marks = " · ".join((place, f"offset {line.offset}", line.kind, line.status, line.trust))
    return f"{line.id} {clip(line.title, _TITLE)} · {marks}\n    {line.excerpt}"


def render_listed(listed: Listed, *, nonce: str, form: Format = Format.XML) -> str:
    """A page of a list."""
    if not listed.records:
        return "0 records."
    body = "\n".join(record_line(record) for record in listed.records)
    told = [f"{len(listed.records)} records, newest first:"]
    told.append(fenced(body, label="list", nonce=nonce, format=form))
    return "\n".join([*told, *_more(listed.next_cursor)])


def render_grepped(grepped: Grepped, *, nonce: str, form: Format = Format.XML) -> str:
    """The lines that match; one line when there are none."""
    told = [f"{len(grepped.lines)} lines, newest record first:"] if grepped.lines else []
    if grepped.lines:
        body = "\n".join(line_block(line) for line in grepped.lines)
        told.append(fenced(body, label="grep", nonce=nonce, format=form))
    elif not grepped.truncated:
        told.append("no_match: no line on record matches.")
    if grepped.truncated:
        told.append("truncated: time ran out before all was looked at; go on with the cursor.")
    return "\n".join([*told, *_more(grepped.next_cursor)])


def render_linked(link: Link) -> str:
    """A link that was stated."""
    return f"linked: {link.from_id} {link.relation} {link.to_id} (weight {link.weight:g})"


def render_stats(stats: Stats) -> str:
    """Counts, a line each."""
    lines = [f"records: {sum(stats.by_kind.values())}"]
    lines += [f"by kind: {_counted(stats.by_kind)}", f"by status: {_counted(stats.by_status)}"]
    lines += [f"by tier: {_counted(stats.by_tier)}", f"by scope: {_counted(stats.by_scope)}"]
    lines.append(f"by origin: {_counted(stats.by_origin)}")
    lines.append(f"tokens: {_counted(stats.tokens)} ({stats.token_method})")
    lines.append(f"links: {_counted(stats.links)}")
    lines.append(f"index: {stats.index}")
    lines.append(f"files to be written: {stats.waiting_files}")
    lines.append(f"database: {stats.database_bytes} bytes")
    return "\n".join(lines)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items()) or "none"


def _more(cursor: str | None) -> list[str]:
    return [f"next_cursor: {cursor}"] if cursor else []
