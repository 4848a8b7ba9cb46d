"""Lines of transcripts go through the gate with the record that stands for them."""

import json
from dataclasses import replace

import pytest

from memex_mcp.errors import Denied, Invalid, Refused
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Kind, Outcome, Scope, Status, Surface
from memex_mcp.model.query import Page, Written
from memex_mcp.model.record import Draft, Record
from memex_mcp.model.turn import Envelope
from memex_mcp.store import events, records, tombstones
from tests.card import card
from tests.make import make_draft
from tests.spoken import make_line, make_span, said
from tests.using import actions, file_of, found, rows

KEY = "ghp_" + "a1B2" * 9
WALDO = "The office dog is called Waldo."
ASKED, ANSWERED = "Which port has the staging database?", "It listens on port 5433."


@pytest.fixture
def hook(agent: Caller) -> Caller:
    """The session of the agent, as its hooks see it."""
    return replace(agent, surface=Surface.HOOK, writes_as=Author.DERIVED)


def lines(memory: Memory, caller: Caller, record_id: str) -> tuple[Envelope, ...]:
    return memory.open(record_id, caller, Page(events=True)).events


def on_record(memory: Memory, record_id: str) -> tuple[Record, tuple[Envelope, ...]]:
    """A record and its lines as they are stored, whatever of them is shown."""
    with rows(memory) as db:
        record = records.by_id(db, record_id)
        assert record is not None
        return record, events.of(db, record_id)


def withdraw(memory: Memory, agent: Caller, text: str = WALDO) -> str:
    """Have somebody say it as a note and take it back; returns the id."""
    written = memory.write(make_draft(text), agent)
    memory.set_status(written.id, Status.RETRACTED, agent, reason="it was a joke")
    return written.id


def refused(memory: Memory) -> int:
    with rows(memory) as db:
        return int(db.execute("SELECT sum(refused) FROM tombstone").fetchone()[0])


def files_with(memory: Memory, text: str) -> list[str]:
    """Names of the files of the store that hold a text in any of its spellings."""
    needles = [text.encode(), json.dumps(text)[1:-1].encode()]
    home = memory.settings.home
    return [
        str(path.relative_to(home))
        for path in sorted(home.rglob("*"))
        if path.is_file() and any(needle in path.read_bytes() for needle in needles)
    ]


@card("evidence.exact")
def test_the_lines_of_a_span_come_back_to_the_byte(memory: Memory, hook: Caller) -> None:
    odd = make_line(b'{"text": "caf\xe9 \\ud83d \xf0\x9f\xa6\xa6", "n":  1}', 2, at=None)
    draft = make_span(ASKED, ANSWERED)
    draft = replace(draft, events=(*draft.events, odd))

    written = memory.write(draft, hook)

    assert lines(memory, hook, written.id) == draft.events
    assert memory.open(written.id, hook).events == ()
    assert found(memory, hook, ASKED) == [written.id]


def test_a_value_said_again_brings_its_new_lines_to_the_known_record(
    memory: Memory, hook: Caller
) -> None:
    first, again = make_span("go on", "done"), make_span("go on", "done", first=7)
    one = memory.write(first, hook)

    two = memory.write(again, hook)
    memory.write(replace(again, events=(*first.events, *again.events)), hook)

    assert (two.id, two.outcome) == (one.id, Outcome.REINFORCED)
    assert lines(memory, hook, one.id) == (*first.events, *again.events)
    with rows(memory) as db:
        assert [row[0] for row in db.execute("SELECT seq FROM event ORDER BY seq")] == [0, 1, 2, 3]


def test_the_same_line_twice_in_one_turn_is_kept_twice(memory: Memory, hook: Caller) -> None:
    line = said("tick", 0)
    draft = make_span("tick tick", events=(line, replace(line, start=500, stop=560)))

    written = memory.write(draft, hook)

    assert lines(memory, hook, written.id) == draft.events


def test_a_superseded_record_takes_new_lines_and_stays_what_it_is(
    memory: Memory, hook: Caller, agent: Caller
) -> None:
    old = memory.write(make_span("go on", "done"), hook)
    new = memory.write(make_span("go on", "done", "and tested"), hook)
    memory.set_status(old.id, Status.SUPERSEDED, agent, reason="told better", superseded_by=new.id)
    again = make_span("go on", "done", first=8)

    written = memory.write(again, hook)

    assert (written.id, written.outcome) == (old.id, Outcome.UNCHANGED)
    assert lines(memory, hook, old.id)[2:] == again.events
    beside = file_of(memory, old.id).with_suffix(".events.jsonl")
    assert len(beside.read_text(encoding="utf-8").splitlines()) == 4


def test_only_capture_hands_in_lines_and_only_for_evidence(
    memory: Memory, hook: Caller, agent: Caller
) -> None:
    with pytest.raises(Denied, match="written by capture only"):
        memory.write(make_span(ASKED), agent)
    with pytest.raises(Invalid, match="no lines of a transcript"):
        memory.write(replace(make_draft(), events=(said("x"),)), hook)
    with rows(memory) as db:
        assert db.execute("SELECT count(*) FROM event").fetchone()[0] == 0

    memory.write(make_span(ASKED), hook)
    with rows(memory) as db:
        assert db.execute("SELECT count(*) FROM event").fetchone()[0] == 1


@card("secrets.masked")
def test_a_secret_in_a_line_reaches_no_file_of_the_store(memory: Memory, hook: Caller) -> None:
    nested = json.dumps({"command": f'export TOKEN="{KEY}"', "password": "hunter2-Zebra9"})
    events = (
        said(f"use the key {KEY}\nplease", 0),
        said("calling", 1, arguments=nested),
        said("config", 2, settings={"password": 84610293756102, "port": 5433}),
        said(ANSWERED, 3),
    )
    draft = make_span(f"use the key {KEY}", ANSWERED, events=events, title=f"Key {KEY}")

    written = memory.write(draft, hook)

    assert "github-token" in written.masked
    kept = lines(memory, hook, written.id)
    assert [line.sha256 for line in kept] == [line.sha256 for line in events]
    assert [line.masked for line in kept] == [True, True, True, False]
    assert all(json.loads(line.data)["type"] == "message" for line in kept)
    assert json.loads(kept[2].data)["settings"] == {"password": "[MASKED:password]", "port": 5433}
    assert kept[3] == events[3]
    memory.close()
    for secret in (KEY, "hunter2-Zebra9", "84610293756102"):
        assert files_with(memory, secret) == []
    beside = file_of(memory, written.id).with_suffix(".events.jsonl")
    assert str(beside.relative_to(memory.settings.home)) in files_with(memory, ANSWERED)


@pytest.mark.parametrize("kind", [Kind.SPAN, Kind.CHECKPOINT])
def test_a_retracted_piece_of_evidence_never_comes_back(
    memory: Memory, hook: Caller, agent: Caller, kind: Kind
) -> None:
    draft = make_span(ASKED, ANSWERED, kind=kind)
    written = memory.write(draft, hook)
    memory.set_status(written.id, Status.RETRACTED, agent, reason="not for keeps")

    for _ in range(3):
        with pytest.raises(Refused):
            memory.write(draft, hook)

    assert refused(memory) == 3
    assert found(memory, hook, ASKED) == []
    other = memory.write(make_span(ASKED, "Nobody knows.", kind=kind), hook)
    assert found(memory, hook, ASKED) == [other.id]


@pytest.mark.parametrize(
    "text",
    [
        WALDO,
        f"- {WALDO}",
        f"The desk is by the window. {WALDO} He barks.",
        f"User: {WALDO}",
        f"**User:** {WALDO} He barks.",
        f'Noted: "{WALDO}" as you said.',
        f'Tool memory_write {{"text": "{WALDO}", "tags": ["dog"]}}',
        f"> {WALDO.upper()}",
        f"<note>{WALDO}</note>",
        "The office dog\nis called Waldo.",
    ],
)
def test_a_withdrawn_statement_is_left_out_of_evidence_and_the_rest_is_kept(
    memory: Memory, hook: Caller, agent: Caller, text: str
) -> None:
    withdraw(memory, agent)
    draft = make_span("Tell me about the office.", f"Sure.\n\n{text}\n\nThe kitchen is big.")

    written = memory.write(draft, hook)

    record, kept = on_record(memory, written.id)
    for body in (record.body, json.loads(kept[1].data)["message"]["content"]):
        assert "waldo" not in body.lower()
        assert "[withdrawn]" in body
        assert body.startswith(("Tell me", "Sure."))
        assert body.endswith("The kitchen is big.")
    assert "waldo" not in repr(record.card).lower()
    assert (kept[0], kept[1].sha256) == (draft.events[0], draft.events[1].sha256)
    assert kept[1].masked
    assert refused(memory) == 1
    assert actions(memory)[-2:] == ["refuse", "create"]
    assert found(memory, hook, "office kitchen") == [written.id]


@card("evidence.refused")
def test_a_withdrawn_statement_leaves_nested_json_and_the_card(
    memory: Memory, hook: Caller, agent: Caller
) -> None:
    quoted = 'The dog answers to "Waldo" and to nothing else.'
    withdraw(memory, agent)
    withdraw(memory, agent, quoted)
    inner = json.dumps({"text": quoted, "more": json.dumps({"note": f"Yes.\n{WALDO}"})})
    draft = make_span(
        "Tell me about the office.",
        events=(said("calling", 0, arguments=inner),),
        title=WALDO[:-6] + "…",
        summary=WALDO,
        tags=("dog",),
        questions=(WALDO, "Who barks?"),
        text=f"Tell me about the office.\n\n{WALDO}",
    )

    written = memory.write(draft, hook)

    record, (line,) = on_record(memory, written.id)
    arguments = json.loads(json.loads(line.data)["arguments"])
    assert arguments["text"] == "[withdrawn]"
    assert json.loads(arguments["more"]) == {"note": "Yes.\n[withdrawn]"}
    assert (record.card.title, record.card.summary) == ("[withdrawn]", "[withdrawn]")
    assert record.card.questions == ("Who barks?",)
    assert "Waldo" not in repr(record.card)


def test_a_span_that_was_retracted_without_a_statement_stays_out_with_it(
    memory: Memory, hook: Caller, agent: Caller
) -> None:
    withdraw(memory, agent)
    draft = make_span("Tell me about the office.", WALDO)
    written = memory.write(draft, hook)
    memory.set_status(written.id, Status.RETRACTED, agent, reason="boring")

    with pytest.raises(Refused):
        memory.write(draft, hook)
    memory.write(make_span("Tell me about the garden.", WALDO), hook)

    assert found(memory, hook, "office") == []
    assert len(found(memory, hook, "garden")) == 1


def test_what_was_withdrawn_elsewhere_stays_in_evidence_and_lifting_lets_it_in(
    memory: Memory, hook: Caller, agent: Caller, person: Caller
) -> None:
    withdraw(memory, agent)
    elsewhere = replace(hook, workspace=replace(hook.workspace, id="f" * 16))  # type: ignore[type-var]
    draft = make_span("Tell me about the office.", WALDO)

    kept = memory.write(draft, elsewhere)
    assert WALDO in memory.open(kept.id, elsewhere).record.body
    assert lines(memory, elsewhere, kept.id) == draft.events

    (tombstone,) = memory.tombstones(agent)
    memory.lift(tombstone.value_key[:12], person)
    assert WALDO in memory.open(memory.write(draft, hook).id, hook).record.body


def test_a_note_is_refused_whole_as_ever(memory: Memory, agent: Caller) -> None:
    withdraw(memory, agent)

    with pytest.raises(Refused):
        memory.write(make_draft("The office is big.", summary=WALDO), agent)
    written = memory.write(make_draft(f"The office is big.\n{WALDO}"), agent)

    assert isinstance(written, Written)
    with rows(memory) as db:
        assert tombstones.any_standing(db, [f"w:{agent.workspace.id}"])  # type: ignore[union-attr]


def test_a_draft_without_lines_is_the_same_in_every_session(memory: Memory, hook: Caller) -> None:
    draft = Draft(text=ASKED, kind=Kind.CHECKPOINT, scope=Scope.WORKSPACE)

    written = memory.write(draft, hook)

    assert lines(memory, hook, written.id) == ()
    assert not list(memory.settings.home.rglob("*.events.jsonl"))
