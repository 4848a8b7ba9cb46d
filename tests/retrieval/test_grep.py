"""Lines of every body: found once, in order, within a page and a time."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace

import pytest

from memex_mcp.errors import Invalid
from memex_mcp.model.browse import Browse, Grep, Grepped, Line
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind, Scope, Status, Tier
from memex_mcp.retrieval.grep import grep
from memex_mcp.retrieval.lists import ROOM, render_grepped
from tests.card import card
from tests.make import NOON, make_caller
from tests.retrieval.using import put, store

THREE = "first heron\nno bird\nsecond heron here"


def look(
    db: sqlite3.Connection,
    pattern: str = "heron",
    caller: Caller | None = None,
    late: Callable[[], bool] = lambda: False,
    **over: object,
) -> Grepped:
    among = {name: over.pop(name) for name in {*over} - {"regex", "ignore_case"}}
    asked = Grep(pattern=pattern, among=Browse(**{"limit": 20, **among}), **over)  # type: ignore[arg-type]  # fields by name
    return grep(db, asked, caller or make_caller(), NOON, late)


def places(found: Grepped) -> list[tuple[str, int, int]]:
    return [(line.id, line.line, line.offset) for line in found.lines]


def ids(found: Grepped) -> list[str]:
    return [line.id for line in found.lines]


@card("grep.lines")
@pytest.mark.parametrize("limit", [1, 2, 3, 20])
@pytest.mark.parametrize("regex", [False, True])
def test_every_line_that_matches_is_told_once_newest_record_first(limit: int, regex: bool) -> None:
    with store() as db:
        old = put(db, THREE, title="A title").id
        cold = put(db, "A heron\r\n\r\nand the same heron, a heron", tier=Tier.COLD, title="B").id
        new = put(db, "nothing", title="The heron in a title").id
        found, cursor, pages = list[tuple[str, int, int]](), None, 0
        while pages == 0 or cursor:
            page = look(db, limit=limit, cursor=cursor, regex=regex)
            assert not page.truncated
            found += places(page)
            cursor, pages = page.next_cursor, pages + 1

    assert found == [(new, 0, 4), (cold, 1, 2), (cold, 3, 24), (old, 1, 6), (old, 3, 27)]
    assert pages == -(-5 // limit)


def test_a_line_is_told_with_what_stands_around_the_match() -> None:
    with store() as db:
        record = put(db, f"{'x' * 200} heron {'y' * 200}\nand on", title="Birds")
        [line] = look(db).lines

    assert line == Line(
        id=record.id,
        title="Birds",
        line=1,
        offset=201,
        excerpt=f"…{'x' * 79} heron {'y' * 79}…",
        kind=Kind.NOTE,
        status=Status.ACTIVE,
        trust=record.trust,
    )


def test_a_title_made_from_the_text_is_not_told_beside_it() -> None:
    with store("The heron is blue.") as db:
        assert [line.line for line in look(db).lines] == [1]


def test_letters_count_unless_told_otherwise_and_signs_mean_themselves() -> None:
    with store("Heron (a+b)", "heron aab") as db:
        assert len(look(db, "heron").lines) == 1
        assert len(look(db, "heron", ignore_case=True).lines) == 2
        assert [line.excerpt for line in look(db, "(a+b)").lines] == ["Heron (a+b)"]
        assert len(look(db, "(a+b)", regex=True).lines) == 1
        assert len(look(db, "^H.*\\)$", regex=True).lines) == 1
        assert len(look(db, "HERON (A|\\()", regex=True, ignore_case=True).lines) == 2


def test_filters_narrow_and_statuses_show_what_is_hidden() -> None:
    with store("A heron.") as db:
        span = put(db, "A heron in a span.", kind=Kind.SPAN, scope=Scope.SESSION).id
        gone = put(db, "A heron no more.", status=Status.RETRACTED).id
        past = put(db, "A heron for a day.", expires_at=NOON).id
        usual = {line.id for line in look(db).lines}

        assert {gone, past} & usual == set()
        assert len(usual) == 2
        assert {line.id for line in look(db, kinds=(Kind.SPAN,)).lines} == {span}
        assert {line.id for line in look(db, scope=Scope.SESSION).lines} == {span}
        assert {line.id for line in look(db, statuses=("retracted",)).lines} == {gone}
        assert {line.id for line in look(db, statuses=("expired",)).lines} == {*usual, past}
        with pytest.raises(Invalid, match="statuses has no 'gone'"):
            look(db, statuses=("gone",))


def test_another_caller_finds_no_line() -> None:
    with store() as db:
        put(db, "A heron.", scope=Scope.SESSION)

        assert len(look(db).lines) == 1
        for stranger in (make_caller("w1", "s2"), make_caller("w2"), make_caller(None)):
            assert look(db, caller=stranger) == Grepped()


@pytest.mark.parametrize("regex", [False, True])
def test_a_call_that_runs_out_of_time_says_so_and_the_next_one_goes_on(regex: bool) -> None:
    """Time is over at once, so that each call comes no further than it must."""
    with store() as db:
        for _ in range(3):
            put(db, f"{THREE}\n{'z' * 10_000}", title="Birds")
        whole = look(db, regex=regex, limit=100)
        pages = [look(db, regex=regex, late=lambda: True)]
        while pages[-1].next_cursor:
            assert len(pages) < 100
            cursor = pages[-1].next_cursor
            pages.append(look(db, regex=regex, late=lambda: True, cursor=cursor))

    assert all(page.truncated for page in pages[:-1])
    assert not pages[-1].truncated
    assert len(pages) > 3
    assert [line for page in pages for line in page.lines] == list(whole.lines)


def test_what_is_written_meanwhile_shifts_no_page() -> None:
    with store("One heron.", "Two herons.") as db:
        first = look(db, limit=1)
        put(db, "Three herons.")
        second = look(db, limit=1, cursor=first.next_cursor)

    assert [line.excerpt for line in (*first.lines, *second.lines)] == ["Two herons.", "One heron."]
    assert second.next_cursor is None


def test_an_answer_is_never_longer_than_clients_take() -> None:
    with store() as db:
        for _ in range(60):
            put(db, f"{'<memex-x ' * 20} heron {'y' * 90}", title="T" * 120)
        page = look(db, limit=100)
        rest = look(db, limit=100, cursor=page.next_cursor)

    assert 10 < len(page.lines) < 60
    assert len(render_grepped(page, nonce="0" * 8)) < ROOM + 500
    assert {line.id for line in page.lines}.isdisjoint(line.id for line in rest.lines)


@pytest.mark.parametrize(
    "over",
    [
        pytest.param({"pattern": ""}, id="nothing"),
        pytest.param({"pattern": "a\nb"}, id="two lines"),
        pytest.param({"pattern": "a" * 1_001}, id="too long"),
        pytest.param({"pattern": "(a", "regex": True}, id="no pattern"),
        pytest.param({"cursor": "x"}, id="no cursor"),
        pytest.param({"pattern": "bird", "cursor": True}, id="another pattern's cursor"),
        pytest.param({"regex": True, "cursor": True}, id="a cursor of the text as it stands"),
    ],
)
def test_what_makes_no_sense_is_refused(over: dict[str, object]) -> None:
    with store("One heron.", "Two herons.") as db:
        cursor = look(db, limit=1).next_cursor
        assert look(db, cursor=cursor).lines
        if over.get("cursor") is True:
            over = {**over, "cursor": cursor}
        with pytest.raises(Invalid):
            look(db, **over)  # type: ignore[arg-type]  # arguments by name


def test_nothing_found_is_an_answer() -> None:
    with store("One heron.") as db:
        assert render_grepped(look(db, "stork"), nonce="0").startswith("no_match")
        assert "truncated" in render_grepped(replace(look(db), truncated=True), nonce="0")


def test_a_long_line_is_one_line() -> None:
    with store() as db:
        one = put(db, f"{'x' * 4_090} needle2 {'z' * 9_000}").id

        literal = ids(look(db, "needle2"))
        absent = ids(look(db, "needle3"))
        edge = ids(look(db, "^z", regex=True))
        end = ids(look(db, "z$", regex=True))

    assert literal == [one]
    assert absent == []
    assert edge == []
    assert end == [one]
