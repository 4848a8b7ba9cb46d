"""Record files are written from the queue and follow the record."""

import json
import os
import stat
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memex_mcp.model.kinds import Relation, Scope
from memex_mcp.model.record import Link
from memex_mcp.store import mirror, sheet, tombstones
from memex_mcp.store import tombstone_file as graves
from memex_mcp.store.database import Database
from memex_mcp.store.tombstones import Tombstone
from tests.make import NOON, make_record
from tests.store.shelf import Shelf, listing

LATER = NOON + timedelta(hours=1)


def grave(key: str = "k1", **over: Any) -> Tombstone:
    made = Tombstone(key, "w:w1", None, "the secret reason", "tool", "codex", NOON)
    return replace(made, **over)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode("utf-8", "surrogatepass")
    assert old in text
    path.write_bytes(text.replace(old, new).encode("utf-8", "surrogatepass"))


def test_drained_record_is_a_file_that_people_can_read(shelf: Shelf) -> None:
    other = shelf.put(make_record(body="other"))
    record = make_record(title="When", tags=("release",), body="On Thursdays.\n")
    shelf.put(record, Link(from_id=record.id, to_id=other.id, relation=Relation.SUPERSEDES))

    assert shelf.drain() == 2

    path = shelf.home / f"records/w1-w1/l3/2026-11/{record.id}.md"
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f'---\nid: "{record.id}"\nkind: "note"\ntype: "fact"\ntitle: "When"\n')
    assert 'tags: ["release"]\n' in text
    assert 'workspace_path: "/repo/w1"\n' in text
    assert f'links: [{{"to": "{other.id}", "relation": "supersedes", "weight": 1.0}}]\n' in text
    assert text.endswith("---\nOn Thursdays.\n")
    assert "summary" not in text
    assert shelf.queue() == []


def test_each_scope_has_its_place(shelf: Shelf) -> None:
    shared = shelf.put(make_record())
    private = shelf.put(make_record(scope=Scope.SESSION))
    everywhere = shelf.put(make_record(scope=Scope.GLOBAL))

    shelf.drain()

    places = [shelf.file(r).relative_to(shelf.home).parent for r in (shared, private, everywhere)]
    assert [place.as_posix() for place in places] == [
        "records/w1-w1/l3/2026-11",
        "records/w1-w1/l2/2026-11",
        "records/global/2026-11",
    ]


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_files_and_folders_are_private_under_a_wide_umask(shelf: Shelf) -> None:
    before = os.umask(0)
    try:
        record = shelf.put(make_record())
        shelf.revise(record, replace(record, version=2, times=replace(record.times)))
        shelf.drain()
    finally:
        os.umask(before)

    open_ = {
        path.name: oct(path.stat().st_mode)
        for path in shelf.home.rglob("*")
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    }
    assert open_ == {}
    assert shelf.file(record).is_file()


def test_past_versions_are_written_once_and_the_file_follows(shelf: Shelf) -> None:
    first = shelf.put(make_record(body="first"))
    shelf.drain()
    times = replace(first.times, updated_at=LATER)
    body = "second"
    second = make_record(id=first.id, body=body, version=2, times=times)
    shelf.revise(first, second)

    shelf.drain()

    old = shelf.file(first).with_name(f"{first.id}.history") / "1.md"
    assert sheet.parse(old.read_bytes()).record == first
    assert sheet.parse(shelf.file(first).read_bytes()).record == second
    before = old.stat().st_ino
    shelf.revise(second, replace(second, version=3))
    shelf.drain()
    assert old.stat().st_ino == before


def test_erased_record_leaves_no_file_behind(shelf: Shelf) -> None:
    gone = shelf.put(make_record(body="gone", workspace_id="w2"))
    stays = shelf.put(make_record(body="stays"))
    shelf.revise(gone, replace(gone, version=2))
    shelf.drain()
    edit(shelf.file(gone), "gone", "edited meanwhile")
    shelf.erase(replace(gone, version=2))

    shelf.drain()

    names = [path.name for path in (shelf.home / "records").rglob("*")]
    assert not [name for name in names if gone.id in name or name.startswith("w2")]
    assert shelf.file(stays).is_file()
    assert shelf.queue() == []


def test_limit_leaves_the_rest_queued(shelf: Shelf) -> None:
    for number in range(5):
        shelf.put(make_record(body=f"body {number}"))

    assert mirror.drain(shelf.database, 2) == 2
    assert len(shelf.queue()) == 3
    assert shelf.drain() == 3


def test_a_text_that_was_just_written_is_taken_only_for_the_record_that_says_it(
    shelf: Shelf,
) -> None:
    known, changed = make_record(body="known"), make_record(body="changed since")
    shelf.put(known)
    shelf.put(changed)

    mirror.drain(shelf.database, bodies={known.body_sha256: "known", "0" * 64: "as it was"})

    texts = [shelf.file(each).read_text(encoding="utf-8") for each in (known, changed)]
    assert [text.rpartition("---\n")[2] for text in texts] == ["known", "changed since"]


def test_full_or_closed_disk_leaves_the_queue_and_is_no_error(shelf: Shelf) -> None:
    blocked = shelf.put(make_record(body="blocked", workspace_id="w2"))
    fine = shelf.put(make_record(body="fine"))
    # A file where a folder belongs.
    (shelf.home / "records").mkdir(mode=0o700)
    (shelf.home / "records/w2-w2").write_text("in the way", encoding="utf-8")

    assert shelf.drain() == 1

    assert shelf.queue() == [blocked.id]
    assert shelf.file(fine).is_file()
    (shelf.home / "records/w2-w2").unlink()
    assert shelf.drain() == 1
    assert shelf.file(blocked).is_file()


def test_disk_that_takes_nothing_is_given_up_on(shelf: Shelf) -> None:
    for number in range(4):
        shelf.put(make_record(body=f"body {number}"))
    (shelf.home / "records").write_text("in the way", encoding="utf-8")

    assert shelf.drain() == 0
    assert len(shelf.queue()) == 4


def test_folder_in_the_place_of_a_file_is_set_aside(shelf: Shelf) -> None:
    kept, gone = shelf.put(make_record(body="kept")), shelf.put(make_record(body="gone"))
    shelf.drain()
    for record in (kept, gone):
        path = shelf.file(record)
        path.unlink()
        path.mkdir()
        (path / "mine.txt").write_text("by hand", encoding="utf-8")
    shelf.erase(gone)
    with shelf.database.write() as db:
        mirror.enqueue(db, kept.id, NOON)

    assert shelf.drain() == 2

    assert sheet.parse(shelf.file(kept).read_bytes()).record == kept
    assert list((shelf.home / "records").rglob(f"{gone.id}*")) == []
    aside = list((shelf.home / "quarantine").rglob("mine.txt"))
    assert [path.read_text(encoding="utf-8") for path in aside] == ["by hand"] * 2
    assert {path.parent.stat().st_mode & 0o777 for path in aside} == {0o700}


def test_closed_store_leaves_the_queue(shelf: Shelf) -> None:
    shelf.put(make_record())
    other = Database(shelf.home, timeout=0.05)

    with shelf.database.write():
        assert mirror.drain(other) == 0

    assert mirror.drain(other) == 1
    other.close()


def test_tombstones_are_mirrored_as_hashes_with_their_reasons(shelf: Shelf) -> None:
    with shelf.database.write() as db:
        tombstones.bury(db, grave("k1"))
        tombstones.bury(db, grave("k2", record_id="0" * 26))
    shelf.drain()
    path = shelf.home / graves.NAME

    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["value_key"] for line in lines] == ["k1", "k2"]
    assert graves.read(shelf.home) == [grave("k1"), grave("k2", record_id="0" * 26)]
    before = listing(shelf.home)["tombstones.jsonl"]
    shelf.drain()
    assert listing(shelf.home)["tombstones.jsonl"] == before
    with shelf.database.write() as db:
        tombstones.lift(db, "k1", LATER)
    shelf.drain()
    assert graves.read(shelf.home)[0].lifted_at == LATER
    sound = {key: value for key, value in json.loads(lines[0]).items() if key != "reason"}
    odd = [("lifted_at", 1), ("at", "x"), ("owner", "\ud800"), ("refused", "many")]
    bad = [
        "damaged",
        "[]",
        "{}",
        "null",
        "[" * 9999,
        *(json.dumps(sound | dict([one])) for one in odd),
    ]
    earlier = [json.dumps(sound), json.dumps(sound | {"refused": 10**30, "record_id": 1})]
    path.write_text("\n".join([*bad, *earlier, ""]), encoding="utf-8")
    assert [(one.reason, one.record_id) for one in graves.read(shelf.home)] == [
        ("", None),
        ("", "1"),
    ]
    path.unlink()
    shelf.drain()
    assert len(graves.read(shelf.home)) == 2
