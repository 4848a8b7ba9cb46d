"""Answers as text: a model reads off them what a program gets as fields."""

from dataclasses import replace
from datetime import datetime, timedelta

from memex_mcp.model.kinds import Author, Kind, NoteType, Scope, State, Status, Tier, Trust
from memex_mcp.model.query import Hit, Opened, SearchAnswer
from memex_mcp.model.record import Link, Record, Revision
from memex_mcp.retrieval.render import hit_block, render_opened, render_search
from tests.make import NOON, make_record

DAY = timedelta(days=1)
MIDNIGHT = datetime.fromisoformat("2026-03-01T00:00:00Z")
NONCE = "0" * 8


def make_hit(**over: object) -> Hit:
    plain = Hit(
        id="0" * 26,
        title="Port",
        snippet="The staging database listens on port 5433.",
        kind=Kind.NOTE,
        type=NoteType.FACT,
        status=Status.ACTIVE,
        trust=Trust.UNTRUSTED,
        author=Author.AGENT,
        client="codex",
        scope=Scope.WORKSPACE,
        level="L3",
        tier=Tier.HOT,
        score=1.0,
        via="lexical",
        matched_in="body",
        recorded_at=NOON,
        valid_from=None,
        valid_to=None,
        source="",
        session="other",
        tokens=9,
    )
    return replace(plain, **over)  # type: ignore[arg-type]  # one field of a hit each


def make_opened(record: Record, **over: object) -> Opened:
    plain = Opened(
        whole_sha256="",
        record=record,
        text=record.body,
        offset=0,
        revision=record.version,
        current_status=record.status,
        next_cursor=None,
        links=(),
        sources=(),
        revisions=(make_revision(1),),
        revisions_total=1,
    )
    return replace(plain, **over)  # type: ignore[arg-type]  # one field of a page each


def make_revision(version: int) -> Revision:
    return Revision(
        version=version,
        at=NOON + version * DAY,
        author=Author.AGENT,
        client="codex",
        title="Port",
        status=Status.ACTIVE,
    )


def marks(**over: object) -> str:
    return hit_block(1, make_hit(**over)).splitlines()[1].strip()


def test_an_ordinary_hit_is_marked_in_few_words_and_an_unusual_one_says_what_is() -> None:
    assert marks() == "fact · active · untrusted · by agent (codex) · 2026-11-30"
    assert marks(valid_from=NOON) == marks(matched_in="title") == marks()
    unusual = marks(
        valid_from=MIDNIGHT,
        valid_to=NOON + DAY,
        scope=Scope.SESSION,
        level="L2",
        session="same",
        tier=Tier.COLD,
        matched_in="alias",
    )
    assert unusual == (
        "fact · active · untrusted · by agent (codex) · 2026-11-30"
        " · valid from 2026-03-01 · valid to 2026-12-01T12:00:00.000Z"
        " · session L2 · same session · cold · matched in alias"
    )


def test_an_opened_record_tells_the_card_and_the_clocks_and_leaves_out_what_says_nothing() -> None:
    plain = render_opened(make_opened(make_record()), nonce=NONCE)
    full = make_record(
        use_when="before a release",
        summary="Something that the text does not say.",
        observed_at=NOON - 2 * DAY,
        valid_from=MIDNIGHT,
        valid_to=NOON + DAY,
        expires_at=MIDNIGHT + 365 * DAY,
    )
    text = render_opened(make_opened(full, sources=("A" * 26, "B" * 26)), nonce=NONCE)

    assert "use when: before a release\n" in text
    assert "summary: Something that the text does not say.\n" in text
    assert f"derived from: {'A' * 26}, {'B' * 26}\n" in text
    assert (
        " · version 1 · observed 2026-11-28T12:00:00.000Z · valid from 2026-03-01"
        " · valid to 2026-12-01T12:00:00.000Z · expires 2027-03-01\n"
    ) in text
    for word in ("use when", "summary", "derived from", "observed", "valid", "expires", "more"):
        assert word not in plain


def test_a_summary_that_the_text_begins_with_is_not_told_twice() -> None:
    body = "The staging database listens\n on port 5433. " * 40
    said = make_record(body=body, summary="The staging database listens on port 5433. The…")
    other = make_record(body=body, summary="Where staging listens")

    assert "summary: " not in render_opened(make_opened(said), nonce=NONCE)
    assert "summary: Where" in render_opened(make_opened(other), nonce=NONCE)


def test_what_is_left_out_of_the_history_and_of_the_links_is_counted() -> None:
    record = make_record(version=40)
    links = tuple(Link(from_id=record.id, to_id=f"{n:026}", relation="about") for n in range(11))
    past = tuple(map(make_revision, range(21, 41)))
    opened = make_opened(record, links=links, revisions=past, revisions_total=40)
    text = render_opened(opened, nonce=NONCE)
    few = render_opened(make_opened(record, links=links[:8]), nonce=NONCE)

    assert text.count(" about ") == 8
    assert "\nand 3 more links\n" in text
    assert "\nrevisions: 34 earlier; 35: active by agent 2027-01-04T12:00:00.000Z; 36" in text
    assert "more links" not in few
    assert "\nrevisions: 1: active by agent 2026-12-01T12:00:00.000Z\n" in few


def test_hits_that_are_too_long_for_one_answer_are_counted_rather_than_cut() -> None:
    hits = tuple(make_hit(snippet="words " * 100) for _ in range(50))
    long = render_search(SearchAnswer(state=State.OK, hits=hits), nonce=NONCE)
    short = render_search(SearchAnswer(state=State.OK, hits=hits[:3]), nonce=NONCE)

    shown = long.count("· untrusted ·")
    assert 3 < shown < 50
    assert f"\n{50 - shown} more did not fit" in long
    assert len(long) < 10_000
    assert "did not fit" not in short
