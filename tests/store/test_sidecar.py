"""The lines of a record beside its file: written, moved, removed, told of, and read back."""

import json
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Scope, Status, Surface
from memex_mcp.model.query import Page
from memex_mcp.model.turn import Envelope
from memex_mcp.store import events, inspect, sidecar
from tests.card import card
from tests.make import make_record
from tests.spoken import make_line, make_span, said
from tests.store.shelf import Shelf, listing
from tests.using import file_of

KEY = "ghp_" + "a1B2" * 9


@pytest.fixture
def hook(agent: Caller) -> Caller:
    return replace(agent, surface=Surface.HOOK, writes_as=Author.DERIVED)


@pytest.fixture
def span(memory: Memory, hook: Caller) -> str:
    """Id of a record that stands for three lines, one of them not UTF-8 and one masked."""
    odd = make_line(b'{"text": "caf\xe9"}', 2)
    draft = make_span("Which port?", f"The token is {KEY}, the port 5433.")
    return memory.write(replace(draft, events=(*draft.events, odd)), hook).id


def lines(memory: Memory, caller: Caller, record_id: str) -> tuple[Envelope, ...]:
    return memory.open(record_id, caller, Page(events=True)).events


def beside(memory: Memory, record_id: str) -> Path:
    return file_of(memory, record_id).with_suffix(".events.jsonl")


def faults(memory: Memory) -> list[tuple[str, str]]:
    memory.close()
    found = inspect.examine(memory.settings.home)
    return [(one.check, one.detail) for one in found if not one.ok]


def quarantined(memory: Memory) -> list[str]:
    folder = memory.settings.home / "quarantine"
    return sorted(path.read_text(encoding="utf-8") for path in folder.glob("*.why.txt"))


def test_the_file_says_what_the_table_holds_and_nobody_else_reads_it(
    memory: Memory, hook: Caller, span: str
) -> None:
    path = beside(memory, span)
    told = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    assert [entry["seq"] for entry in told] == [0, 1, 2]
    assert list(told[0]) == [
        *("seq", "role", "type", "at", "start", "stop", "sha256", "masked", "data")
    ]
    assert [entry["masked"] for entry in told] == [False, True, False]
    kept = lines(memory, hook, span)
    assert [entry["data"] for entry in told] == [line.data for line in kept]
    assert sidecar.read(memory.settings.home, _name(memory, span)) == (kept, 0)
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert faults(memory) == []


def test_it_goes_where_the_record_goes_and_ends_with_it(shelf: Shelf) -> None:
    record = shelf.put(make_record(scope=Scope.SESSION))
    with shelf.database.write() as db:
        events.add(db, record.id, (said("one"),))
    shelf.drain()
    first = shelf.file(record).with_suffix(".events.jsonl")
    with shelf.database.write() as db:
        db.execute("UPDATE workspace SET name = 'renamed'")
        db.execute("INSERT INTO mirror_queue VALUES (?, 1)", (record.id,))
    data = first.read_bytes()

    shelf.drain()

    second = shelf.file(record).with_suffix(".events.jsonl")
    assert (first.exists(), second.read_bytes()) == (False, data)
    assert first != second
    shelf.erase(record)
    shelf.drain()
    assert not list(shelf.home.rglob("*.events.jsonl"))
    with shelf.database.read() as db:
        assert db.execute("SELECT count(*) FROM event").fetchone()[0] == 0


def test_new_lines_are_added_and_a_record_without_any_has_no_file(
    memory: Memory, hook: Caller, span: str
) -> None:
    before = beside(memory, span).read_bytes()
    draft = make_span("Which port?", f"The token is {KEY}, the port 5433.", first=6)
    plain = memory.write(make_span("No line at all.", events=()), hook)

    memory.write(draft, hook)

    after = beside(memory, span).read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == 5
    assert not beside(memory, plain.id).exists()
    assert quarantined(memory) == []


def _name(memory: Memory, record_id: str) -> str:
    return file_of(memory, record_id).relative_to(memory.settings.home).as_posix()


def _cut(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (Path.unlink, "is missing"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"port", b"dock")), "by hand"),
        (_cut, "by hand"),
    ],
)
def test_what_somebody_did_to_it_is_told_and_written_again(
    memory: Memory, hook: Caller, span: str, harm: Callable[[Path], object], told: str
) -> None:
    path = beside(memory, span)
    before, kept = path.read_bytes(), lines(memory, hook, span)
    assert faults(memory) == []

    harm(path)

    ((check, detail),) = faults(memory)
    assert (check, detail.startswith(f"records/{path.parent.parent.parent.name}")) == (
        "files",
        True,
    )
    assert told in detail
    assert memory.refresh() == []
    assert lines(memory, hook, span) == kept
    memory.rebuild_files()
    assert path.read_bytes() == before
    assert [name for name, _ in faults(memory)] in ([], ["quarantine"])


def test_a_line_that_is_not_what_it_was_is_told(memory: Memory, hook: Caller, span: str) -> None:
    memory.close()
    with closing(sqlite3.connect(memory.settings.home / "memex.db")) as db:
        db.execute("UPDATE event SET sha256 = ? WHERE seq = 0", ("0" * 64,))
        db.commit()

    assert ("records", f"a line that {span} stands for is damaged") in faults(memory)


def test_a_file_of_lines_without_a_record_is_told_and_set_aside(memory: Memory, span: str) -> None:
    stray = beside(memory, span).with_name("0" * 26 + ".events.jsonl")
    stray.write_text("{}\n", encoding="utf-8")
    stray.chmod(0o600)

    ((_, detail),) = faults(memory)
    assert "belongs to no record" in detail
    memory.rebuild_files()
    assert not stray.exists()
    assert any("no record has these lines" in why for why in quarantined(memory))


@card("evidence.files")
@pytest.mark.parametrize("lost", [False, True])
def test_the_files_give_the_lines_back(memory: Memory, hook: Caller, span: str, lost: bool) -> None:
    kept = lines(memory, hook, span)
    before = beside(memory, span).read_bytes()
    memory.close()
    if lost:
        for path in memory.settings.home.glob("memex.db*"):
            path.unlink()

    report = memory.rebuild_from_files()

    assert (report.records, report.quarantined) == (1, ())
    assert lines(memory, hook, span) == kept
    assert beside(memory, span).read_bytes() == before
    assert faults(memory) == []


def test_of_changed_lines_none_is_taken_in_and_the_others_are(
    memory: Memory, hook: Caller, span: str
) -> None:
    kept = lines(memory, hook, span)
    path = beside(memory, span)
    path.write_bytes(path.read_bytes().replace(b"Which port", b"Which dock"))
    memory.close()
    for database in memory.settings.home.glob("memex.db*"):
        database.unlink()

    report = memory.rebuild_from_files()

    assert lines(memory, hook, span) == kept[1:]
    assert len(report.quarantined) == 1
    assert "evidence" in report.quarantined[0]
    assert path.read_bytes() == sidecar.render(kept[1:])


def test_a_secret_that_somebody_wrote_into_the_file_is_masked_on_the_way_in(
    memory: Memory, hook: Caller, span: str
) -> None:
    path = beside(memory, span)
    data = path.read_bytes().replace(b"[MASKED:github-token]", KEY.encode())
    assert KEY.encode() in data
    path.write_bytes(data)
    memory.close()
    for database in memory.settings.home.glob("memex.db*"):
        database.unlink()

    memory.rebuild_from_files()

    assert KEY not in "".join(line.data for line in lines(memory, hook, span))
    assert len(lines(memory, hook, span)) == 3
    assert KEY.encode() not in path.read_bytes()


def test_a_lost_line_of_the_database_comes_back_from_the_file(
    memory: Memory, hook: Caller, span: str
) -> None:
    kept = lines(memory, hook, span)
    memory.close()
    with closing(sqlite3.connect(memory.settings.home / "memex.db")) as db:
        db.execute("UPDATE event SET data = x'00' WHERE seq = 0")
        db.commit()

    memory.rebuild_from_files()

    assert lines(memory, hook, span) == kept
    assert faults(memory) == []


def test_writing_the_files_again_changes_no_byte(memory: Memory, hook: Caller, span: str) -> None:
    memory.set_status(span, Status.DISPUTED, hook, reason="hm")
    before = listing(memory.settings.home / "records", folders=False)
    for path in (memory.settings.home / "records").rglob("*.events.jsonl"):
        path.unlink()

    memory.rebuild_files()

    after = listing(memory.settings.home / "records", folders=False)
    assert {name: one[2] for name, one in after.items()} == {
        name: one[2] for name, one in before.items()
    }
