"""Answers as text for models: compact, fenced, every record with its trust label."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from memex_mcp.model.kinds import Kind, Scope, State, Tier
from memex_mcp.model.query import Hit, Opened, SearchAnswer, TopText
from memex_mcp.model.record import Record
from memex_mcp.model.times import iso
from memex_mcp.text.card import clip
from memex_mcp.text.fence import Format, fenced

CHARACTERS = 9_500
"""Longest answer; clients cut what is longer, each in its own way."""

_LIST_CHARACTERS = 800
_LINKS = 8
_REVISIONS = 6
_BEGINNING = 4_000

FRAME_TOKENS = 110
"""What the first line, the fence and a cursor cost besides the hits."""

_NOTHING = {
    State.NO_MATCH: "no_match: nothing on record matches.",
    State.EMPTY_ARCHIVE: "empty_archive: nothing is on record here yet.",
    State.FILTERED: "filtered: the filters hide every match.",
    State.DISABLED: "disabled: memory is off.",
    State.DEGRADED: "degraded: nothing found, and not everything could be searched.",
}


def render_search(answer: SearchAnswer, *, nonce: str, form: Format = Format.XML) -> str:
    """The hits of a search, best first; one line when there are none."""
    notes = [note for note in (answer.hint, answer.notice) if note]
    notes += [f"skipped: {step}" for step in answer.skipped]
    if not answer.hits:
        return "\n".join([_NOTHING.get(answer.state, f"{answer.state}: no hits."), *notes])
    blocks = [hit_block(number, hit) for number, hit in enumerate(answer.hits, start=1)]
    if answer.top is not None:
        blocks.insert(1, top_block(answer.top))
    head = f"{answer.state}: {len(answer.hits)} of {sum(answer.searched.values())} records"
    shown = _fitting(blocks, nonce, form)
    if len(shown) < len(blocks):
        notes.append(f"{len(blocks) - len(shown)} more did not fit; lower limit or open one.")
    if answer.next_cursor:
        notes.append(f"next_cursor: {answer.next_cursor}")
    return "\n".join(
        [head, fenced("\n".join(shown), label="recall", nonce=nonce, format=form), *notes]
    )


def render_opened(opened: Opened, *, nonce: str, form: Format = Format.XML) -> str:
    """One page of a record with what a reader needs to judge it."""
    record = opened.record
    lines = [f"{record.id} {record.card.title}", _marks(record, opened)]
    lines += [f"{name}: {clip(text, _LIST_CHARACTERS)}" for name, text in _card(opened) if text]
    lines += [f"{link.from_id} {link.relation} {link.to_id}" for link in opened.links[:_LINKS]]
    if len(opened.links) > _LINKS:
        lines.append(f"and {len(opened.links) - _LINKS} more links")
    tail = f"next_cursor: {opened.next_cursor}" if opened.next_cursor else "end of the record"
    text = "\n".join([*lines, _history(opened), "", opened.text])
    return "\n".join([fenced(text, label="record", nonce=nonce, format=form), tail])


def room(top: TopText | None, form: Format = Format.XML) -> int:
    """Characters that an answer has for its hits, each of them with a line break."""
    text = top_block(top) if top else ""
    return CHARACTERS - len(fenced(text, label="recall", nonce="0" * 8, format=form))


def hit_block(number: int, hit: Hit) -> str:
    """One hit as it is shown: id and title, what it is worth, the text around the match."""
    what = hit.type if hit.kind is Kind.NOTE else hit.kind
    marks = [what, hit.status, hit.trust, f"by {hit.author} ({hit.client})"]
    marks += _told(hit)
    if hit.source:
        marks.append(f"source {clip(hit.source, 80)}")
    if hit.expired:
        marks.append("expired")
    if hit.replaced_by:
        marks.append(f"replaced by {hit.replaced_by}")
    if hit.contradicted_by:
        # Their ids would take more room than the hit; opening it names them.
        rivals = len(hit.contradicted_by)
        marks.append(f"contradicted by {rivals} {'record' if rivals == 1 else 'records'}")
    lines = [f"[{number}] {hit.id} {hit.title}", f"    {' · '.join(marks)}", f"    {hit.snippet}"]
    if hit.parts:
        parts = ", ".join(f"{name} {value:.4f}" for name, value in hit.parts.items())
        lines.append(f"    score {hit.score:.4f} = {parts}")
    return "\n".join(lines)


def top_block(top: TopText) -> str:
    """The beginning of the best hit, below it."""
    more = f"\n    next_cursor: {top.next_cursor}" if top.next_cursor else ""
    return f"    text of {top.id}:\n{top.text}{more}"


def _told(hit: Hit) -> Iterator[str]:
    """When and where, of what is not the ordinary case."""
    yield hit.recorded_at.date().isoformat()
    yield from _valid(hit.recorded_at, hit.valid_from, hit.valid_to)
    if hit.scope is not Scope.WORKSPACE:
        yield f"{hit.scope} {hit.level or ''}".rstrip()
    if hit.session == "same":
        yield "same session"
    if hit.tier is Tier.COLD:
        yield hit.tier
    if hit.via == "meaning":
        yield "found by meaning"
    elif hit.matched_in not in ("body", "title"):
        yield f"matched in {hit.matched_in}"


def _valid(recorded: datetime, since: datetime | None, until: datetime | None) -> Iterator[str]:
    """From when to when it is true; true since it was recorded goes without saying."""
    if since is not None and since != recorded:
        yield f"valid from {_moment(since)}"
    if until is not None:
        yield f"valid to {_moment(until)}"


def _moment(moment: datetime) -> str:
    """The day, with its time unless that is midnight."""
    return iso(moment).removesuffix("T00:00:00.000Z")


def _card(opened: Opened) -> Iterator[tuple[str, str]]:
    """What the card adds to the text, name by name; what it does not say is empty."""
    card = opened.record.card
    yield "use when", card.use_when
    # Made by rule, a summary repeats the beginning of the text.
    beginning = " ".join(opened.record.body[:_BEGINNING].split())
    yield "summary", "" if card.summary.rstrip("…") in beginning else card.summary
    yield "tags", ", ".join(card.tags)
    yield "aliases", ", ".join(card.aliases)
    yield "questions", ", ".join(card.questions)
    yield "derived from", ", ".join(opened.sources)


def _history(opened: Opened) -> str:
    shown = opened.revisions[-_REVISIONS:]
    past = [f"{one.version}: {one.status} by {one.author} {iso(one.at)}" for one in shown]
    left = opened.revisions_total - len(shown)
    return f"revisions: {f'{left} earlier; ' if left else ''}{'; '.join(past)}"


def _marks(record: Record, opened: Opened) -> str:
    what = record.type if record.kind is Kind.NOTE else record.kind
    marks = [what, record.status, record.trust, f"by {record.author} ({record.client})"]
    times = record.times
    marks += [times.recorded_at.date().isoformat(), record.scope, f"version {opened.revision}"]
    if times.observed_at.date() != times.recorded_at.date():
        marks.append(f"observed {_moment(times.observed_at)}")
    marks += _valid(times.recorded_at, times.valid_from, times.valid_to)
    if times.expires_at is not None:
        marks.append(f"expires {_moment(times.expires_at)}")
    if record.source:
        marks.append(f"source {clip(record.source, 200)} {record.source_version}".rstrip())
    if opened.current_status is not record.status:
        marks.append(f"now {opened.current_status}")
    if opened.expired:
        marks.append("expired")
    if record.superseded_by:
        marks.append(f"replaced by {record.superseded_by}")
    return " · ".join(marks)


def _fitting(blocks: Sequence[str], nonce: str, form: Format) -> list[str]:
    """As many blocks as fit, at least one; fencing may lengthen them, so it is measured."""
    shown: list[str] = []
    for block in blocks:
        longer = [*shown, block]
        text = fenced("\n".join(longer), label="recall", nonce=nonce, format=form)
        if shown and len(text) > CHARACTERS:
            break
        shown = longer
    return shown
