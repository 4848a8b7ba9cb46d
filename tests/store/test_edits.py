"""What people do to record files comes back as an edit or is kept aside."""

import os
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memex_mcp.model.kinds import Author, Status, Trust
from memex_mcp.model.times import from_ms
from memex_mcp.store import edits, mirror, records, sheet
from tests.make import NOON, make_record
from tests.store.shelf import Shelf

LATER = NOON + timedelta(hours=1)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode("utf-8", "surrogatepass")
    assert old in text
    path.write_bytes(text.replace(old, new).encode("utf-8", "surrogatepass"))


def test_changed_body_and_card_come_back_as_an_edit(shelf: Shelf) -> None:
    record = shelf.put(make_record(body="On Thursdays.", tags=("a",)))
    shelf.drain()
    assert shelf.take() == []
    path = shelf.file(record)
    edit(path, "On Thursdays.", "On Fridays.")
    edit(path, 'tags: ["a"]', "tags: a, 发布\nvalid_from: 2026-12-01\nsummary: Since December")

    (found,) = shelf.take()

    assert found.record is not None
    assert (found.record_id, found.problem) == (record.id, "")
    assert found.record.body == "On Fridays."
    assert found.record.body_sha256 == sheet.body_digest("On Fridays.")
    assert found.record.card.tags == ("a", "发布")
    assert found.record.card.summary == "Since December"
    assert found.record.times.valid_from == NOON.replace(month=12, day=1, hour=0)
    assert shelf.take() == [found]  # until it is settled


def test_stamps_in_the_file_are_not_taken_but_told_and_kept(shelf: Shelf) -> None:
    record = shelf.put(make_record(body="On Thursdays."))
    shelf.drain()
    path = shelf.file(record)
    text = written = path.read_text(encoding="utf-8")
    for old, new in {
        'author: "agent"': 'author: "human"',
        'trust: "untrusted"': 'trust: "verified"',
        'status: "active"': 'status: "archived"',
        'workspace_id: "w1"': 'workspace_id: "w9"',
        'scope: "workspace"': 'scope: "global"',
        "version: 1": "version: 1\nsalience: 1.0\npinned: true\nsession_id: s9",
    }.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    (found,) = shelf.take()
    names = "scope, workspace_id, session_id, author, trust, status, pinned, salience"
    assert (found.record_id, found.record) == (record.id, None)
    assert found.problem.startswith(f"{names} cannot be changed in a file; ")
    assert path.read_text(encoding="utf-8") == written
    assert shelf.quarantine() == [text]
    assert shelf.take() == []

    path.write_text(text.replace("On Thursdays.", "On Fridays."), encoding="utf-8")
    (found,) = shelf.take()

    assert found.record is not None
    assert found.problem.startswith(f"{names} cannot be changed in a file; ")
    expected = replace(
        record,
        body="On Fridays.",
        body_sha256=found.record.body_sha256,
        value_key=found.record.value_key,
    )
    assert found.record == expected
    assert found.record.author is Author.AGENT
    assert found.record.trust is Trust.UNTRUSTED
    assert found.record.status is Status.ACTIVE


@pytest.mark.parametrize(
    "line",
    [
        *('status: "archived"', "trust: verified", "author: human", "kind: span", "scope: global"),
        *("type: decision", "client: me", "surface: cli", "pinned: true", "salience: 0.9"),
        *("confidence: 1", "version: 7", f"version: {10**30}", "observations: 99", "tier: cold"),
        *("opened_count: 4", "last_opened_at: 2027-01-01", "recorded_at: 2020-01-01"),
        *("observed_at: 2020-01-01", "updated_at: 2027-01-01", "tokens: 99999", "branch: main"),
        *("family: chat", "superseded_by: X", "dedupe_key: mine", "status: nonsense"),
        *("body_sha256: 00", "value_key: 00", "entities: [one]", "mood: calm", "tag: a"),
        f'sources: ["{"0" * 26}"]',
        f'links: [{{"to": "{"0" * 26}"}}]',
    ],
)
def test_a_line_that_a_file_cannot_change_is_told_by_its_name(shelf: Shelf, line: str) -> None:
    record, sound = shelf.put(make_record()), shelf.put(make_record(body="sound"))
    shelf.drain()
    path, name = shelf.file(record), line.partition(":")[0]
    written = path.read_text(encoding="utf-8")
    kept = [old for old in written.splitlines(keepends=True) if not old.startswith(f"{name}:")]
    path.write_text("".join([kept[0], f"{line}\n", *kept[1:]]), encoding="utf-8")
    shelf.file(sound).touch()

    (found,) = shelf.take()

    assert (found.record_id, found.record) == (record.id, None)
    assert found.problem.startswith(f"{name} ")
    assert "; moved to quarantine/" in found.problem
    assert path.read_text(encoding="utf-8") == written
    assert [line in text for text in shelf.quarantine()] == [True]
    assert shelf.take() == []


def test_stamps_that_are_spelled_otherwise_or_that_the_store_counts_are_no_edit(
    shelf: Shelf,
) -> None:
    record = shelf.put(make_record(observations=2, opened_count=3))
    shelf.drain()
    with shelf.database.write() as db:
        records.touch_opened(db, record.id, LATER)
        records.observe(db, record.id)
    path = shelf.file(record)
    written = path.read_text(encoding="utf-8")
    text = written.replace('"', "").replace("opened_count: 3\n", "session_id:\nbranch: ''\n")
    assert text.count("\n") == written.count("\n") + 1
    path.write_text(text, encoding="utf-8")

    assert shelf.take() == []
    assert path.read_text(encoding="utf-8") != text
    edit(path, 'status: "active"', 'status: "disputed"')
    assert [found.problem.split()[0] for found in shelf.take()] == ["status"]


def test_stamp_that_was_changed_waits_until_it_is_told_whatever_is_written(shelf: Shelf) -> None:
    record = shelf.put(make_record(body="On Thursdays."))
    shelf.drain()
    edit(shelf.file(record), 'status: "active"', 'status: "archived"')
    changed = shelf.revise(record, make_record(id=record.id, version=2, body="On Mondays."))
    assert shelf.drain() == 0

    (found,) = shelf.take()

    assert found.problem.startswith("status cannot be changed in a file")
    assert "archived" in shelf.quarantine()[0]
    assert sheet.parse(shelf.file(record).read_bytes()).record == changed


def test_title_and_summary_that_came_from_the_body_follow_it(shelf: Shelf) -> None:
    made = shelf.put(make_record(body="On Mondays. Or so.", title="On Mondays.", summary="Or so."))
    given = shelf.put(make_record(body="On Mondays. Or so.", title="Given", summary="Given too"))
    shelf.drain()
    for record in (made, given):
        edit(shelf.file(record), "\nOn Mondays. Or so.", "\nOn Sundays. Perhaps.")

    found = {edit.record_id: edit.record for edit in shelf.take()}

    cards = [record and (record.card.title, record.card.summary) for record in found.values()]
    assert cards == [("On Sundays.", "Perhaps."), ("Given", "Given too")]


def test_file_without_its_stamps_is_still_an_edit(shelf: Shelf) -> None:
    record = shelf.put(make_record(body="On Thursdays.", title="Given", source="wiki"))
    shelf.drain()
    shelf.file(record).write_text(f"---\nid: {record.id}\n---\nOn Fridays.", encoding="utf-8")

    (found,) = shelf.take()

    assert found.record is not None
    assert (found.record.card.title, found.record.source) == ("On Fridays.", "")


def test_what_editors_do_to_line_ends_is_no_edit(shelf: Shelf) -> None:
    record = shelf.put(make_record(body="one\ntwo"))
    shelf.drain()
    path = shelf.file(record)
    written = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + written.replace(b"\n", b"\r\n") + b"\r\n")

    assert shelf.take() == []
    assert path.read_bytes() == written

    path.write_bytes(written + b"\nthree")
    assert [found.record and found.record.body for found in shelf.take()] == ["one\ntwo\nthree"]


def test_settled_edit_is_written_over_and_refused_one_is_kept_aside(shelf: Shelf) -> None:
    record = shelf.put(make_record(body="token abc"))
    shelf.drain()
    path = shelf.file(record)
    edit(path, "token abc", "token xyz")
    (found,) = shelf.take()
    # As the gate would: masked, so that the record is not what the file says.
    new = make_record(id=record.id, version=2, body="token [MASKED]")
    shelf.revise(record, new)
    assert shelf.drain() == 0  # the file waits for the edit to be settled
    edits.settle(shelf.database, found)

    assert sheet.parse(path.read_bytes()).record == new
    assert shelf.take() == []
    assert shelf.quarantine() == []

    edit(path, "token [MASKED]", "withdrawn value")
    (refused,) = shelf.take()
    edits.settle(shelf.database, refused, "this statement was withdrawn here")

    assert sheet.parse(path.read_bytes()).record == new
    assert ["withdrawn value" in text for text in shelf.quarantine()] == [True]
    assert shelf.take() == []


def test_edit_and_a_change_of_another_field_come_together(shelf: Shelf) -> None:
    record = shelf.put(make_record(body="On Thursdays.", title="Old title"))
    shelf.drain()
    edit(shelf.file(record), "Old title", "Title by hand")
    changed = make_record(id=record.id, version=2, body="On Mondays.", title="Old title")
    shelf.revise(record, changed)
    assert shelf.drain() == 0

    (found,) = shelf.take()

    assert found.record is not None
    assert (found.record.card.title, found.record.body) == ("Title by hand", "On Mondays.")
    assert found.record.version == 2


def test_edit_of_what_has_changed_meanwhile_is_set_aside(shelf: Shelf) -> None:
    record = shelf.put(make_record(body="On Thursdays."))
    shelf.drain()
    edit(shelf.file(record), "On Thursdays.", "On Fridays.")
    changed = shelf.revise(record, make_record(id=record.id, version=2, body="On Mondays."))

    (found,) = shelf.take()

    assert found.record is None
    assert "has changed since" in found.problem
    assert sheet.parse(shelf.file(record).read_bytes()).record == changed
    assert "On Fridays." in shelf.quarantine()[0]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(b"---\nid: [\n---\nx", "line ", id="damaged YAML"),
        pytest.param(b"no front matter", "front matter is missing", id="no front matter"),
        pytest.param("---\nid: a\n---\n文".encode("gbk"), "not UTF-8", id="another encoding"),
        pytest.param("x".encode("utf-16"), "not UTF-8", id="UTF-16"),
        pytest.param(b"---\ntitle: x\n---\ntext", "its id is not", id="without id"),
        pytest.param(b'---\nid: "OTHER"\n---\ntext', "its id is not", id="another id"),
        pytest.param(b"", "front matter is missing", id="empty file"),
    ],
)
def test_unusable_file_of_a_record_is_set_aside_and_written_again(
    shelf: Shelf, data: bytes, why: str
) -> None:
    record = shelf.put(make_record())
    shelf.drain()
    path = shelf.file(record)
    path.write_bytes(data)

    (found,) = shelf.take()

    assert (found.record_id, found.record) == (record.id, None)
    assert why in found.problem
    assert sheet.parse(path.read_bytes()).record == record
    (aside,) = [p for p in (shelf.home / "quarantine").iterdir() if p.suffix == ".md"]
    assert aside.read_bytes() == data
    note = aside.with_name(f"{aside.name}.why.txt").read_text(encoding="utf-8")
    assert found.path in note
    assert why in note


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(f"---\nid: {'0' * 26}\n---\nx", "no record has its id", id="unknown id"),
        pytest.param("---\ntitle: my own note\n---\nx", "it has no id", id="no id"),
        pytest.param("# just text", "front matter", id="plain Markdown"),
    ],
)
def test_file_of_no_record_is_set_aside(shelf: Shelf, text: str, why: str) -> None:
    record = shelf.put(make_record())
    shelf.drain()
    stray = shelf.file(record).with_name("mine.md")
    stray.write_text(text, encoding="utf-8")

    (found,) = shelf.take()

    assert (found.record_id, found.record) == (None, None)
    assert why in found.problem
    assert not stray.exists()
    assert shelf.quarantine() == [text]
    edits.settle(shelf.database, found)
    assert sheet.parse(shelf.file(record).read_bytes()).record == record


def test_renamed_file_is_set_aside_and_written_again(shelf: Shelf) -> None:
    moved, kept = (shelf.put(make_record(body=body)) for body in ("On Thursdays.", "On Mondays."))
    shelf.drain()
    assert shelf.take() == []
    path = shelf.file(moved)
    # A name that is no text, where names are bytes.
    other = path.with_name(os.fsdecode(b"m\xff.md" if sys.platform == "linux" else b"m.md"))
    path.rename(other)

    told = {edit.record_id: edit.problem for edit in shelf.take()}

    assert told.keys() == {moved.id, None}
    assert told[moved.id] == "the file was gone; it is written again"
    assert path.is_file()
    assert not other.exists()
    assert shelf.file(kept).is_file()
    assert shelf.take() == []


def test_copy_of_a_record_file_is_set_aside(shelf: Shelf) -> None:
    record = shelf.put(make_record())
    shelf.drain()
    path = shelf.file(record)
    path.with_name("copy of it.md").write_bytes(path.read_bytes())

    (found,) = shelf.take()

    assert f"copy of the file of {record.id}" in found.problem
    assert sheet.parse(path.read_bytes()).record == record


@pytest.mark.parametrize(
    "name", [".x.md.swp", "x.md~", ".#x.md", "x.md.tmp", ".x.md", "#x.md#", "x.txt", ".git/a.md"]
)
def test_what_editors_leave_behind_is_ignored(shelf: Shelf, name: str) -> None:
    record = shelf.put(make_record())
    shelf.drain()
    left = shelf.file(record).parent / name
    left.parent.mkdir(exist_ok=True)
    left.write_text("---\nbroken", encoding="utf-8")

    assert shelf.take() == []
    assert left.exists()
    left.with_name("seen.md").write_text("---\nbroken", encoding="utf-8")
    assert len(shelf.take()) == (0 if left.parent.name == ".git" else 1)


def test_link_in_the_records_folder_leads_nowhere(shelf: Shelf, tmp_path: Path) -> None:
    record = shelf.put(make_record())
    shelf.drain()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("private", encoding="utf-8")
    path = shelf.file(record)
    (path.parent / "link").symlink_to(outside)
    path.unlink()
    path.symlink_to(outside / "x.md")

    (found,) = shelf.take()

    assert found.problem == "the file was gone; it is written again"
    assert not path.is_symlink()
    assert (outside / "x.md").read_text(encoding="utf-8") == "private"


def test_deleted_file_is_written_again_and_told(shelf: Shelf) -> None:
    record = shelf.put(make_record())
    shelf.drain()
    path = shelf.file(record)
    path.unlink()

    (found,) = shelf.take()

    assert (found.record_id, found.record) == (record.id, None)
    assert "written again" in found.problem
    assert sheet.parse(path.read_bytes()).record == record
    assert shelf.take() == []


def test_touched_but_equal_file_is_no_edit_and_gets_its_time_back(shelf: Shelf) -> None:
    record = shelf.put(make_record())
    shelf.drain()
    path = shelf.file(record)
    os.utime(path, (0, 0))

    assert shelf.take() == []
    assert from_ms(path.stat().st_mtime_ns // 1_000_000) == NOON


def test_one_record_can_be_looked_at_alone(shelf: Shelf) -> None:
    one, two = shelf.put(make_record(body="one")), shelf.put(make_record(body="two"))
    shelf.drain()
    for record in (one, two):
        edit(shelf.file(record), f"---\n{record.body}", f"---\n{record.body} by hand")

    (found,) = edits.take_edits(shelf.database, two.id)

    assert found.record_id == two.id
    assert len(shelf.take()) == 2


def test_unwritten_record_is_neither_missing_nor_an_edit(shelf: Shelf) -> None:
    shelf.put(make_record())

    assert shelf.take() == []
    assert len(shelf.queue()) == 1
    shelf.drain()
    assert shelf.take() == []


def test_renamed_workspace_moves_the_file(shelf: Shelf) -> None:
    record = shelf.put(make_record())
    shelf.drain()
    old = shelf.file(record)
    with shelf.database.write() as db:
        db.execute("UPDATE workspace SET name = '新名字'")
        mirror.enqueue(db, record.id, NOON)

    shelf.drain()

    assert not old.parent.exists()
    assert shelf.file(record).relative_to(shelf.home).parts[1] == "新名字-w1"
    assert shelf.take() == []
