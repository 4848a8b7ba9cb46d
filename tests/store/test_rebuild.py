"""Files from the database and the database from files: either is enough."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memex_mcp.errors import Damaged, Unavailable
from memex_mcp.model.kinds import Author, Kind, Relation, Scope, Status, Surface, Trust
from memex_mcp.model.record import Link, Record
from memex_mcp.policy.keys import value_key
from memex_mcp.store import (
    audit,
    index,
    inspect,
    links,
    rebuild,
    records,
    revisions,
    sheet,
    tombstone_file,
    tombstones,
)
from memex_mcp.store.database import Database
from memex_mcp.store.lock import FileLock
from memex_mcp.store.tombstones import Tombstone
from tests.make import NOON, make_record
from tests.store.shelf import Shelf, listing, put_odd

KEY = "ghp_" + "a1B2" * 9
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
        tombstone = Tombstone(
            third.value_key, third.owner, third.id, "", "cli", "memex-mcp", third.times.updated_at
        )
        tombstones.bury(db, tombstone)
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


def unproven(found: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Rows of records as files alone give them back: no person stands behind any."""
    words: dict[object, object] = {"human": "file", "verified": "untrusted"}
    return [tuple(words.get(value, value) for value in row) for row in found]


def forge(shelf: Shelf, record: Record, **over: object) -> Path:
    """Write a record's file with other fields and everything in it that can be computed."""
    path = shelf.file(record)
    page = sheet.parse(path.read_bytes())
    card = {name: over.pop(name) for name in [*over] if hasattr(record.card, name)}
    changed = replace(page.record, **over)  # type: ignore[arg-type]  # fields by their names
    changed = replace(changed, card=replace(changed.card, **card))  # type: ignore[arg-type]  # too
    changed = replace(changed, body_sha256=sheet.body_digest(changed.body))
    path.write_bytes(sheet.render(replace(page, record=changed)))
    return path


def lose(shelf: Shelf) -> None:
    shelf.database.close()
    (shelf.home / "memex.db").unlink()


def found(shelf: Shelf, record: Record) -> Record:
    with shelf.database.read() as db:
        record_ = records.by_id(db, record.id)
    assert record_ is not None
    return record_


def bury(shelf: Shelf, owner: str, text: str) -> None:
    tombstone = Tombstone(value_key(owner, text), owner, None, "", "cli", "memex-mcp", NOON)
    with shelf.database.write() as db:
        tombstones.bury(db, tombstone)
    shelf.drain()


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

    assert rows(filled.home, without=lost) == {**before, "record": unproven(before["record"])}
    assert (report.records, report.revisions, report.tombstones) == (5, 2, 1)
    assert (report.unverified, report.from_database, report.quarantined, report.audit_kept) == (
        1,
        0,
        (),
        False,
    )
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

    after = rows(filled.home, without=("audit", "session"))
    assert after["record"] == unproven(before["record"])
    log = filled.home / "memex.db-wal"
    assert not log.exists() or log.read_bytes() != b"old log"


def test_damaged_file_is_set_aside_and_its_record_taken_from_the_database(filled: Shelf) -> None:
    before = rows(filled.home, without=("audit",))
    path = next((filled.home / "records").rglob("l2/**/*.md"))
    path.write_bytes(b"\xff\xfe damaged")

    report = rebuild.from_files(filled.home)

    assert report.from_database == 1
    assert ["not UTF-8" in line for line in report.quarantined] == [True]
    assert rows(filled.home, without=("audit",)) == before
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


def test_files_younger_than_a_readable_database_are_edits_and_strays(shelf: Shelf) -> None:
    first = shelf.put(make_record(body="first"))
    shelf.drain()
    shelf.database.close()
    older = (shelf.home / "memex.db").read_bytes()
    times = replace(first.times, updated_at=LATER)
    shelf.revise(first, make_record(id=first.id, body="second", version=2, times=times))
    made_later = shelf.put(make_record(body="made later"))
    shelf.drain()
    stray = shelf.file(made_later).read_text(encoding="utf-8")
    shelf.database.close()
    (shelf.home / "memex.db").write_bytes(older)

    report = rebuild.from_files(shelf.home)

    assert (report.records, report.revisions, report.unverified) == (1, 1, 0)
    taken = found(shelf, first)
    assert (taken.body, taken.version, taken.author) == ("second", 2, Author.FILE)
    assert ["knows no record of that id" in line for line in report.quarantined] == [True]
    assert shelf.quarantine() == [stray]
    assert shelf.take() == []


def test_forged_marks_beside_a_readable_database_are_not_read(shelf: Shelf) -> None:
    record, other = shelf.put(make_record(body="Port 80.")), shelf.put(make_record(body="Port 81."))
    shelf.drain()
    marks: dict[str, Any] = {
        "author": Author.HUMAN,
        "trust": Trust.VERIFIED,
        "status": Status.DISPUTED,
        "scope": Scope.GLOBAL,
        "workspace_id": "",
        "surface": Surface.CLI,
        "client": "memex-mcp",
        "version": 5,
    }
    forge(shelf, record, **marks)

    report = rebuild.from_files(shelf.home)
    assert report.revisions == 0
    assert ["cannot be changed in a file" in line for line in report.quarantined] == [True]
    assert ["verified" in text for text in shelf.quarantine()] == [True]
    assert found(shelf, record) == record
    assert sheet.parse(shelf.file(record).read_bytes()).record == record
    forge(shelf, record, **marks, body=f"Port 443, key {KEY}.", tags=(KEY,))
    report = rebuild.from_files(shelf.home)

    taken = found(shelf, record)
    assert (taken.author, taken.trust, taken.status) == ("file", "untrusted", "active")
    assert (taken.owner, taken.version) == (record.owner, 2)
    assert (taken.surface, taken.client) == (Surface.IMPORT, "file")
    assert taken.body == "Port 443, key [MASKED:github-token]."
    assert KEY not in repr(taken)
    assert (report.revisions, report.unverified) == (1, 0)
    told = "scope, workspace_id, status cannot be changed in a file"
    assert [told in line for line in report.quarantined] == [True]
    assert found(shelf, other) == other
    assert [row[7] for row in rows(shelf.home)["audit"]][-2:] == ["revise", "rebuild"]
    assert KEY not in shelf.file(record).read_text(encoding="utf-8")
    assert shelf.take() == []


def test_secrets_stay_where_the_settings_say_so(shelf: Shelf) -> None:
    kept, edited = shelf.put(make_record(body=f"Key {KEY}.")), shelf.put(make_record(body="Key?"))
    shelf.drain()
    forge(shelf, edited, body=f"The key: {KEY}")

    rebuild.from_files(shelf.home, secrets="off")
    assert found(shelf, edited).body == f"The key: {KEY}"
    with shelf.database.read() as db:
        reasons = [row[0] for row in db.execute("SELECT reason FROM audit WHERE reason <> ''")]
    assert reasons == ["secrets are not masked"]
    lose(shelf)
    rebuild.from_files(shelf.home, secrets="off")
    assert found(shelf, kept).body == f"Key {KEY}."
    lose(shelf)
    rebuild.from_files(shelf.home)

    assert found(shelf, kept).body == "Key [MASKED:github-token]."


def test_edit_of_what_a_person_verified_is_kept_aside(filled: Shelf) -> None:
    path = next((filled.home / "records").rglob("global/**/*.md"))
    before = path.read_bytes()
    record = sheet.parse(before).record
    forge(filled, record, body="The release branch is cut on Fridays.")

    report = rebuild.from_files(filled.home)

    assert ["a person stands behind" in line for line in report.quarantined] == [True]
    assert ["Fridays" in text for text in filled.quarantine()] == [True]
    assert (found(filled, record), report.unverified) == (record, 0)
    assert path.read_bytes() == before


@pytest.mark.parametrize("how", ["withdrawn", "said by another", "retracted", "too long"])
def test_edit_that_the_gate_would_refuse_is_kept_aside(shelf: Shelf, how: str) -> None:
    status = Status.RETRACTED if how == "retracted" else Status.ACTIVE
    record, sound = shelf.put(make_record(status=status)), shelf.put(make_record(body="sound"))
    shelf.put(make_record(body="Port 80."))
    shelf.drain()
    if how == "withdrawn":
        bury(shelf, "global", "port 80.")
    body = {"retracted": "Port 90.", "too long": "port " * 3000}.get(how, "Port 80.")
    forge(shelf, record, body=body)
    forge(shelf, sound, body="sound, too")

    report = rebuild.from_files(shelf.home)

    assert (len(report.quarantined), len(shelf.quarantine())) == (1, 1)
    assert found(shelf, record) == record
    assert found(shelf, sound).body == "sound, too"
    with shelf.database.read() as db:
        refused = [row[0] for row in db.execute("SELECT refused FROM tombstone")]
    assert refused == {"withdrawn": [1], "retracted": []}.get(how, [])


def test_earlier_version_that_a_readable_database_never_had_is_set_aside(filled: Shelf) -> None:
    before = rows(filled.home, without=("audit",))
    history = next(filled.home.rglob("*.history"))
    data = (history / "1.md").read_bytes()
    with filled.database.write() as db:
        db.execute("UPDATE record SET version = 9 WHERE id = ?", (history.stem,))
    (history / "7.md").write_bytes(data)

    report = rebuild.from_files(filled.home)

    assert rows(filled.home, without=("audit",))["revision"] == before["revision"]
    assert [line.split(":")[0] for line in report.quarantined] == [
        (history / "7.md").relative_to(filled.home).as_posix()
    ]


def test_copy_never_takes_the_place_of_the_file_that_was_written(shelf: Shelf) -> None:
    record = shelf.put(make_record())
    shelf.drain()
    path = shelf.file(record)
    copy = shelf.home / "records" / "a" / path.name
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes().replace(b"Thursdays", b"Fridays"))

    report = rebuild.from_files(shelf.home)

    assert [line.split(":")[0] for line in report.quarantined] == [f"records/a/{path.name}"]
    assert found(shelf, record) == record
    assert path.exists()


def test_lost_body_is_only_believed_if_it_is_the_very_one(shelf: Shelf) -> None:
    same = shelf.put(make_record(body="same", trust=Trust.VERIFIED, author=Author.HUMAN))
    other = shelf.put(make_record(body="other", trust=Trust.VERIFIED, author=Author.HUMAN))
    shelf.drain()
    forge(shelf, same, version=7, status=Status.DISPUTED)
    forge(shelf, other, version=7, status=Status.DISPUTED, body=f"forged {KEY}")
    with shelf.database.write() as db:
        db.execute("UPDATE body SET data = x'00'")

    report = rebuild.from_files(shelf.home)

    assert (report.records, report.unverified) == (2, 1)
    assert found(shelf, same) == same
    forged = found(shelf, other)
    assert (forged.body, forged.version) == ("forged [MASKED:github-token]", 2)
    assert (forged.author, forged.trust, forged.status) == ("file", "untrusted", "active")


def test_refusal_younger_than_its_database_still_holds(shelf: Shelf) -> None:
    agents = shelf.put(make_record(body="withdrawn"))
    persons = shelf.put(make_record(body="a person's", trust=Trust.VERIFIED, author=Author.HUMAN))
    shelf.drain()
    shelf.database.close()
    older = (shelf.home / "memex.db").read_bytes()
    for record in (agents, persons):
        bury(shelf, record.owner, record.body)
    shelf.database.close()
    (shelf.home / "memex.db").write_bytes(older)

    report = rebuild.from_files(shelf.home)

    assert (report.tombstones, report.revisions) == (2, 1)
    assert (found(shelf, agents).status, found(shelf, agents).version) == (Status.RETRACTED, 2)
    assert found(shelf, persons) == persons


def test_files_alone_prove_no_person_and_hold_no_secret(shelf: Shelf) -> None:
    words = {name: f"{name} {KEY}" for name in ("title", "summary", "use_when")}
    lists = {name: (f"{name} {KEY}",) for name in ("tags", "aliases", "questions", "entities")}
    lines = {name: f"{name} {KEY}" for name in ("source", "source_version", "branch", "client")}
    secret = shelf.put(make_record(dedupe_key=KEY, **words, **lists, **lines))
    agents = shelf.put(make_record(body="an agent's"))
    human = shelf.put(make_record(body="a person's", author=Author.HUMAN))
    shelf.drain()
    forge(shelf, secret, trust=Trust.VERIFIED, body=f"Key {KEY}")
    lose(shelf)

    report = rebuild.from_files(shelf.home)

    assert report.unverified == 2
    assert KEY not in repr(found(shelf, secret))
    assert found(shelf, secret).body_sha256 == sheet.body_digest("Key [MASKED:github-token]")
    assert found(shelf, agents) == agents
    for record in (secret, human):
        assert (found(shelf, record).author, found(shelf, record).trust) == ("file", "untrusted")
    assert KEY not in shelf.file(secret).read_text(encoding="utf-8")
    assert shelf.take() == []


def test_earlier_versions_from_files_alone_lie_where_their_record_does(filled: Shelf) -> None:
    history = next(filled.home.rglob("*.history"))
    page = sheet.parse((history / "1.md").read_bytes())
    forged = replace(
        page.record, scope=Scope.GLOBAL, workspace_id="", author=Author.HUMAN, trust=Trust.VERIFIED
    )
    (history / "1.md").write_bytes(sheet.render(replace(page, record=forged)))
    lose(filled)

    rebuild.from_files(filled.home)

    with filled.database.read() as db:
        past = revisions.at_version(db, history.stem, 1)
    assert past is not None
    assert (past.owner, past.body) == ("w:w1", "first")
    assert (past.author, past.trust) == (Author.FILE, Trust.UNTRUSTED)


_FIELDS = ["body", "title", "summary", "use_when", "tags", "aliases", "questions"]


@pytest.mark.parametrize("owner", ["s:w1:s1", "w:w1", "global"])
@pytest.mark.parametrize("field", _FIELDS)
def test_withdrawn_value_in_any_field_of_a_file_comes_back_withdrawn(
    shelf: Shelf, field: str, owner: str
) -> None:
    bury(shelf, owner, "the dog is called waldo")
    words = "The dog is called  WALDO"
    value = words if field in _FIELDS[:4] else (words,)
    record = shelf.put(make_record(scope=Scope.SESSION, **{field: value}))
    other = shelf.put(make_record(body=f"It is not so that {words}."))
    elsewhere = shelf.put(make_record(workspace_id="w2", **{field: value}))
    shelf.drain()
    lose(shelf)

    rebuild.from_files(shelf.home)

    assert found(shelf, record).status is Status.RETRACTED
    assert found(shelf, other).status is Status.ACTIVE
    expected = Status.RETRACTED if owner == "global" else Status.ACTIVE
    assert found(shelf, elsewhere).status is expected
    with shelf.database.read() as db:
        assert db.execute("SELECT count(*) FROM tombstone").fetchone()[0] == 1


_OPENED = """
import sys
from pathlib import Path
from memex_mcp.store import rebuild

def tell(event, args):
    if event == "open" and str(args[0]).endswith("memex.db.new") and args[1]:
        print(args[1])
sys.addaudithook(tell)
rebuild.from_files(Path(sys.argv[1]))
"""


def test_what_is_flushed_to_disk_is_open_for_writing(filled: Shelf) -> None:
    lose(filled)

    done = subprocess.run(
        [sys.executable, "-c", _OPENED, str(filled.home)], capture_output=True, check=True
    )

    # Windows flushes no file that is open for reading only.
    assert done.stdout.decode().split() == ["r+"]


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
    tombstone = Tombstone("", "w:w1", None, "why", "cli", "memex-mcp", NOON)
    with shelf.database.write() as db:
        tombstones.bury(db, replace(tombstone, value_key=stale.value_key, refused=3))
        tombstones.bury(db, replace(tombstone, value_key=lifted.value_key))
        tombstones.lift(db, lifted.value_key, LATER)
        tombstones.bury(db, replace(tombstone, value_key="erased"))
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
    (filled.home / tombstone_file.NAME).unlink()

    rebuild.from_files(filled.home)

    with filled.database.read() as db:
        tombstone = tombstones.standing(db, ["k"])
    assert tombstone is not None
    assert tombstone.reason == "why"


def test_tombstones_from_their_file_alone_keep_their_reasons_and_no_secret(shelf: Shelf) -> None:
    grave = Tombstone("k", "w:w1", None, "it was a joke", "cli", "memex-mcp", NOON)
    with shelf.database.write() as db:
        tombstones.bury(db, grave)
        tombstones.bury(db, replace(grave, value_key="l", reason=f"key {KEY}"))
    shelf.drain()
    lose(shelf)

    rebuild.from_files(shelf.home)

    with shelf.database.read() as db:
        known = {one.value_key: one for one in tombstones.listing(db, ["w:w1"])}
    assert known["k"] == grave
    assert known["l"].reason == "key [MASKED:github-token]"
    assert KEY not in (shelf.home / tombstone_file.NAME).read_text(encoding="utf-8")


@pytest.mark.parametrize("lost", [True, False])
def test_unreadable_lines_of_the_tombstone_file_are_counted_and_kept(
    shelf: Shelf, lost: bool
) -> None:
    bury(shelf, "w:w1", "withdrawn")
    path = shelf.home / tombstone_file.NAME
    sound = path.read_bytes()
    path.write_bytes(b"\xff half a li\n" + sound + b"{}\n")
    if lost:
        lose(shelf)

    report = rebuild.from_files(shelf.home)

    assert report.tombstones == 1
    assert report.quarantined == (f"{path.name}: 2 of its 3 lines cannot be read",)
    [aside] = (shelf.home / "quarantine").glob("*.jsonl")
    assert aside.read_bytes() == b"\xff half a li\n{}\n"
    assert path.read_bytes() == sound
    assert rebuild.from_files(shelf.home).quarantined == ()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("how", ["text", "pipe", "folder"])
def test_tombstone_file_without_a_readable_line_is_set_aside(shelf: Shelf, how: str) -> None:
    bury(shelf, "w:w1", "withdrawn")
    lose(shelf)
    path = shelf.home / tombstone_file.NAME
    path.unlink()
    if how == "folder":
        path.mkdir()
    elif how == "text":
        path.write_text("by hand\n", encoding="utf-8")
    elif os.name != "nt":
        os.mkfifo(path)

    report = rebuild.from_files(shelf.home)

    assert (report.tombstones, len(report.quarantined)) == (0, 1)
    assert report.quarantined[0].startswith(f"{path.name}: ")
    assert not path.exists()
    bury(shelf, "w:w1", "withdrawn")
    assert len(tombstone_file.read(shelf.home)) == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes and links in folders are POSIX")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize("kind", ["pipe", "socket", "link", "folder"])
def test_what_is_no_file_is_told_and_does_not_hold_up_a_rebuild(
    shelf: Shelf, kind: str, lost: bool
) -> None:
    sound, taken = shelf.put(make_record(body="sound")), shelf.put(make_record(body="taken"))
    shelf.drain()
    path = shelf.file(taken)
    path.unlink()
    odd = [path, path.with_name("x.md"), shelf.home / "records" / f"{'0' * 26}.md"]
    for place in odd:
        put_odd(place, kind)
    if lost:
        lose(shelf)

    report = rebuild.from_files(shelf.home)

    names = sorted(place.relative_to(shelf.home).as_posix() for place in odd)
    assert sorted(line.partition(":")[0] for line in report.quarantined) == names
    assert report.records == (1 if lost else 2)
    assert found(shelf, sound) == sound
    if not lost:
        assert sheet.parse(path.read_bytes()).record == taken
    assert shelf.take() == []


def test_file_of_a_past_version_that_was_not_taken_as_it_is_is_written_anew(filled: Shelf) -> None:
    history = next(filled.home.rglob("*.history"))
    page = sheet.parse((history / "1.md").read_bytes())
    secret = replace(page.record, body=f"Key {KEY}", author=Author.HUMAN)
    (history / "1.md").write_bytes(sheet.render(replace(page, record=secret)))
    second = (history / "2.md").read_bytes()
    lose(filled)

    rebuild.from_files(filled.home)

    with filled.database.read() as db:
        past = revisions.at_version(db, history.stem, 1)
    assert past is not None
    assert past.body == "Key [MASKED:github-token]"
    assert sheet.parse((history / "1.md").read_bytes()).record == past
    assert (history / "2.md").read_bytes() == second
    filled.database.close()
    assert [finding for finding in inspect.examine(filled.home) if not finding.ok] == []


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
