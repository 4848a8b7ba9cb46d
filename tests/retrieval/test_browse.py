"""Lists and counts, as far as their reader sees."""

import pytest

from memex_mcp.errors import Invalid
from memex_mcp.model.browse import Browse
from memex_mcp.model.kinds import Kind, Scope, Status, Tier
from memex_mcp.model.query import Listed
from memex_mcp.model.record import Link
from memex_mcp.retrieval.browse import listed, stats
from memex_mcp.retrieval.lists import ROOM, render_listed, render_stats
from memex_mcp.store import associations, links, records
from memex_mcp.store.migrations import set_meta
from tests.card import card
from tests.make import NOON, make_caller
from tests.retrieval.using import put, store


def test_the_pages_of_a_list_hold_every_record_once_whatever_is_written_meanwhile() -> None:
    with store("one", "two", "three", "four") as db:
        first = listed(db, Browse(limit=2), make_caller(), NOON)
        put(db, "five")
        second = listed(db, Browse(limit=2, cursor=first.next_cursor), make_caller(), NOON)
        whole = listed(db, Browse(), make_caller(), NOON)

    ids = [record.id for record in (*first.records, *second.records)]
    assert ids == [record.id for record in whole.records[1:]]
    assert (second.next_cursor, len(ids)) == (None, 4)


def test_a_list_is_narrowed_and_shows_what_is_hidden_when_asked() -> None:
    with store("a note") as db:
        span = put(db, "a span", kind=Kind.SPAN, scope=Scope.SESSION).id
        gone = put(db, "gone", status=Status.RETRACTED).id
        past = put(db, "past", expires_at=NOON).id

        def ids(**over: object) -> set[str]:
            asked = Browse(**over)  # type: ignore[arg-type]  # fields by name
            return {record.id for record in listed(db, asked, make_caller(), NOON).records}

        usual = ids()
        assert span in usual
        assert {gone, past} & usual == set()
        assert ids(kinds=(Kind.SPAN,)) == ids(scope=Scope.SESSION) == {span}
        assert ids(statuses=("retracted",)) == {gone}
        assert ids(statuses=("active",)) == usual
        assert ids(statuses=("expired",)) == usual | {past}
        assert ids(statuses=("retracted", "expired")) == {gone}
        with pytest.raises(Invalid):
            ids(statuses=("gone",))
        with pytest.raises(Invalid):
            ids(cursor="no id")
        stranger = listed(db, Browse(), make_caller("w2"), NOON)
        assert stranger.records == ()


def test_a_page_is_never_longer_than_clients_take_and_leads_to_the_next() -> None:
    with store() as db:
        for _ in range(150):
            put(db, "text", title="<memex-x " * 13)
        page = listed(db, Browse(limit=200), make_caller(), NOON)
        rest = listed(db, Browse(limit=200, cursor=page.next_cursor), make_caller(), NOON)

    assert 20 < len(page.records) < 150
    assert len(render_listed(page, nonce="0" * 8)) < ROOM + 500
    assert {each.id for each in page.records}.isdisjoint(each.id for each in rest.records)
    assert render_listed(Listed(records=()), nonce="0") == "0 records."


@card("stats.counts")
def test_counts_tell_what_their_reader_sees_and_nothing_else() -> None:
    with store() as db:
        made = [put(db, f"note {n}", tokens=3, entities=("a.py",)) for n in range(3)]
        for record in made:
            associations.follow(db, records.number(db, record.id) or 0, None, record)
        links.add(db, Link(from_id=made[0].id, to_id=made[1].id, relation="refines"))
        put(db, "a span", kind=Kind.SPAN, scope=Scope.SESSION, tokens=5, tier=Tier.COLD)
        put(db, "gone", status=Status.RETRACTED, tokens=7)
        put(db, "elsewhere", workspace_id="w2", tokens=11)

        mine, theirs = stats(db, make_caller()), stats(db, make_caller("w3"))
        set_meta(db, "analyzer_version", "0")
        stale = stats(db, make_caller())

    assert mine.by_kind == {"note": 4, "span": 1}
    assert mine.by_status == {"active": 4, "retracted": 1}
    assert mine.by_tier == {"hot": 4, "cold": 1}
    assert mine.by_scope == {"session": 1, "workspace": 4, "global": 0}
    assert mine.tokens == {"hot": 16, "cold": 5}
    assert mine.links == {"stated": 1, "automatic": 3}
    assert mine.index == "ok"
    assert stale.index != "ok"
    assert (theirs.by_kind, theirs.by_status) == ({}, {})
    assert theirs.links == {"stated": 0, "automatic": 0}
    assert theirs.tokens == {"hot": 0, "cold": 0}
    assert "by status: active 4, retracted 1\n" in render_stats(mine)
    assert "by kind: none\n" in render_stats(theirs)


def test_an_index_that_lacks_rows_is_told() -> None:
    with store("one") as db:
        before = stats(db, make_caller()).index
        db.execute("DELETE FROM chunk")

        assert before == "ok"
        assert "1 records have no chunk" in stats(db, make_caller()).index
