"""Each planted fault is one finding with a way out; looking changes nothing."""

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from memex_mcp.model.kinds import Author, Status
from memex_mcp.store import index, rebuild
from memex_mcp.store.database import Database
from memex_mcp.store.inspect import Finding, examine
from tests.make import make_record
from tests.store.shelf import Shelf, listing, put_odd

_FIX = re.compile(r"memex-mcp rebuild --(index|files|from-files)|chmod (600|700) .+")


@pytest.fixture
def shelf(tmp_path: Path) -> Generator[Shelf]:
    database = Database(tmp_path / "store")
    made = Shelf(database)
    for number in range(3):
        record = made.put(make_record(body=f"body {number}"))
        made.revise(record, make_record(id=record.id, body=f"new {number}", version=2))
    made.drain()
    yield made
    database.close()


def faults(shelf: Shelf) -> list[Finding]:
    """What is wrong with a store that this process has closed."""
    shelf.database.close()
    return faults_in(shelf.home)


def faults_in(home: Path) -> list[Finding]:
    """What is wrong, after making sure that looking changed nothing."""
    before = listing(home)
    found = examine(home)
    assert listing(home) == before
    for finding in found:
        assert str(home) not in finding.detail + finding.fix
        assert bool(finding.fix) is not finding.ok
    return [finding for finding in found if not finding.ok]


def a_file(shelf: Shelf) -> Path:
    return next(
        path
        for path in (shelf.home / "records").rglob("*.md")
        if not path.parent.name.endswith(".history")
    )


def test_sound_store_has_no_fault_and_tells_what_was_checked(shelf: Shelf) -> None:
    shelf.database.close()

    assert faults(shelf) == []
    assert [finding.check for finding in examine(shelf.home)] == [
        *("permissions", "database", "schema", "records", "index", "audit", "queue", "files"),
        *("review", "switches", "quarantine", "versions", "tokens"),
    ]
    assert f"SQLite {sqlite3.sqlite_version}" in examine(shelf.home)[-2].detail


def test_missing_store_is_no_fault_and_is_not_made(tmp_path: Path) -> None:
    assert faults_in(tmp_path / "none") == []
    assert not (tmp_path / "none").exists()
    assert examine(tmp_path / "none")[0].detail == "there is no store yet"


def test_empty_folder_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir(mode=0o700)

    assert faults_in(tmp_path / "store") == []
    assert list((tmp_path / "store").iterdir()) == []


@pytest.mark.parametrize("data", [b"garbage" * 1000, b"", None], ids=["garbage", "empty", "gone"])
def test_lost_database_is_one_fault(shelf: Shelf, data: bytes | None) -> None:
    shelf.database.close()
    path = shelf.home / "memex.db"
    path.unlink() if data is None else path.write_bytes(data)

    (found,) = faults(shelf)

    assert (found.check, found.fix) == ("database", "memex-mcp rebuild --from-files")


def test_damaged_pages_are_told(shelf: Shelf) -> None:
    with shelf.database.read() as db:
        page = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'record'").fetchone()[0]
    shelf.database.close()
    with (shelf.home / "memex.db").open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)

    assert "database" in {finding.check for finding in faults(shelf)}


def test_store_without_its_records_is_told(shelf: Shelf) -> None:
    with shelf.database.write() as db:
        db.execute("DELETE FROM record")
        db.execute("DELETE FROM mirror_file")
    rebuild_index(shelf)
    shelf.database.close()

    assert Finding(
        check="records",
        ok=False,
        detail="the database is empty but the record files are not",
        fix="memex-mcp rebuild --from-files",
    ) in faults(shelf)


def rebuild_index(shelf: Shelf) -> None:
    with shelf.database.write() as db:
        index.rebuild(db)


def test_missing_file_is_told_by_its_record(shelf: Shelf) -> None:
    path = a_file(shelf)
    path.unlink()

    (found,) = faults(shelf)

    assert found == Finding(
        check="files",
        ok=False,
        detail=f"{path.stem} has no file",
        fix="memex-mcp rebuild --files",
    )
    rebuild.files(shelf.database)
    assert faults(shelf) == []


def test_missing_history_file_is_told(shelf: Shelf) -> None:
    path = a_file(shelf)
    (path.with_name(f"{path.stem}.history") / "1.md").unlink()

    (found,) = faults(shelf)

    assert found.detail == f"version 1 of {path.stem} has no file"
    rebuild.files(shelf.database)
    assert faults(shelf) == []


@pytest.mark.parametrize("name", ["mine.md", f"{'0' * 26}.md", f"{'0' * 26}.history/1.md"])
def test_orphan_file_is_told_by_its_name(shelf: Shelf, name: str) -> None:
    path = a_file(shelf).parent / name
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text("text", encoding="utf-8")
    path.chmod(0o600)

    (found,) = faults(shelf)

    assert found.detail == f"{path.relative_to(shelf.home).as_posix()} belongs to no record"
    rebuild.files(shelf.database)
    assert [finding.check for finding in faults(shelf)] == ["quarantine"]


@pytest.mark.parametrize("how", ["edited", "damaged", "of no version"])
def test_changed_file_of_a_past_version_is_told_and_kept_aside(shelf: Shelf, how: str) -> None:
    path = a_file(shelf)
    past = path.with_name(f"{path.stem}.history") / "1.md"
    written = past.read_bytes()
    changed = {"edited": written.replace(b"body", b"nobody"), "damaged": b"x"}.get(how, written)
    place = past.with_name("9.md") if how == "of no version" else past
    place.touch(0o600)
    place.write_bytes(changed)

    (found,) = faults(shelf)

    assert found.detail.startswith(place.relative_to(shelf.home).as_posix())
    assert ("belongs to no version" in found.detail) is (how == "of no version")
    assert (found.check, found.fix) == ("files", "memex-mcp rebuild --files")
    rebuild.files(shelf.database)
    assert past.read_bytes() == written
    assert [text.encode() for text in shelf.quarantine()] == [changed]
    assert [finding.check for finding in faults(shelf)] == ["quarantine"]


def test_past_version_that_is_laid_out_differently_is_no_fault(shelf: Shelf) -> None:
    path = a_file(shelf)
    past = path.with_name(f"{path.stem}.history") / "1.md"
    first, last = past.read_text(encoding="utf-8").split("\nscope:")
    past.write_text(f"---\nscope:{last}".replace("\n---", f"{first[3:]}\n---", 1), encoding="utf-8")

    assert faults(shelf) == []
    past.write_text(past.read_text(encoding="utf-8") + "more", encoding="utf-8")
    assert len(faults(shelf)) == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes and links in folders are POSIX")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["pipe", "socket", "link", "folder"])
def test_what_has_the_name_of_a_record_file_and_is_none_is_told_and_never_read(
    shelf: Shelf, kind: str
) -> None:
    path = a_file(shelf)
    past = path.with_name(f"{path.stem}.history") / "1.md"
    past.unlink()
    for place in (past, path.with_name("x.md")):
        put_odd(place, kind)

    found = faults(shelf)

    what = {"link": "a link", "folder": "a folder"}.get(kind, "no file")
    told = [one.detail for one in found if one.check == "files"]
    names = [place.relative_to(shelf.home).as_posix() for place in (past, path.with_name("x.md"))]
    assert told[:2] == [f"{name} is {what}, which is never read" for name in names]
    assert told[2:] == [f"version 1 of {path.stem} has no file"]
    assert shelf.take() == []
    rebuild.files(shelf.database)
    assert {finding.check for finding in faults(shelf)} == {"quarantine"}


def test_hand_edits_that_wait_for_a_person_are_told_by_their_ids(shelf: Shelf) -> None:
    by_file = [
        shelf.put(make_record(body=f"edit {n}", status=Status.CANDIDATE, author=Author.FILE))
        for n in range(2)
    ]
    shelf.put(make_record(body="an agent's", status=Status.CANDIDATE))
    shelf.put(make_record(body="taken", author=Author.FILE))
    shelf.drain()

    (found,) = faults(shelf)

    ids = ", ".join(sorted(record.id for record in by_file))
    assert (found.check, found.detail) == ("review", f"2 hand edits wait for your review: {ids}")
    assert "memex-mcp set-status ID active" in found.fix


def test_changed_file_is_told_by_its_name(shelf: Shelf) -> None:
    path = a_file(shelf)
    path.write_bytes(path.read_bytes() + b"\nmore")

    (found,) = faults(shelf)

    assert found.detail == f"{path.relative_to(shelf.home).as_posix()} was changed by hand"
    assert found.fix == "memex-mcp rebuild --files"


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
@pytest.mark.parametrize(
    ("name", "mode", "fix"),
    [
        pytest.param("memex.db", 0o644, "chmod 600 memex.db", id="database"),
        pytest.param("records", 0o755, "chmod 700 records", id="folder"),
        pytest.param(".", 0o750, "chmod 700 on the store folder", id="store"),
    ],
)
def test_loose_permission_is_told(shelf: Shelf, name: str, mode: int, fix: str) -> None:
    (shelf.home / name).chmod(mode)

    (found,) = faults(shelf)

    assert (found.check, found.fix) == ("permissions", fix)
    (shelf.home / name).chmod(mode & 0o700)
    assert faults(shelf) == []


def test_broken_audit_trail_is_told_by_its_row(shelf: Shelf) -> None:
    with shelf.database.write() as db:
        db.execute("DROP TRIGGER audit_is_append_only_u")
        db.execute("UPDATE audit SET client = 'nobody' WHERE seq = 2")

    (found,) = faults(shelf)

    assert (found.check, found.fix) == ("audit", "memex-mcp rebuild --from-files")
    assert "row 2" in found.detail
    shelf.database.close()
    rebuild.from_files(shelf.home)
    assert faults(shelf) == []


def test_missing_index_row_is_told(shelf: Shelf) -> None:
    with shelf.database.write() as db:
        db.execute("DELETE FROM card_index_docsize WHERE id = 1")

    found = faults(shelf)

    assert {(finding.check, finding.fix) for finding in found} == {
        ("index", "memex-mcp rebuild --index")
    }
    rebuild_index(shelf)
    assert faults(shelf) == []


def test_index_of_another_analyzer_is_told(shelf: Shelf) -> None:
    with shelf.database.write() as db:
        db.execute("UPDATE meta SET value = 'other' WHERE key = 'analyzer_version'")

    (found,) = faults(shelf)

    assert (found.check, found.fix) == ("index", "memex-mcp rebuild --index")


def test_damaged_body_is_told_by_its_record(shelf: Shelf) -> None:
    record_id = a_file(shelf).stem
    with shelf.database.write() as db:
        db.execute(
            "UPDATE body SET data = x'00' WHERE record_n = (SELECT n FROM record WHERE id = ?)",
            (record_id,),
        )

    (found,) = faults(shelf)

    assert found == Finding(
        check="records",
        ok=False,
        detail=f"the body of {record_id} is damaged",
        fix="memex-mcp rebuild --from-files",
    )


def test_queue_that_was_left_is_one_fault(shelf: Shelf) -> None:
    shelf.put(make_record(body="waits"))
    shelf.put(make_record(body="waits too"))

    (found,) = faults(shelf)

    assert (found.check, found.fix) == ("queue", "memex-mcp rebuild --files")
    assert found.detail.startswith("2 records")
    shelf.drain()
    assert faults(shelf) == []


def test_quarantined_file_is_told_with_its_reason(shelf: Shelf) -> None:
    a_file(shelf).write_bytes(b"damaged")
    shelf.take()

    (found,) = faults(shelf)

    assert found.check == "quarantine"
    assert "front matter" in found.detail
    for path in (shelf.home / "quarantine").iterdir():
        path.unlink()
    assert faults(shelf) == []


def test_many_faults_are_told_in_twenty_lines_and_a_count(shelf: Shelf) -> None:
    folder = a_file(shelf).parent
    for number in range(30):
        (folder / f"x{number}.md").touch(mode=0o600)

    found = faults(shelf)

    assert len(found) == 21
    assert found[-1].detail == "and 10 more"


def test_newer_schema_is_told(shelf: Shelf) -> None:
    with shelf.database.write() as db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    shelf.database.close()

    (found,) = faults(shelf)

    assert "newer memex" in found.detail


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
@pytest.mark.parametrize("shared_memory", [True, False])
def test_store_of_a_killed_process_is_read_without_mending_it(
    shelf: Shelf, shared_memory: bool
) -> None:
    shelf.database.close()
    code = """
import os, sys
from pathlib import Path
from memex_mcp.store.database import Database
with Database(Path(sys.argv[1])).write() as db:
    db.execute("INSERT INTO mirror_queue VALUES ('gone', 1)")
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", code, str(shelf.home)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (shelf.home / "memex.db-wal").stat().st_size > 0
    if not shared_memory:
        (shelf.home / "memex.db-shm").unlink()

    (found,) = faults(shelf)

    assert found.detail.startswith("1 records wait")


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be read there")
def test_store_in_use_is_looked_at_without_a_trace(shelf: Shelf) -> None:
    shelf.database.close()
    code = """
import sys
from pathlib import Path
from memex_mcp.store.database import Database
database = Database(Path(sys.argv[1]))
with database.write() as db:
    db.execute("INSERT INTO mirror_queue VALUES ('one', 1)")
print("open", flush=True)
sys.stdin.readline()
with database.write() as db:
    db.execute("INSERT INTO mirror_queue VALUES ('two', 1)")
"""
    with subprocess.Popen(
        [sys.executable, "-c", code, str(shelf.home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as user:
        assert user.stdout is not None
        assert user.stdout.readline() == "open\n"
        (during,) = faults_in(shelf.home)
        user.communicate("\n", timeout=30)

    (after,) = faults(shelf)
    assert [finding.detail[:9] for finding in (during, after)] == ["1 records", "2 records"]


def test_fixes_name_commands_that_exist(shelf: Shelf) -> None:
    shelf.put(make_record(body="waits"))
    path = a_file(shelf)
    path.unlink()
    (shelf.home / "records").chmod(0o755)
    with contextlib.suppress(FileNotFoundError):
        (shelf.home / "backups").rmdir()

    found = faults(shelf)

    assert len(found) == 3
    for finding in found:
        assert _FIX.fullmatch(finding.fix)
