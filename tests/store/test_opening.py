import os
import shutil
import stat
from pathlib import Path

import pytest

from memex_mcp.errors import Damaged, Unavailable
from memex_mcp.model.ids import new_id
from memex_mcp.store.database import Database
from tests.store.using import finish, heard, insert, keys, keys_anew, put, python

posix = pytest.mark.skipif(os.name == "nt", reason="modes and signals are POSIX")


def test_nothing_is_touched_before_first_use(tmp_path: Path) -> None:
    database = Database(tmp_path / "store")
    database.close()

    assert not (tmp_path / "store").exists()
    assert keys(database) == []
    database.close()
    assert (tmp_path / "store" / "memex.db").exists()


@posix
def test_the_store_is_private_whatever_the_umask_and_says_what_it_is(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "store"
    database = Database(home)
    before = os.umask(0)
    try:
        put(database, "a")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
    finally:
        os.umask(before)
        database.close()

    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert modes == dict.fromkeys(
        ["README.md", "lock", "memex.db", "memex.db-shm", "memex.db-wal"], 0o600
    )
    told = (home / "README.md").read_text(encoding="utf-8")
    assert all(word in told for word in ("memex-mcp list", "back up", "remove", "you alone"))


@posix
def test_a_loose_folder_is_closed_and_a_readme_that_is_there_is_kept(tmp_path: Path) -> None:
    home = tmp_path / "store"
    home.mkdir()
    home.chmod(0o755)
    (home / "README.md").write_text("mine", encoding="utf-8")
    (home / "memex.db").touch(0o644)

    put(database := Database(home), "a")
    database.close()

    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "memex.db").stat().st_mode) == 0o600
    assert (home / "README.md").read_text(encoding="utf-8") == "mine"


@posix
def test_a_folder_that_is_shared_on_purpose_stays_open_and_the_files_do_not(
    tmp_path: Path,
) -> None:
    home = tmp_path / "shared"
    home.mkdir()
    home.chmod(0o1777)

    put(database := Database(home), "a")
    database.close()

    assert stat.S_IMODE(home.stat().st_mode) == 0o1777
    assert stat.S_IMODE((home / "memex.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("gone", ["folder", "files"])
def test_a_store_removed_under_a_running_program_is_not_made_again_by_it(
    database: Database, gone: str
) -> None:
    put(database, "a")
    shutil.rmtree(database.home)
    if gone == "files":
        database.home.mkdir()

    for use in (keys, lambda opened: put(opened, "b")):
        with pytest.raises(Unavailable, match="was removed"):
            use(database)
    database.close()

    assert [*database.home.parent.rglob("*")] == ([database.home] if gone == "files" else [])
    # What starts now begins a store, and then the other one goes on in it.
    put(fresh := Database(database.home), "c")
    fresh.close()
    assert keys(database) == ["c"]


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 8000])
def test_garbage_in_place_of_the_database_is_damaged_and_kept(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "memex.db").write_bytes(content)
    database = Database(tmp_path)

    with pytest.raises(Damaged, match="damaged"):
        put(database, "a")
    with pytest.raises(Damaged, match="damaged"):
        keys(database)
    database.close()

    assert (tmp_path / "memex.db").read_bytes() == content
    (tmp_path / "memex.db").unlink()
    put(database, "a")
    assert keys(database) == ["a"]
    database.close()


def test_a_page_that_went_bad_is_damaged_where_it_is_read(database: Database) -> None:
    with database.write() as db:
        for number in range(2000):
            insert(db, f"{number:04}")
        root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'setting'").fetchone()[0]
    database.close()
    with (database.home / "memex.db").open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xff" * 4096)

    with pytest.raises(Damaged):
        keys(database)
    with database.read() as db:
        assert db.execute("SELECT count(*) FROM record").fetchone()[0] == 0


def test_a_folder_in_place_of_the_database_or_a_file_in_place_of_the_folder_is_unavailable(
    tmp_path: Path,
) -> None:
    (tmp_path / "a" / "memex.db").mkdir(parents=True)
    (tmp_path / "b").write_text("a file", encoding="utf-8")

    for name in ("a", "b"):
        with pytest.raises(Unavailable) as caught:
            put(Database(tmp_path / name), "a")
        assert str(tmp_path) not in caught.value.told()

    assert (tmp_path / "b").read_text(encoding="utf-8") == "a file"
    put(database := Database(tmp_path / "c"), "a")
    assert keys(database) == ["a"]
    database.close()


@pytest.mark.parametrize("how", ["no file", "empty file", "empty store"])
def test_an_empty_database_beside_record_files_is_damaged_and_says_how_to_mend_it(
    tmp_path: Path, how: str
) -> None:
    if how == "empty file":
        (tmp_path / "memex.db").touch()
    if how == "empty store":
        assert keys_anew(tmp_path) == []
    folder = tmp_path / "records" / "w1" / "l3" / "2026-11"
    folder.mkdir(parents=True)
    (folder / "notes.md").write_text("by hand", encoding="utf-8")
    assert keys_anew(tmp_path) == []
    if how == "no file":
        (tmp_path / "memex.db").unlink()
    (folder / f"{new_id()}.md").write_text("---\n---\n", encoding="utf-8")

    for use in (keys, lambda database: put(database, "a")):
        with pytest.raises(Damaged) as caught:
            use(Database(tmp_path))
        assert caught.value.hint == "Run `memex-mcp rebuild --from-files`."


def test_record_files_that_wait_for_their_removal_are_no_damage(database: Database) -> None:
    folder = database.home / "records"
    with database.write() as db:
        db.execute("INSERT INTO mirror_queue VALUES ('r', 1)")
    database.close()
    folder.mkdir()
    (folder / f"{new_id()}.md").touch()

    assert keys(database) == []


def test_a_full_disk_is_unavailable_and_the_store_goes_on_when_there_is_room(
    database: Database,
) -> None:
    put(database, "a")

    with pytest.raises(Unavailable, match="disk is full"), database.write() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count={pages}")
        insert(db, "b" * 100_000)
    with database.write() as db:
        db.execute("PRAGMA max_page_count=1000000")
        insert(db, "c")

    assert keys(database) == ["a", "c"]


@posix
def test_a_disk_without_room_for_a_new_store_is_unavailable(tmp_path: Path) -> None:
    script = """
import pathlib, resource, sys
from memex_mcp.errors import Unavailable
from memex_mcp.store.database import Database
room = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), room[1]))
try:
    with Database(pathlib.Path(sys.argv[1])).write(): pass
except Unavailable as error:
    print(error.code)
else:
    print("fine")
resource.setrlimit(resource.RLIMIT_FSIZE, room)
"""
    for limit, expected in ((100, "unavailable"), (20_000, "unavailable"), (10_000_000, "fine")):
        child = python(script, tmp_path / "store", limit)
        assert heard(child) == expected
        assert finish(child) == 0
