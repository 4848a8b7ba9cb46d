import re
import sqlite3
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Kind, Scope, State, Status, Trust
from memex_mcp.model.levels import Previews
from memex_mcp.model.record import Record
from memex_mcp.retrieval.asking import Question, question
from memex_mcp.retrieval.previews import ITEMS, Shown, find
from memex_mcp.retrieval.shown import Manner
from memex_mcp.store import seen
from memex_mcp.text.ceiling import at_most
from memex_mcp.text.fence import REFERENCE
from tests.make import NOON, make_caller
from tests.retrieval.using import put, store
from tests.text.fences import BLOCK

ASKED = Question("which port does the staging database listen on")
PORT = "The staging database listens on port 5433."
ARCHIVE = {"kind": Kind.CHECKPOINT, "author": Author.DERIVED, "session_id": "s2"}


def shown(
    db: sqlite3.Connection, asked: Question = ASKED, caller: Caller | None = None, **manner: Any
) -> Shown:
    """What a prompt of session ``s1`` brings back at noon."""
    return find(db, asked, caller or make_caller(), NOON, Manner(**{"budget": 800, **manner}))


def note(db: sqlite3.Connection, city: str, **over: Any) -> Record:
    """A note that answers, one for each city."""
    return put(db, f"The staging database in {city} listens on port 5433.", **over)


def test_a_related_note_is_shown_whole_with_what_it_is_worth() -> None:
    body = f"{PORT}\n\n- behind the heron proxy\n[2] 01ABC fact · verified"
    with store() as db:
        record = put(db, body, source="ops.md:3")
        put(db, "Invoices are printed on pink paper.")

        found = shown(db)

    assert (found.state, found.ids, found.left_out) == (State.OK, (record.id,), 0)
    match = BLOCK.fullmatch(found.text)
    assert match is not None and match["label"] == "recall"
    assert match["content"].splitlines() == [
        f"- {record.id} fact · active · untrusted · by agent (codex) · 2026-11-30"
        " · source ops.md:3",
        f"    {PORT}",
        "    - behind the heron proxy",
        "    [2] 01ABC fact · verified",
    ]
    head = found.text.splitlines()[0]
    assert REFERENCE in head and "the current turn wins" in head and "memory_set_status" in head


def test_an_archive_is_one_line_with_its_id() -> None:
    with store() as db:
        record = put(db, f"Asked: {ASKED.text}?\nAnswered: 5433.\n" + "More. " * 900, **ARCHIVE)

        found = shown(db)

    assert found.ids == (record.id,)
    lines = found.text.splitlines()
    assert len(lines) == 3
    assert lines[1].startswith(
        f"- {record.id} checkpoint · active · untrusted · by derived (codex) · 2026-11-30 · "
    )
    assert len(lines[1]) < 450


@pytest.mark.parametrize(
    "prompt",
    [
        "what is it that we should do about the weather on the mountain",
        "who is it that listens to the birds, and on which of the days do they sing",
        "今天天气怎么样，我们应该做什么呢",
    ],
)
def test_nothing_relevant_is_nothing_at_all(prompt: str) -> None:
    with store(
        PORT, "The release branch is what we cut on the Thursdays.", "我们应该写测试。"
    ) as db:
        put(db, "Asked what we should do about the invoices on the way.", **ARCHIVE)

        asked = question(prompt)
        assert asked is not None
        found = shown(db, asked)
        control = shown(db)

    assert found == Shown(state=State.NO_MATCH)
    assert len(control.ids) == 1


def test_what_was_shown_in_the_session_is_not_shown_again_and_nothing_takes_its_place() -> None:
    with store() as db:
        for number in range(20):
            note(db, f"City{number}")
        first = shown(db)
        seen.mark(db, "w1", "s1", first.ids, NOON)

        assert len(first.ids) == ITEMS
        assert shown(db) == Shown(state=State.NO_MATCH)
        assert shown(db, caller=make_caller(session="s9")).ids == first.ids

        seen.forget(db, "w1", "s1")
        assert shown(db).ids == first.ids


def test_the_archive_of_the_own_session_is_left_out_and_a_sibling_is_not() -> None:
    text = "Asked on which port the staging database in {} listens; answered 5433."
    with store() as db:
        for number in range(40):
            put(db, text.format(f"Own{number}"), **{**ARCHIVE, "session_id": "s1"})
        put(db, text.format("Span"), kind=Kind.SPAN, scope=Scope.SESSION, author=Author.DERIVED)
        sibling = put(db, text.format("Sibling"), **ARCHIVE)

        found = shown(db)
        theirs = shown(db, caller=make_caller(session="s2"))

    assert found.ids == (sibling.id,)
    assert len(theirs.ids) == ITEMS and sibling.id not in theirs.ids


def test_no_number_of_own_records_crowds_out_what_a_sibling_has() -> None:
    with store() as db:
        sibling = put(db, f"Asked in a longer text, with an otter in it: {ASKED.text}.", **ARCHIVE)
        for number in range(150):
            text = f"{ASKED.text}? {ASKED.text}: Own{number}"
            put(db, text, **{**ARCHIVE, "session_id": "s1"})
        own = put(db, f"Noted {ASKED.text}: 5433.", session_id="s1")

        found = shown(db)
        theirs = shown(db, caller=make_caller(session="s2"))

    assert set(found.ids) == {own.id, sibling.id}
    assert len(theirs.ids) == ITEMS and sibling.id not in theirs.ids


def test_no_number_of_suggestions_crowds_out_what_was_written_on_purpose() -> None:
    with store() as db:
        wrote = put(db, f"Written in a longer text, with an otter in it: {ASKED.text}.")
        for number in range(150):
            text = f"{ASKED.text}? {ASKED.text}: Derived{number}"
            put(db, text, author=Author.DERIVED)

        strict = shown(db, policy=Previews.STRICT)
        every = shown(db)

    assert strict.ids == (wrote.id,)
    assert len(every.ids) == ITEMS and wrote.id not in every.ids


def test_a_note_that_does_not_fit_is_counted_and_never_cut() -> None:
    long = f"{PORT} " + "The heron proxy forwards to the standby replica in turn. " * 60
    with store() as db:
        big, small = put(db, long), note(db, "Oslo")

        found = shown(db)
        alone = shown(db, budget=60)

    assert (found.ids, found.left_out) == ((small.id,), 1)
    assert "1 more matched and did not fit" in found.text
    assert big.id not in found.text and "standby replica" not in found.text
    assert alone == Shown(state=State.NO_MATCH, left_out=2)


@pytest.mark.parametrize("budget", [120, 200, 300, 500, 800])
def test_the_budget_holds_and_is_used(budget: int) -> None:
    with store() as db:
        for number in range(30):
            note(db, f"City{number}", source=f"docs/city{number}.md")
        for number in range(30):
            put(db, f"Asked for the staging database port in Town{number}.", **ARCHIVE)

        found = shown(db, budget=budget)

    assert at_most(found.text) <= budget
    assert 1 <= len(found.ids) <= ITEMS or budget < 150
    assert re.findall(r"^- (\w{26}) ", found.text, re.MULTILINE) == list(found.ids)


def test_strict_shows_what_was_written_on_purpose_and_off_shows_nothing() -> None:
    with store() as db:
        by_author = {
            author: note(db, f"{author}ville", author=author).id
            for author in (Author.HUMAN, Author.AGENT, Author.FILE, Author.DERIVED, Author.LLM)
        }
        archive = put(db, f"Asked: {ASKED.text}?", **ARCHIVE)

        everything = shown(db)
        strict = shown(db, policy=Previews.STRICT)
        off = shown(db, policy=Previews.OFF)

    declared = {by_author[each] for each in (Author.HUMAN, Author.AGENT, Author.FILE)}
    assert set(strict.ids) == declared
    assert archive.id in everything.ids and len(everything.ids) == ITEMS
    assert off == Shown(state=State.DISABLED)


def test_only_current_records_of_the_caller_are_shown() -> None:
    hour = timedelta(hours=1)
    with store() as db:
        for status in (Status.CANDIDATE, Status.SUPERSEDED, Status.RETRACTED, Status.ARCHIVED):
            note(db, f"{status}ville", status=status)
        note(db, "Expired", expires_at=NOON - hour)
        note(db, "Past", valid_to=NOON - hour)
        note(db, "Elsewhere", workspace_id="w2")
        note(db, "Private", scope=Scope.SESSION, session_id="s2")
        active = note(db, "Oslo", trust=Trust.VERIFIED, author=Author.HUMAN)
        disputed = note(db, "Lima", status=Status.DISPUTED)

        found = shown(db)
        asked = replace(ASKED, text=f"is superseded {ASKED.text}")
        again = shown(db, asked)

    assert set(found.ids) == set(again.ids) == {active.id, disputed.id}
    assert f"{active.id} fact · active · verified · by human" in found.text
    assert f"{disputed.id} fact · disputed · untrusted" in found.text


def test_a_variant_finds_what_the_prompt_alone_does_not_name() -> None:
    with store(PORT, "Invoices are printed on pink paper.") as db:
        alone = shown(db, Question("and restart the standby"))
        leaning = shown(db, Question("and restart the standby", (PORT,)))

    assert alone.text == ""
    assert PORT in leaning.text and "pink" not in leaning.text
