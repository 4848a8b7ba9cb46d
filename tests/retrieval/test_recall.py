"""Recall as a caller meets it: what is found, in which order, and why nothing is."""

import random
from datetime import timedelta

import pytest

from memex_mcp.errors import Invalid
from memex_mcp.model.kinds import Kind, NoteType, Scope, State, Status
from memex_mcp.retrieval import pages, rerank
from memex_mcp.retrieval.render import render_search
from memex_mcp.store import index
from memex_mcp.text import tokens
from tests.card import card
from tests.make import NOON, make_caller
from tests.retrieval.using import ask, change, found, put, store

PORT = "The staging database listens on port 5433."
BRANCH = "The release branch is cut on Thursdays."
MIXED = "步2 重跑gen-itgc后50条悬空引用清零"
DAY = timedelta(days=1)


@card("recall.mixed_text")
@pytest.mark.parametrize(
    "query", ["悬空", "itgc", "gen", "重跑", "引用清零", "gen-itgc", "清", "悬"]
)
def test_mixed_text_is_found_by_its_parts(query: str) -> None:
    with store(MIXED, PORT, "另一条毫无关系的记录") as db:
        [hit] = ask(db, query).hits

    assert hit.snippet == MIXED


@card("text.traditional")
def test_a_traditional_question_finds_simplified_text() -> None:
    with store("数据库备份保留三十天。", PORT) as db:
        assert len(ask(db, "資料庫備份").hits) == len(ask(db, "数据库备份").hits) == 1


@card("text.names")
@pytest.mark.parametrize(
    "name", ["getUserById", "get_user_by_id", "src/a/b.py:42", "E1234", "v2.3.1"]
)
def test_a_name_is_found_whole_by_part_and_inside_a_long_question(name: str) -> None:
    with store(PORT, BRANCH) as db:
        record = put(db, f"Nobody expected that {name} would be the cause of the outage.")

        assert found(db, name) == [record.id]
        assert ask(db, name).hits[0].matched_in == "exact"
        assert record.id in found(db, f"what on earth is the matter with {name} these days")


@card("recall.deep")
def test_an_identifier_deep_in_a_body_beats_titles_that_hold_every_other_word() -> None:
    chance = random.Random(5)
    words = [f"w{chance.randrange(10**6)}" for _ in range(900)]
    hits = 0
    with store() as db:
        for n in range(50):
            put(
                db,
                f"Deployment rollback procedure number {n}.",
                title="Deployment rollback procedure",
            )
        for n in range(10):
            words[810] = name = f"XK-{4471 + n}"
            record = put(db, " ".join(words), title="A long session")
            hits += found(db, f"deployment rollback procedure {name}")[0] == record.id

    assert hits == 10


def test_a_short_question_is_answered_from_a_long_text() -> None:
    filler = "Nothing of note happened on that day and nobody said much about it. " * 40
    with store() as db:
        record = put(db, f"{filler}The zeppelin lands. 悬空 {filler}", title="Notes of the day")

        assert found(db, "zeppelin") == found(db, "悬空") == found(db, "悬") == [record.id]
        shown = ask(db, "zeppelin").hits[0]
    assert "zeppelin" in shown.snippet
    assert shown.snippet.startswith("…")
    assert shown.matched_in == "body"


def test_every_leg_sees_only_what_the_caller_may() -> None:
    query = '"blue heron" gen-itgc staging'
    body = "The blue heron restarts gen-itgc on the staging host."
    with store() as db:
        mine = put(db, body)
        put(db, f"{body} ", workspace_id="w2")
        put(db, f"{body}  ", scope=Scope.SESSION, session_id="s2")
        own = put(db, f"{body}   ", scope=Scope.SESSION)

        everyone = {hit.id for hit in ask(db, query).hits}
        stranger = ask(db, query, make_caller(None, None))

    assert everyone <= {mine.id, own.id}
    assert everyone
    assert (stranger.state, stranger.hits) == (State.EMPTY_ARCHIVE, ())


def test_hidden_records_do_not_take_the_places_of_visible_ones() -> None:
    with store() as db:
        for n in range(300):
            put(db, f"Staging database port {n}", workspace_id="w2")
        mine = put(db, "The port of the staging database, among many other words, is 5433.")

        assert found(db, "staging database port") == [mine.id]


def test_what_is_not_on_record_is_not_answered() -> None:
    with store(PORT, BRANCH, "The gateway rejects unsigned images.") as db:
        absent = ask(db, "When does the kangaroo cut the umbrella?")
        chinese = ask(db, "袋鼠什么时候出生？")
        there = ask(db, "When is the release branch cut?")

    assert (absent.state, absent.hits) == (State.NO_MATCH, ())
    assert (chinese.state, chinese.hits) == (State.NO_MATCH, ())
    assert absent.searched == {"hot": 3, "cold": 0}
    assert there.state is State.OK
    assert there.hits[0].snippet == BRANCH


def test_stop_words_alone_are_a_question_too() -> None:
    with store("To be or not to be.", PORT) as db:
        assert [hit.snippet for hit in ask(db, "to be or not to be").hits] == [
            "To be or not to be."
        ]


def test_the_hint_names_the_filter_that_hides_the_answer() -> None:
    with store() as db:
        put(db, PORT, tags=("ops",))

        kinds = ask(db, "staging port", kinds=(Kind.SPAN,))
        both = ask(db, "staging port", kinds=(Kind.SPAN,), tags=("elsewhere",))
        absent = ask(db, "zebra", kinds=(Kind.SPAN,))
        fitting = ask(db, "staging port", kinds=(Kind.NOTE,), tags=("ops",))

    assert (kinds.state, both.state) == (State.FILTERED, State.FILTERED)
    assert "kinds" in str(kinds.hint)
    assert "tags" not in str(kinds.hint)
    assert "kinds, tags" in str(both.hint)
    assert (absent.state, absent.hint) == (State.NO_MATCH, None)
    assert fitting.state is State.OK


def test_what_ran_out_shows_on_request_after_what_holds() -> None:
    with store() as db:
        gone = put(db, "The staging database listens on port 1111.", valid_to=NOON - DAY)
        holds = put(db, "The staging database, says Kim, listens on port 2222.")

        plain = ask(db, "staging database port")
        asked = ask(db, "staging database port", include=("expired",))

    assert [hit.id for hit in plain.hits] == [holds.id]
    assert [(hit.id, hit.expired) for hit in asked.hits] == [(holds.id, False), (gone.id, True)]


def test_a_question_about_an_earlier_day_is_answered_with_what_was_true_then() -> None:
    with store() as db:
        new = put(db, "The staging database listens on port 6543.", valid_from=NOON - DAY)
        old = put(db, PORT, valid_from=NOON - 9 * DAY, valid_to=NOON - DAY)
        old = change(db, old, NOON - DAY, status=Status.SUPERSEDED, superseded_by=new.id)

        now = found(db, "staging database port")
        then = ask(db, "staging database port", as_of=NOON - 3 * DAY)

    assert now == [new.id]
    assert [(hit.id, hit.replaced_by) for hit in then.hits] == [(old.id, new.id)]


@card("time.believed")
def test_a_question_about_earlier_knowledge_is_answered_with_text_and_status_of_then() -> None:
    early = {"recorded_at": NOON - 9 * DAY, "updated_at": NOON - 9 * DAY}
    later = {"recorded_at": NOON - 5 * DAY, "updated_at": NOON - 5 * DAY}
    with store() as db:
        old = put(db, "The staging database listens on port 1111.", **early)
        new = put(db, "The staging database listens on port 2222.", **later)
        change(db, old, NOON - 5 * DAY, status=Status.SUPERSEDED, superseded_by=new.id)
        edited = put(db, "The gateway listens on port 80.", **early)
        change(db, edited, NOON - DAY, body="Nothing at all about that any more.")

        port = ask(db, "staging database port", believed_at=NOON - 7 * DAY)
        after = ask(db, "staging database port", believed_at=NOON - 2 * DAY)
        gateway = ask(db, "gateway port", believed_at=NOON - 7 * DAY)

        assert (port.hits[0].id, port.hits[0].status) == (old.id, Status.ACTIVE)
        assert new.id not in {hit.id for hit in port.hits}
        assert after.hits[0].id == new.id
        assert old.id not in {hit.id for hit in after.hits}
        assert gateway.hits[0].id == edited.id
        assert gateway.hits[0].snippet == "The gateway listens on port 80."
        assert edited.id not in found(db, "gateway port")
        assert ask(db, "gateway port", believed_at=NOON - 20 * DAY).hits == ()


@card("recall.matched_in")
def test_a_match_by_its_question_shows_the_text_and_not_the_question() -> None:
    question = "Where do deploys go through?"
    with store() as db:
        put(db, "The gateway checks every image first.", questions=(question,), title="Images")

        [hit] = ask(db, question).hits

    assert hit.matched_in == "question"
    assert hit.snippet == "The gateway checks every image first."


def test_hits_fit_the_budget_and_the_first_is_shortened_rather_than_dropped() -> None:
    with store() as db:
        for n in range(9):
            put(db, f"Turn {n} of the migration plan. " + "It mentions many words. " * 30)

        counts = {}
        for budget in (200, 600, 2000):
            hits = ask(db, "migration plan", max_tokens=budget, limit=50).hits
            counts[budget] = len(hits)
            texts = [text for hit in hits for text in (hit.title, hit.snippet)]
            assert sum(tokens.count(text).tokens for text in texts) <= budget

    assert counts[200] == 1
    assert 1 < counts[600] < counts[2000]


def test_pages_of_an_answer_hold_each_hit_once() -> None:
    with store() as db:
        every = {put(db, f"Zebra crossing number {n} in {n}th street.").id for n in range(12)}

        seen: list[str] = []
        cursor = None
        while True:
            answer = ask(db, "zebra crossing", limit=5, cursor=cursor)
            seen += [hit.id for hit in answer.hits]
            cursor = answer.next_cursor
            if cursor is None:
                break

    assert sorted(seen) == sorted(every)


@pytest.mark.parametrize("cursor", ["x", "MTI", "\ud800", "MC4wMTIzNDU2Nzg5YWJjZGVm"])
def test_a_foreign_cursor_is_refused(cursor: str) -> None:
    with store(PORT) as db, pytest.raises(Invalid, match="cursor"):
        ask(db, "port", cursor=cursor)


def test_the_top_text_goes_on_where_its_cursor_says() -> None:
    body = "Deploys go through the gateway. " + "Nobody said much about it. " * 200
    with store() as db:
        record = put(db, body)
        short = ask(db, "gateway deploys", open_top=True).top
        deep = put(db, "x " * 3000 + "The zeppelin lands at noon. " + "y " * 3000)
        far = ask(db, "zeppelin", open_top=True).top

    assert short is not None
    assert far is not None
    assert short.id == record.id
    assert body.startswith(short.text.removesuffix("…"))
    assert short.text.endswith("…")
    assert len(short.text) <= 2_001
    assert short.next_cursor is not None
    assert pages.read_cursor(short.next_cursor) == (
        record.id,
        record.body_sha256[:16],
        len(short.text) - 1,
    )
    assert "zeppelin lands" in far.text
    assert far.text.startswith("…")
    assert far.id == deep.id


@card("recall.weights")
def test_one_weight_decides_between_two_features() -> None:
    titled = rerank.Features(body=0.5, title=1.0)
    covered = rerank.Features(body=0.5, coverage=1.0)

    def score(features: rerank.Features, **weights: float) -> float:
        return sum(rerank.parts_of(features, rerank.Weights(**weights)).values())

    assert score(titled, title=2.0, coverage=1.0) - score(covered, title=2.0, coverage=1.0) == (
        pytest.approx(1.0)
    )
    assert score(titled, title=1.0, coverage=2.0) < score(covered, title=1.0, coverage=2.0)


def test_a_broken_leg_is_named_and_the_others_answer() -> None:
    with store(PORT) as db:
        assert ask(db, "staging port").state is State.OK
        db.execute("DROP TABLE card_index")

        answer = ask(db, "staging port")
        absent = ask(db, "zebra")

    assert answer.state is State.DEGRADED
    assert answer.hits[0].snippet == PORT
    assert "card leg" in answer.skipped
    assert (absent.state, absent.hits) == (State.DEGRADED, ())


@card("recall.harmless")
def test_searching_changes_nothing() -> None:
    with store(PORT, BRANCH) as db:
        before = db.total_changes
        ask(db, "staging port", open_top=True, explain=True)

        assert db.total_changes == before
        assert index.check(db) == []


def test_a_record_that_one_rephrasing_finds_is_among_the_first_hits() -> None:
    question = "staging database port"
    variants = ("nightly backup retention", "kangaroo umbrella colour", "zeppelin mooring")
    with store() as db:
        for n in range(20):
            for wording in (question, *variants[:2]):
                titled, said, _ = wording.split()
                put(db, f"Nothing of note, number {n}.", title=f"About {titled}, part {n}")
                put(db, f"Somebody mentioned {said}, the {n}th time.", title=f"Talk {n}")
        only = put(db, "Nobody but the zeppelin uses that mooring mast.", title="Mast four")

        found_so = found(db, question, variants=variants, limit=10)
        without = found(db, question, limit=10)

    assert only.id in found_so
    assert only.id not in without


def test_what_was_believed_is_filtered_before_the_best_are_chosen() -> None:
    early = {"recorded_at": NOON - 9 * DAY, "updated_at": NOON - 9 * DAY}
    question = {"limit": 50, "believed_at": NOON - 2 * DAY, "types": (NoteType.DECISION,)}
    with store() as db:
        for n in range(250):
            fact = put(db, f"Staging database port {n}", title="Staging port", **early)
            if n < 60:
                change(db, fact, NOON - DAY, body=f"Nothing of the kind, {n}.")
        decision = put(
            db,
            "After a long discussion the port of the staging database stays, for now, 5433.",
            title="What was agreed",
            type=NoteType.DECISION,
            **early,
        )
        other = put(
            db,
            "The staging database keeps its port, they agreed.",
            type=NoteType.DECISION,
            **early,
        )
        change(db, other, NOON - DAY, status=Status.RETRACTED)

        assert set(found(db, "staging database port", **question)) == {decision.id, other.id}
        assert found(db, "staging database port", types=(NoteType.DECISION,)) == [decision.id]


@pytest.mark.parametrize(
    ("path", "there"),
    [
        pytest.param("/repo/w1/deploy", True, id="absolute"),
        pytest.param("./deploy", True, id="relative"),
        pytest.param("DEPLOY", True, id="case"),
        pytest.param("file:///repo/w1/deploy/staging.md", True, id="address"),
        pytest.param("deploy/stag", False, id="half a name"),
    ],
)
def test_a_path_means_the_same_for_what_was_believed(path: str, there: bool) -> None:
    early = {"recorded_at": NOON - 9 * DAY, "updated_at": NOON - 9 * DAY}
    with store() as db:
        record = put(db, PORT, source="deploy/staging.md:4", **early)
        now = found(db, "staging port", path=path)
        change(db, record, NOON - DAY, body="Nothing of the kind.")
        then = found(db, "staging port", path=path, believed_at=NOON - 2 * DAY)

    assert now == then == ([record.id] if there else [])


def test_the_last_page_says_when_there_may_be_more() -> None:
    with store() as db:
        for n in range(200):
            put(db, f"Zebra crossing number {n} in {n}th street.")
        few = put(db, "The zeppelin lands at noon.")
        told: list[str | None] = []
        cursor = None
        while True:
            answer = ask(db, "zebra crossing", limit=10, cursor=cursor)
            told.append(answer.hint)
            cursor = answer.next_cursor
            if cursor is None:
                break
        whole = ask(db, "zeppelin")

    assert [hit.id for hit in whole.hits] == [few.id]
    assert whole.hint is None
    assert told[:-1] == [None] * (len(told) - 1)
    assert told[-1] == "There may be more; narrow the question."


def test_text_and_structure_show_the_same_hits_and_the_cursor_goes_on_after_them() -> None:
    with store() as db:
        words = "of the migration plan mentions </memex-recall> and many words " * 9
        every = {put(db, f"Turn {n} {words}", title=f"Turn {n} " + "x" * 90).id for n in range(50)}
        seen: list[str] = []
        cursor = None
        while True:
            answer = ask(
                db, "migration plan", limit=50, max_tokens=20_000, open_top=True, cursor=cursor
            )
            text = render_search(answer, nonce="0" * 8)
            assert "did not fit" not in text
            assert len(text) < 10_000
            assert all(hit.id in text for hit in answer.hits)
            seen += [hit.id for hit in answer.hits]
            cursor = answer.next_cursor
            if cursor is None:
                break

    assert len(seen) == len(every)
    assert set(seen) == every
