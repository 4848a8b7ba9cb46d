"""What was withdrawn after it was archived is on record as it was said, and shown to nobody."""

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.browse import Browse, Grep
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Kind, Scope, Status, Surface
from memex_mcp.model.levels import Level
from memex_mcp.model.query import Page, Query
from memex_mcp.model.record import Draft
from memex_mcp.settings import Settings
from tests.card import card
from tests.spoken import make_span
from tests.using import file_of, found, rows
from tests.whole.injected import hook as hook_of

ROOT = Path(__file__).parents[1]
WALDO = "The office dog is called Waldo."
STAYS = "The office cat is called Minka."
AROUND = "The office kitchen is on the second floor."
QUESTION = "what is the office dog called"
LEAD = "We spoke about lunch and about the weather for quite a while. " * 12


@dataclass(frozen=True, slots=True)
class Archive:
    """A span and a checkpoint that say a statement among others, and whose they are."""

    memory: Memory
    own: Caller
    other: Caller
    span: str
    checkpoint: str

    def withdraw(self, text: str = WALDO) -> None:
        note = self.memory.write(Draft(text=text), self.own).id
        self.memory.set_status(note, Status.RETRACTED, self.own, reason="a joke")


@pytest.fixture
def archive(memory: Memory, agent: Caller, project: Path) -> Archive:
    hook = replace(agent, surface=Surface.HOOK, writes_as=Author.DERIVED)
    for level in Level:
        memory.switches.turn_on(level, replace(hook, human=True))
    span = memory.write(make_span(QUESTION, f"{LEAD}\n{STAYS}\n{WALDO} {AROUND}"), hook).id
    told = Draft(
        text=f"{QUESTION}?\n\n{STAYS} {WALDO} {AROUND}",
        title=f"{WALDO[:-2]}…",
        summary=WALDO,
        questions=(WALDO, "Who barks?"),
        kind=Kind.CHECKPOINT,
        scope=Scope.WORKSPACE,
    )
    checkpoint = memory.write(told, hook).id
    return Archive(memory, agent, hook_of(memory, project, "s-other"), span, checkpoint)


DOORS: dict[str, Callable[[Archive], str]] = {
    "search": lambda a: str(a.memory.search(Query(text=QUESTION, kinds=(Kind.SPAN,)), a.own)),
    "search for a checkpoint": lambda a: str(a.memory.search(Query(text=QUESTION), a.other)),
    "search for what stands beside": lambda a: str(
        a.memory.search(Query(text="office cat Minka", max_tokens=4_000), a.own)
    ),
    "open_top": lambda a: str(a.memory.search(Query(text=QUESTION, open_top=True), a.own).top),
    "only filters": lambda a: str(a.memory.search(Query(text="kind:checkpoint"), a.own)),
    "believed_at": lambda a: str(
        a.memory.search(
            Query(text=QUESTION, believed_at=datetime.now(UTC) + timedelta(hours=1)), a.own
        )
    ),
    "open": lambda a: a.memory.open(a.span, a.own).text,
    "open a record": lambda a: str(a.memory.open(a.checkpoint, a.own).record),
    "open at a question": lambda a: a.memory.open(a.span, a.own, Page(query=QUESTION)).text,
    "open the lines": lambda a: a.memory.open(a.span, a.own, Page(events=True)).text,
    "window": lambda a: a.memory.window(QUESTION, 2_000, a.own).text,
    "prompt": lambda a: a.memory.injection.prompt(a.other, QUESTION),
    "start": lambda a: a.memory.injection.start(a.other, source="startup"),
    "receipt": lambda a: a.memory.archive.receipt(a.own),
    "catalog": lambda a: a.memory.catalog(a.own),
    "listing": lambda a: str(a.memory.listing(a.own)),
    "index": lambda a: str(a.memory.index(Browse(), a.own)),
    "grep": lambda a: str(a.memory.grep(Grep(pattern="called", ignore_case=True), a.own)),
    "grep for a title": lambda a: str(a.memory.grep(Grep(pattern="Waldo"), a.own)),
}


# They are led there by what was withdrawn, and by nothing else.
BY_IT_ALONE = ("prompt", "grep for a title")


@card("evidence.veiled")
@pytest.mark.parametrize("door", DOORS)
def test_no_door_tells_what_was_withdrawn_later(archive: Archive, door: str) -> None:
    look = DOORS[door]
    before = look(archive)
    archive.memory.injection.forget(archive.other)

    archive.withdraw(STAYS.replace("Minka", "Mia"))
    archive.memory.injection.forget(archive.other)
    control = look(archive)
    archive.withdraw()
    archive.memory.injection.forget(archive.other)
    after = look(archive)

    assert "Wal" in before
    assert "Wal" in control
    assert "Wal" not in after
    assert "Minka" not in before or "Minka" in after or door in BY_IT_ALONE


def test_what_stands_around_it_stays_where_it_was(archive: Archive) -> None:
    before = archive.memory.open(archive.span, archive.own, Page(max_tokens=10_000))
    archive.withdraw()
    after = archive.memory.open(archive.span, archive.own, Page(max_tokens=10_000))

    assert after.text == before.text.replace(WALDO, "[withdrawn]".ljust(len(WALDO)))
    first = archive.memory.open(archive.span, archive.own, Page(max_tokens=100))
    assert first.next_cursor is not None
    pages, cursor = [first.text], first.next_cursor
    while cursor:
        page = Page(max_tokens=100, cursor=cursor)
        opened = archive.memory.open(archive.span, archive.own, page)
        pages.append(opened.text)
        cursor = opened.next_cursor or ""
    assert "".join(pages) == after.text
    card_ = archive.memory.open(archive.checkpoint, archive.own).record.card
    assert (card_.title, card_.summary) == ("[withdrawn]", "[withdrawn]")
    assert card_.questions == ("Who barks?",)


def test_on_record_it_stays_as_it_was_said_and_is_shown_again_once_it_is_let_in(
    archive: Archive, person: Caller
) -> None:
    file = file_of(archive.memory, archive.span)
    kept = file.read_bytes()
    lines = archive.memory.open(archive.span, archive.own, Page(events=True)).events
    archive.withdraw()
    archive.memory.refresh()

    assert file.read_bytes() == kept
    assert WALDO.encode() in kept
    veiled = archive.memory.open(archive.span, archive.own, Page(events=True)).events
    assert [each.sha256 for each in veiled] == [each.sha256 for each in lines]
    assert [each.masked for each in veiled] == [False, True]
    assert [each.detail for each in archive.memory.examine() if not each.ok] == []
    archive.memory.rebuild_files()
    assert WALDO.encode() in file.read_bytes()

    (tombstone,) = archive.memory.tombstones(archive.own)
    archive.memory.lift(tombstone.value_key[:12], person)
    assert archive.memory.open(archive.span, archive.own, Page(events=True)).events == lines
    assert WALDO in archive.memory.open(archive.span, archive.own, Page(query=QUESTION)).text


def test_it_is_hidden_too_where_nobody_knows_any_more_what_it_said(archive: Archive) -> None:
    archive.withdraw()
    with rows(archive.memory) as db:
        db.execute("UPDATE tombstone SET record_id = NULL")
    with closing(Memory(Settings(home=archive.memory.settings.home))) as anew:
        shown = anew.open(archive.span, archive.own, Page(max_tokens=10_000)).text

    assert WALDO not in shown
    assert STAYS in shown


def test_what_was_withdrawn_elsewhere_is_shown_here(archive: Archive) -> None:
    elsewhere = replace(archive.own, workspace=replace(archive.own.workspace, id="f" * 16))  # type: ignore[type-var]
    note = archive.memory.write(Draft(text=WALDO), elsewhere).id
    archive.memory.set_status(note, Status.RETRACTED, elsewhere, reason="a joke")

    assert WALDO in archive.memory.open(archive.span, archive.own, Page(query=QUESTION)).text


def test_a_note_and_whatever_was_itself_withdrawn_can_be_read(archive: Archive) -> None:
    longer = f"Of all that was said in the office:\n{WALDO}"
    note = archive.memory.write(Draft(text=longer), archive.own).id
    archive.memory.set_status(archive.checkpoint, Status.RETRACTED, archive.own, reason="wrong")
    archive.withdraw()

    assert archive.memory.open(note, archive.own).text == longer
    assert WALDO in archive.memory.open(archive.checkpoint, archive.own).text


def test_a_short_statement_is_hidden_without_moving_anything(memory: Memory, agent: Caller) -> None:
    hook = replace(agent, surface=Surface.HOOK, writes_as=Author.DERIVED)
    text = "端口呢?\n用五四三三。\n好的。"
    span = memory.write(make_span(text), hook).id
    note = memory.write(Draft(text="用五四三三"), agent).id
    memory.set_status(note, Status.RETRACTED, agent, reason="wrong")

    assert memory.open(span, agent).text == "端口呢?\n…     \n好的。"
    assert found(memory, agent, "端口") == [span]


def test_readers_read_evidence_in_one_place_only() -> None:
    plain = re.compile(
        r"\brecords\.(body_text|body_parts|some|get|page|by_id|by_number)\("
        r"|from memex_mcp\.store\.records import"
    )
    read = {
        path.name
        for path in (ROOT / "memex_mcp/retrieval").glob("*.py")
        if plain.search(path.read_text(encoding="utf-8"))
    }

    # What a leg compares with a question is shown to nobody.
    assert read == {"legs.py"}
    assert plain.search((ROOT / "memex_mcp/store/veil.py").read_text(encoding="utf-8"))
