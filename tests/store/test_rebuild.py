"""Files from the database and the database from files: either is enough."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memex_mcp.errors import Damaged, Unavailable
from memex_mcp.model.kinds import Author, Kind, Relation, Scope, Status, Trust
from memex_mcp.model.record import Link
from memex_mcp.store import audit, graves, index, links, rebuild, records, sheet, tombstones
from memex_mcp.store.database import Database
from memex_mcp.store.lock import FileLock
from memex_mcp.store.tombstones import Tombstone
from tests.make import NOON, make_record
from tests.store.shelf import Shelf, listing

LATER = NOON + timedelta(hours=1)
_TABLES = {
    "record": "id",
    "revision": "record_id, version",
    "tombstone": "value_key",
    "workspace": "id",
    "session": "workspace_id, id",
    "setting": "owner, key",
    "audit": "seq",
}


@pytest.fixture
def shelf(tmp_path: Path) -> Generator[Shelf]:
    database = Database(tmp_path / "store")
    yield Shelf(database)
    database.close()


@pytest.fixture
def filled(shelf: Shelf) -> Shelf:
    """Every scope, a history, links, sources, a retraction, a body with everything in it."""
    old = shelf.put(make_record(body="Port 80.", status=Status.SUPERSEDED, dedupe_key="port"))
    new = make_record(body="Port 443.\r\n---\n\x00\ud800 端口", tags=("网络",), source="wiki")
    shelf.put(new, Link(from_id=new.id, to_id=old.id, relation=Relation.SUPERSEDES))
    shelf.put(make_record(scope=Scope.SESSION, kind=Kind.SPAN, body="long text\n" * 5000))
    shelf.put(make_record(scope=Scope.GLOBAL, author=Author.HUMAN, trust=Trust.VERIFIED))
    first = shelf.put(make_record(body="first", salience=0.9))
    times = replace(first.times, updated_at=LATER)
    second = shelf.revise(
        first, make_record(id=first.id, body="second", version=2, times=times, salience=0.9)
    )
    times = replace(times, updated_at=LATER + timedelta(hours=1))
    third = replace(second, version=3, times=times, status=Status.RETRACTED)
    shelf.revise(second, third)
    with shelf.database.write() as db:
        links.add_sources(db, new.id, [old.id])
        grave = Tombstone(
            third.value_key, third.owner, third.id, "", "cli", "memex-mcp", third.times.updated_at
        )
        tombstones.bury(db, grave)
    shelf.drain()
    return shelf


def rows(home: Path, *, without: tuple[str, ...] = ()) -> dict[str, list[tuple[object, ...]]]:
    """Everything that a store says, in a form that does not depend on row numbers."""
    database = Database(home)
    try:
        with database.read() as db:
            found = {
                table: [_plain(row) for row in db.execute(f"SELECT * FROM {table} ORDER BY {by}")]
                for table, by in _TABLES.items()
                if table not in without
            }
            found["body"] = [
                (row["id"], records.body_text(db, row["n"]))
                for row in db.execute("SELECT id, n FROM record ORDER BY id")
            ]
            for name, sql in {
                "link": "SELECT a.id, b.id, relation, weight FROM link JOIN record a ON a.n ="
                " from_n JOIN record b ON b.n = to_n ORDER BY 1, 2, 3",
                "source": "SELECT id, source_id FROM source_ref JOIN record ON n = record_n"
                " ORDER BY 1, 2",
                "chunk": "SELECT id, start, stop FROM chunk c JOIN record r ON r.n = c.record_n"
                " ORDER BY 1, 2",
                "card terms": "SELECT * FROM card_vocab ORDER BY term",
                "body terms": "SELECT * FROM body_vocab ORDER BY term",
                "queue": "SELECT record_id FROM mirror_queue",
            }.items():
                found[name] = [tuple(row) for row in db.execute(sql)]
            assert index.check(db) == []
            assert audit.verify(db) is None
        return found
    finally:
        database.close()


def _plain(row: sqlite3.Row) -> tuple[object, ...]:
    named = {name: row[name] for name in row.keys() if name != "n"}  # noqa: SIM118 - a Row
    if "body" in named:
        named["fields"] = json.loads(named["fields"])
    return tuple(named.values())


def test_healthy_store_comes_back_equal(filled: Shelf) -> None:
    before = rows(filled.home)
    files = listing(filled.home / "records")

    report = rebuild.from_files(filled.home)

    after = rows(filled.home)
    assert [row[7] for row in after["audit"]] == [*["create"] * 5, "rebuild"]
    assert {**after, "audit": after["audit"][:-1]} == before
    assert listing(filled.home / "records") == files
    assert report == rebuild.Report(
        records=5, revisions=2, tombstones=1, audit_kept=True, backup=report.backup
    )
    with sqlite3.connect(filled.home / report.backup) as copy:
        assert copy.execute("SELECT count(*) FROM record").fetchone() == (5,)
    copy.close()
    assert Shelf(filled.database).take() == []


@pytest.mark.parametrize("how", ["deleted", "garbage", "empty", "cut", "another program's"])
def test_files_alone_are_enough(filled: Shelf, how: str) -> None:
    lost = ("audit", "session", "workspace")
    before = rows(filled.home, without=lost)
    filled.database.close()
    path = filled.home / "memex.db"
    data = path.read_bytes()
    path.unlink()
    if how == "another program's":
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE theirs(a)")
        other.close()
    elif how != "deleted":
        path.write_bytes(
            {"garbage": b"\x00\x01garbage" * 999, "empty": b"", "cut": data[:9000]}[how]
        )
        with pytest.raises(Damaged):
            filled.take()

    report = rebuild.from_files(filled.home)

    assert rows(filled.home, without=lost) == before
    assert (report.records, report.revisions, report.tombstones) == (5, 2, 1)
    assert (report.from_database, report.quarantined, report.audit_kept) == (0, (), False)
    assert bool(report.backup) is (how != "deleted")
    with filled.database.read() as db:
        assert [tuple(row) for row in db.execute("SELECT id, path, name FROM workspace")] == [
            ("w1", "/repo/w1", "w1")
        ]
        assert [row[0] for row in db.execute("SELECT action FROM audit")] == ["rebuild"]
    assert filled.take() == []


def test_log_of_a_lost_database_is_not_played_into_the_new_one(filled: Shelf) -> None:
    before = rows(filled.home, without=("audit", "session"))
    filled.database.close()
    (filled.home / "memex.db").write_bytes(b"garbage" * 1000)
    (filled.home / "memex.db-wal").write_bytes(b"old log")

    rebuild.from_files(filled.home)

    assert rows(filled.home, without=("audit", "session"))["record"] == before["record"]
    log = filled.home / "memex.db-wal"
    assert not log.exists() or log.read_bytes() != b"old log"


def test_damaged_file_is_set_aside_and_its_record_taken_from_the_database(filled: Shelf) -> None:
    before = rows(filled.home, without=("audit",))
    path = next((filled.home / "records").rglob("l2/**/*.md"))
    path.write_bytes(b"\xff\xfe damaged")

    report = rebuild.from_files(filled.home)

    assert report.from_database == 1
    assert ["not UTF-8" in line for line in report.quarantined] == [True]
    after = rows(filled.home, without=("audit",))
    assert after["queue"] == [(path.stem,)]
    assert {**after, "queue": []} == before
    filled.drain()
    assert sheet.parse(path.read_bytes()).record.id == path.stem


def test_damaged_file_without_a_database_costs_that_record_only(filled: Shelf) -> None:
    filled.database.close()
    (filled.home / "memex.db").unlink()
    path = next((filled.home / "records").rglob("l2/**/*.md"))
    path.write_bytes(b"\xff\xfe damaged")

    report = rebuild.from_files(filled.home)

    assert (report.records, len(report.quarantined)) == (4, 1)
    assert b"damaged" in next((filled.home / "quarantine").glob("*.md")).read_bytes()


def test_body_that_the_database_lost_comes_from_its_file(filled: Shelf) -> None:
    before = rows(filled.home, without=("audit",))
    with filled.database.write() as db:
        n = db.execute("SELECT n FROM record WHERE scope = 'session'").fetchone()[0]
        db.execute("UPDATE body SET data = x'00' WHERE record_n = ? AND start = 0", (n,))

    report = rebuild.from_files(filled.home)

    assert report.from_database == 0
    assert rows(filled.home, without=("audit",))["body"] == before["body"]


def test_newer_file_wins_over_an_older_database(shelf: Shelf) -> None:
    first = shelf.put(make_record(body="first"))
    shelf.drain()
    shelf.database.close()
    older = (shelf.home / "memex.db").read_bytes()
    times = replace(first.times, updated_at=LATER)
    shelf.revise(first, make_record(id=first.id, body="second", version=2, times=times))
    shelf.put(make_record(body="made later"))
    shelf.drain()
    shelf.database.close()
    (shelf.home / "memex.db").write_bytes(older)

    report = rebuild.from_files(shelf.home)

    assert (report.records, report.revisions) == (2, 1)
    assert sorted(str(text) for _, text in rows(shelf.home)["body"]) == ["made later", "second"]


def test_waiting_edit_waits_on_beside_a_readable_database(filled: Shelf) -> None:
    path = next((filled.home / "records").rglob("global/**/*.md"))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Thursdays", "Fridays"), encoding="utf-8")

    rebuild.from_files(filled.home)

    (found,) = filled.take()
    assert found.record is not None
    assert "Fridays" in found.record.body
    assert found.record.trust is Trust.VERIFIED
    with filled.database.read() as db:
        bodies = [records.body_text(db, n) for (n,) in db.execute("SELECT n FROM record")]
    assert not any("Fridays" in body for body in bodies)


def test_text_changed_by_hand_is_vouched_for_by_nobody(filled: Shelf) -> None:
    path = next((filled.home / "records").rglob("global/**/*.md"))
    text = path.read_text(encoding="utf-8")
    assert 'trust: "verified"' in text
    path.write_text(text.replace("Thursdays", "Fridays"), encoding="utf-8")
    filled.database.close()
    (filled.home / "memex.db").unlink()

    rebuild.from_files(filled.home)

    with filled.database.read() as db:
        found = records.by_number(db, records.number(db, path.stem) or 0)
    assert (found.author, found.trust) == (Author.FILE, Trust.UNTRUSTED)
    assert found.body_sha256 == sheet.body_digest(found.body)
    assert found.tokens > 0


def test_withdrawn_values_stay_withdrawn(shelf: Shelf) -> None:
    stale = shelf.put(make_record(body="withdrawn later"))
    lifted = shelf.put(make_record(body="lifted again"))
    retracted = shelf.put(make_record(body="withdrawn", status=Status.RETRACTED))
    shelf.drain()
    grave = Tombstone("", "w:w1", None, "why", "cli", "memex-mcp", NOON)
    with shelf.database.write() as db:
        tombstones.bury(db, replace(grave, value_key=stale.value_key, refused=3))
        tombstones.bury(db, replace(grave, value_key=lifted.value_key))
        tombstones.lift(db, lifted.value_key, LATER)
        tombstones.bury(db, replace(grave, value_key="erased"))
    shelf.drain()
    shelf.database.close()
    (shelf.home / "memex.db").unlink()

    report = rebuild.from_files(shelf.home)

    assert report.tombstones == 4
    with shelf.database.read() as db:
        for key in (stale.value_key, retracted.value_key, "erased"):
            assert tombstones.standing(db, [key]) is not None
        assert tombstones.standing(db, [lifted.value_key]) is None
        status = dict(map(tuple, db.execute("SELECT id, status FROM record")))
    assert status[stale.id] == status[retracted.id] == Status.RETRACTED
    assert status[lifted.id] == Status.ACTIVE


def test_tombstones_of_a_readable_database_keep_their_reasons(filled: Shelf) -> None:
    with filled.database.write() as db:
        tombstones.bury(db, Tombstone("k", "w:w1", None, "why", "cli", "memex-mcp", NOON))
    filled.drain()
    (filled.home / graves.NAME).unlink()

    rebuild.from_files(filled.home)

    with filled.database.read() as db:
        grave = tombstones.standing(db, ["k"])
    assert grave is not None
    assert grave.reason == "why"


def test_erased_record_with_its_file_still_queued_does_not_return(filled: Shelf) -> None:
    path = next((filled.home / "records").rglob("global/**/*.md"))
    record = sheet.parse(path.read_bytes()).record
    filled.erase(record)

    report = rebuild.from_files(filled.home)

    assert report.records == 4
    assert not path.exists()


def test_copies_and_clashing_keys_are_set_aside(shelf: Shelf) -> None:
    record = shelf.put(make_record(body="one", dedupe_key="key"))
    shelf.drain()
    path = shelf.file(record)
    other = sheet.Sheet(record=make_record(body="two", dedupe_key="key"), workspace_name="w1")
    (path.parent / f"{other.record.id}.md").write_bytes(sheet.render(other))
    elsewhere = path.parent.parent / "2026-12"
    elsewhere.mkdir()
    (elsewhere / path.name).write_bytes(path.read_bytes())
    (path.parent / "renamed.md").write_bytes(path.read_bytes())
    shelf.database.close()
    (shelf.home / "memex.db").unlink()

    report = rebuild.from_files(shelf.home)

    assert report.records == 1
    assert len(report.quarantined) == 3
    assert len(shelf.quarantine()) == 3


def test_broken_audit_trail_begins_anew_and_stays_in_the_backup(filled: Shelf) -> None:
    with filled.database.write() as db:
        db.execute("DROP TRIGGER audit_is_append_only_u")
        db.execute("UPDATE audit SET action = 'nothing' WHERE seq = 2")

    report = rebuild.from_files(filled.home)

    assert not report.audit_kept
    assert [row[7] for row in rows(filled.home)["audit"]] == ["rebuild"]
    with sqlite3.connect(filled.home / report.backup) as copy:
        assert copy.execute("SELECT action FROM audit WHERE seq = 2").fetchone() == ("nothing",)
    copy.close()


_KILLED = """
import os, signal, sys
from pathlib import Path
from memex_mcp.store import rebuild

def watch(event, args):
    if event == sys.argv[2] and any(sys.argv[3] in str(a) for a in args):
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
rebuild.from_files(Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
@pytest.mark.parametrize(
    ("event", "what"),
    [
        pytest.param("sqlite3.connect", "memex.db.new", id="before it is built"),
        pytest.param("open", "records/", id="while files are read"),
        pytest.param("sqlite3.connect", "before-rebuild", id="built, not in place"),
    ],
)
def test_killed_rebuild_leaves_the_old_database(filled: Shelf, event: str, what: str) -> None:
    before = rows(filled.home)
    filled.database.close()

    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(filled.home), event, what], check=False
    )

    assert done.returncode == -signal.SIGKILL
    assert rows(filled.home) == before
    assert rebuild.from_files(filled.home).records == 5
    assert not (filled.home / "memex.db.new").exists()


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_killed_while_a_lost_database_is_replaced_can_be_run_again(filled: Shelf) -> None:
    filled.database.close()
    (filled.home / "memex.db").write_bytes(b"garbage" * 1000)

    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(filled.home), "os.rename", "memex.db.new"], check=False
    )

    assert done.returncode == -signal.SIGKILL
    assert (filled.home / "memex.db").read_bytes() == b"garbage" * 1000
    assert rebuild.from_files(filled.home).records == 5


def test_open_store_sees_the_rebuilt_database(filled: Shelf) -> None:
    with filled.database.read() as db:
        before = db.execute("SELECT count(*) FROM record").fetchone()[0]
    rebuild.from_files(filled.home)

    with filled.database.read() as db:
        assert db.execute("SELECT count(*) FROM record").fetchone()[0] == before
        assert db.execute("SELECT count(*) FROM audit").fetchone()[0] == 6
    added = filled.put(make_record(body="after"))
    filled.drain()
    assert sheet.parse(filled.file(added).read_bytes()).record == added


def test_rebuild_waits_its_turn(filled: Shelf) -> None:
    filled.database.close()

    with FileLock(filled.home / "lock"), pytest.raises(Unavailable):
        rebuild.from_files(filled.home, timeout=0.05)

    assert rebuild.from_files(filled.home, timeout=0.05).records == 5


def test_nothing_becomes_an_empty_store(tmp_path: Path) -> None:
    assert rebuild.from_files(tmp_path / "store") == rebuild.Report(
        records=0, revisions=0, tombstones=0
    )
    database = Database(tmp_path / "store")
    Shelf(database).put(make_record())
    database.close()


def test_files_are_written_anew_from_the_database(filled: Shelf) -> None:
    kept = {path: path.read_bytes() for path in (filled.home / "records").rglob("*.md")}
    paths = sorted(kept)
    paths[0].unlink()
    paths[1].write_bytes(b"damaged")
    paths[2].write_bytes(kept[paths[2]].replace(b"---\n", b"---\nmine: 1\n", 1) + b"edited")
    history = next(path for path in paths if path.parent.name.endswith(".history"))
    history.write_bytes(b"damaged")
    stray = paths[0].with_name("stray.md")
    stray.write_text("---\nid: x\n---\n", encoding="utf-8")

    assert rebuild.files(filled.database) == 5

    now_there = {path: path.read_bytes() for path in (filled.home / "records").rglob("*.md")}
    assert now_there == kept
    assert filled.queue() == []
    aside = [path.read_bytes() for path in (filled.home / "quarantine").glob("*.md")]
    assert b"---\nid: x\n---\n" in aside
    assert filled.take() == []


def test_rebuilding_the_files_twice_changes_nothing(filled: Shelf) -> None:
    rebuild.files(filled.database)
    before = listing(filled.home / "records", folders=False)

    rebuild.files(filled.database)

    assert listing(filled.home / "records", folders=False) == before
