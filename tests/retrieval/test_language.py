"""Filters written into a question narrow it; whatever is none of them stays a word of it."""

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.errors import Invalid
from memex_mcp.model.kinds import Kind, NoteType, Scope, State, Status
from memex_mcp.model.query import Query, SearchAnswer
from memex_mcp.retrieval import language, newest, recall
from memex_mcp.retrieval.language import Filters, applied, parse
from memex_mcp.store import search as index
from memex_mcp.store.visible import sight
from tests.card import card
from tests.make import NOON, make_caller
from tests.retrieval.using import change, put, store
from tests.strategies import bodies


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


def search(db: sqlite3.Connection, text: str, **over: Any) -> SearchAnswer:
    """Ask as the caller of the door does."""
    query = applied(replace(Query(text=text), **over))
    if language.only_filters(query):
        return newest.answer(db, query, make_caller(), NOON)
    return recall.recall(db, query, make_caller(), NOON)


def titles(db: sqlite3.Connection, text: str, **over: Any) -> list[str]:
    return [hit.title for hit in search(db, text, **over).hits]


@card("query.language")
@pytest.mark.parametrize(
    ("text", "words", "filters"),
    [
        ("port tag:ops", "port", Filters(tags=("ops",))),
        ("tag:Ops port tag:db", "port", Filters(tags=("ops", "db"))),
        ('tag:"two words" port', "port", Filters(tags=("two words",))),
        ("TAG：数据库，端口是多少", "端口是多少", Filters(tags=("数据库",))),
        ("端口，tag:「两 词」", "端口", Filters(tags=("两 词",))),
        ("tag:'it is' x", "x", Filters(tags=("it is",))),
        ("what type:decision was it", "what was it", Filters(types=(NoteType.DECISION,))),
        ("type:fact,Event", "", Filters(types=(NoteType.FACT, NoteType.EVENT))),
        ("kind:span kind:note a", "a", Filters(kinds=(Kind.SPAN, Kind.NOTE))),
        ("path:src/a why", "why", Filters(path="src/a")),
        (r"why path:C:\a\b", "why", Filters(path=r"C:\a\b")),
        ("scope:session a", "a", Filters(scope=Scope.SESSION)),
        ("is:superseded port", "port", Filters(include=("superseded",))),
        ("is:expired,archived x", "x", Filters(include=("expired", "archived"))),
        ("a before:2026-01-31", "a", Filters(before=day(2026, 1, 31))),
        ("a after:2026-01", "a", Filters(after=day(2026, 1, 1))),
        ("a after：2026", "a", Filters(after=day(2026, 1, 1))),
        (
            "after:2026-01-31T10:00+02:00 a",
            "a",
            Filters(after=datetime(2026, 1, 31, 8, tzinfo=UTC)),
        ),
        (
            "after:2025 after:2024 before:2026 before:2027 a",
            "a",
            Filters(after=day(2025, 1, 1), before=day(2026, 1, 1)),
        ),
        ('"staging port" tag:ops, please', '"staging port" please', Filters(tags=("ops",))),
        ("a tag:b, type:fact.", "a", Filters(tags=("b",), types=(NoteType.FACT,))),
    ],
)
def test_a_filter_leaves_the_question(text: str, words: str, filters: Filters) -> None:
    assert parse(text) == (words, filters)


@pytest.mark.parametrize(
    "text",
    [
        r"C:\a\b",
        "http://x/type:decision",
        "std::vector",
        "12:30",
        "foo:bar",
        "tag:",
        "tag: x",
        'tag:""',
        "tag:“ ”",
        "type:opinion",
        "type:fact,opinion",
        "kind:decision",
        "scope:everyone",
        "is:good",
        "before:soon",
        "after:2026-13",
        "after:2026-02-30",
        "before:0000",
        "-tag:x",
        "hashtag:x",
        "étag:x",
        '"tag:x type:fact"',
        "「tag:x」",
        "`tag:x`",
        '"tag:x',
        "  two  blanks ",
        "tag:\x00",
        "tag:" + "x" * 301,
        "",
    ],
)
def test_what_is_no_filter_stays_a_word(text: str) -> None:
    assert parse(text) == (text, Filters())
    assert parse(f"tag:x {text}")[1] == Filters(tags=("x",))


def test_of_two_paths_or_scopes_the_second_is_text_and_so_is_the_thirteenth_tag() -> None:
    assert parse("path:a path:b path:a x") == ("path:b x", Filters(path="a"))
    assert parse("scope:session scope:global x")[0] == "scope:global x"
    many = " ".join(f"tag:t{n}" for n in range(13))
    words, filters = parse(many)
    assert (words, len(filters.tags)) == ("tag:t12", 12)


PIECES = [
    *(
        "tag",
        "type",
        "kind",
        "path",
        "is",
        "before",
        "after",
        "scope",
        ":",
        "：",
        " ",
        '"',
        "“",
        "”",
    ),
    *(
        "'",
        "「",
        "`",
        ",",
        "，",
        "fact",
        "span",
        "2026",
        "-01",
        "-31T",
        "0000",
        "\x00",
        "\ud800",
        "²",
    ),
]


@card("query.any")
@given(st.one_of(bodies(200), st.lists(st.sampled_from(PIECES), max_size=20).map("".join)))
def test_no_text_breaks_the_reading_of_filters(text: str) -> None:
    words, filters = parse(text)

    assert words == text or filters != Filters()
    assert parse(words)[0] == words or filters != Filters()
    with store("The port is 5433.") as db:
        for variants in ((), (text,)):
            try:
                assert search(db, text, variants=variants).state is not State.DEGRADED
            except Invalid as error:
                assert "empty" in str(error)


def test_many_filters_break_nothing() -> None:
    with store("The port is 5433.") as db:
        text = " ".join(
            f"tag:t{n} is:archived type:fact after:{n % 90 + 1910}" for n in range(3_000)
        )

        assert search(db, text).state in (State.NO_MATCH, State.FILTERED)
        assert search(db, "tag:x port").state is State.FILTERED
        assert titles(db, "port type:fact") == ["The port is 5433."]


def test_an_explicit_filter_wins_and_tags_and_times_both_apply() -> None:
    text = "a kind:span type:event tag:x path:b scope:global is:archived after:2026 before:2027"
    given_apart = Query(
        text=text,
        kinds=(Kind.NOTE,),
        types=(NoteType.FACT,),
        tags=("y",),
        path="c",
        scope=Scope.SESSION,
        include=("expired",),
        after=day(2025, 1, 1),
        before=day(2026, 6, 1),
    )

    assert applied(given_apart) == replace(
        given_apart,
        text="a",
        tags=("y", "x"),
        include=("expired", "archived"),
        after=day(2026, 1, 1),
    )
    assert applied(Query(text="a", kinds=(Kind.NOTE,))) == Query(text="a", kinds=(Kind.NOTE,))


def test_with_no_word_left_the_first_variant_is_the_question() -> None:
    query = Query(text="tag:x", variants=(" ", "port", "端口"))

    assert applied(query) == Query(text="port", variants=("端口",), tags=("x",))
    assert applied(Query(text="tag:x")) == Query(text="", tags=("x",))
    assert applied(Query(text=" ", variants=("port",))) == Query(text=" ", variants=("port",))


@card("query.language")
def test_filters_in_the_text_narrow_a_search_as_arguments_do() -> None:
    with store() as db:
        put(db, "The staging port is 5433.", title="note", tags=("ops", "two words"))
        put(db, "Decided: the staging port moves.", title="decision", type=NoteType.DECISION)
        put(
            db, "The staging port was seen open.", title="span", kind=Kind.SPAN, source="src/a/b.py"
        )
        old = put(db, "The staging port was 1234.", title="old")
        change(db, old, NOON, status=Status.SUPERSEDED)

        assert len(titles(db, "staging port")) == 3
        assert titles(db, "staging port tag:ops") == ["note"]
        assert titles(db, 'staging port tag:"two words" tag:ops') == ["note"]
        assert titles(db, "staging port type:decision") == ["decision"]
        assert titles(db, "kind:span staging port") == ["span"]
        assert titles(db, "staging port path:src/a") == ["span"]
        assert "old" in titles(db, "staging port is:superseded")
        assert titles(db, "staging port tag:ops type:decision") == []
        assert search(db, "staging port scope:session").state is State.FILTERED


@card("query.times")
def test_before_ends_where_the_day_begins_and_after_begins_there() -> None:
    midnight = day(2026, 1, 31)
    moment = timedelta(milliseconds=1)
    with store() as db:
        for name, at in (
            ("eve", midnight - moment),
            ("dawn", midnight),
            ("day", midnight + moment),
        ):
            put(db, f"The staging port at {name}.", title=name, observed_at=at)

        assert set(titles(db, "staging port")) == {"eve", "dawn", "day"}
        assert titles(db, "staging port before:2026-01-31") == ["eve"]
        assert set(titles(db, "staging port after:2026-01-31")) == {"dawn", "day"}
        assert set(titles(db, "staging port after:2026-01 before:2026-02")) == {
            "eve",
            "dawn",
            "day",
        }
        assert titles(db, "staging port before:2026-01-31T00:00:00.001 after:2026-01-31") == [
            "dawn"
        ]
        assert titles(db, "staging port after:2026-02") == []
        hidden = search(db, "staging port after:2026-02")
        assert (hidden.state, hidden.hint) == (
            State.FILTERED,
            "Without the filter after there are matches.",
        )


def test_times_are_part_of_what_is_seen_and_not_applied_afterwards() -> None:
    with store() as db:
        # More than any leg looks at, all of them better than the one that is wanted.
        for n in range(150):
            put(db, f"staging port {n}", title="staging port", observed_at=day(2026, 5, 1))
        put(
            db,
            "Somebody asked for a port of staging once.",
            title="wanted",
            observed_at=day(2025, 5, 1),
        )

        assert titles(db, "staging port before:2026") == ["wanted"]
        seen = sight(make_caller(), at=NOON, before=day(2026, 1, 1))
        assert len(index.latest(db, seen, skip=0, limit=999)) == 1
        seen = sight(make_caller(), at=NOON, after=day(2026, 1, 1))
        assert len(index.latest(db, seen, skip=0, limit=999)) == 150


@card("query.newest")
def test_filters_alone_list_what_they_admit_newest_first_over_pages() -> None:
    with store() as db:
        for n in (3, 1, 5, 2, 4):
            put(db, f"Port {n}.", title=f"port {n}", tags=("ops",), observed_at=day(2026, 5, n))
        put(db, "Port 6.", title="port 6", observed_at=day(2026, 5, 6))
        put(db, "Other.", title="other", tags=("ops",), workspace_id="w2")

        assert titles(db, "tag:ops") == [f"port {n}" for n in (5, 4, 3, 2, 1)]
        assert titles(db, "tag:ops before:2026-05-03") == ["port 2", "port 1"]
        seen: list[str] = []
        cursor = None
        while True:
            answer = search(db, "tag:ops", limit=2, cursor=cursor)
            seen += [hit.title for hit in answer.hits]
            cursor = answer.next_cursor
            if cursor is None:
                break
        assert seen == [f"port {n}" for n in (5, 4, 3, 2, 1)]
        none = search(db, "tag:none")
        assert none.state is State.FILTERED
        assert none.hint == "Without the filter tags there are matches."
        assert search(db, "tag:none", open_top=True).top is None
        top = search(db, "tag:ops", open_top=True).top
        assert top is not None
        assert top.text == "Port 5."
        with pytest.raises(Invalid, match="empty"):
            search(db, " ")
    with store() as db:
        assert search(db, "tag:ops").state is State.EMPTY_ARCHIVE


def test_filters_alone_list_the_versions_of_then() -> None:
    later = NOON + timedelta(days=1)
    with store() as db:
        same = put(db, "Port 1.", title="same", tags=("ops",))
        changed = put(db, "Port 2.", title="then", tags=("ops",))
        change(db, changed, later, body="Port 3.")

        then = search(db, "tag:ops", believed_at=NOON)
        assert {hit.id for hit in then.hits} == {same.id, changed.id}
        assert {hit.snippet for hit in then.hits} == {"Port 1.", "Port 2."}
        assert [hit.id for hit in search(db, "tag:ops").hits] == [same.id]
        earlier = search(db, "tag:ops", believed_at=NOON, before=NOON)
        assert earlier.hits == ()
