import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memex_mcp.errors import Conflict, Unavailable
from memex_mcp.store.database import Cancel, Database
from memex_mcp.store.lock import FileLock
from tests.card import card
from tests.store.using import insert, keys, keys_anew, listed, put

ENDLESS = "WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_connections_are_set_up_as_the_store_needs_them(database: Database) -> None:
    def pragma(db: sqlite3.Connection, name: str) -> object:
        return db.execute(f"PRAGMA {name}").fetchone()[0]

    with database.write() as writer, database.read() as reader:
        assert pragma(writer, "journal_mode") == "wal"
        assert pragma(writer, "synchronous") == 1
        assert pragma(writer, "foreign_keys") == 1
        assert pragma(reader, "query_only") == 1
        for db in (writer, reader):
            assert pragma(db, "trusted_schema") == 0
            assert pragma(db, "temp_store") == 2


def test_a_write_is_there_for_the_next_reader_and_after_a_restart(database: Database) -> None:
    put(database, "a")
    assert keys(database) == ["a"]

    database.close()

    assert keys(database) == ["a"]
    assert keys_anew(database.home) == ["a"]


def test_closing_folds_the_log_into_the_database(database: Database) -> None:
    put(database, "a")
    assert (database.home / "memex.db-wal").stat().st_size > 0

    database.close()

    assert sorted(path.name for path in database.home.iterdir()) == [
        "README.md",
        "lock",
        "memex.db",
    ]


@pytest.mark.parametrize("error", [Conflict("x"), KeyboardInterrupt(), GeneratorExit(), KeyError()])
def test_any_exception_undoes_the_whole_write(database: Database, error: BaseException) -> None:
    with pytest.raises(type(error)), database.write() as db:
        insert(db, "lost")
        raise error
    put(database, "kept")

    assert keys(database) == ["kept"]


def test_an_error_in_the_commit_surfaces_and_undoes(database: Database) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), database.write() as db:
        db.execute("PRAGMA defer_foreign_keys=ON")
        insert(db, "lost")
        db.execute("INSERT INTO chunk VALUES (1, 99, 0, 1)")
    put(database, "kept")

    assert keys(database) == ["kept"]


def test_a_writer_that_writes_again_in_its_own_block_is_told_at_once(database: Database) -> None:
    with database.write() as db:
        insert(db, "a")
        with pytest.raises(RuntimeError, match="already"), database.write():
            pass
        with pytest.raises(RuntimeError, match="already"):
            database.close()
    put(database, "b")

    assert keys(database) == ["a", "b"]


def test_another_thread_waits_its_time_and_is_told(tmp_path: Path) -> None:
    database = Database(tmp_path, timeout=0.05)
    told: list[str] = []

    def other() -> None:
        try:
            put(database, "b")
        except Unavailable as error:
            told.append(str(error))

    with database.write() as db:
        insert(db, "a")
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    other()

    assert told == ["another call is writing to the store"]
    assert keys(database) == ["a", "b"]
    database.close()


def test_two_databases_on_one_folder_exclude_each_other(database: Database) -> None:
    put(database, "a")
    second = Database(database.home, timeout=0.05)

    with database.write(), pytest.raises(Unavailable, match="another program"):
        put(second, "b")
    put(second, "c")

    assert keys(database) == ["a", "c"]
    second.close()


def test_reading_a_ready_store_waits_for_nobody_and_making_one_does(database: Database) -> None:
    put(database, "a")
    database.close()
    late = Database(database.home.with_name("new"), timeout=0.05)
    late.home.mkdir(0o700)

    with FileLock(database.home / "lock"), FileLock(late.home / "lock"):
        assert keys(Database(database.home, timeout=0.05)) == ["a"]
        with pytest.raises(Unavailable):
            keys(late)
        with pytest.raises(Unavailable):
            put(Database(database.home, timeout=0.05), "b")

    assert keys(late) == []
    assert keys(database) == ["a"]
    late.close()


def test_reading_a_store_of_an_earlier_schema_waits_for_its_upgrade(database: Database) -> None:
    with database.write() as db:
        db.execute("UPDATE meta SET value = '0' WHERE key = 'schema_version'")
    database.close()
    second = Database(database.home, timeout=0.05)

    with FileLock(database.home / "lock"), pytest.raises(Unavailable, match="another program"):
        keys(second)
    second.close()


def test_a_reader_that_opened_alone_leaves_nothing_behind_and_can_write(
    database: Database,
) -> None:
    put(database, "a")
    database.close()
    before = sorted(path.name for path in database.home.iterdir())

    assert keys(database) == ["a"]
    database.close()
    assert sorted(path.name for path in database.home.iterdir()) == before

    assert keys(database) == ["a"]
    put(database, "b")
    assert keys(database) == ["a", "b"]
    assert keys_anew(database.home) == ["a", "b"]


def test_a_write_can_be_less_patient_than_its_store(database: Database) -> None:
    put(database, "a")

    def inserted(patience: float | None) -> None:
        with database.write(patience) as db:
            insert(db, "b")

    with FileLock(database.home / "lock"):
        began = threading.Thread(target=put, args=(database, "c"))
        with pytest.raises(Unavailable, match="another program"):
            inserted(0.0)
        began.start()
        while not database._turn.locked():
            pass
        with pytest.raises(Unavailable, match="another call"):
            inserted(0.0)
    began.join()
    inserted(None)

    assert keys(database) == ["a", "b", "c"]


@card("store.snapshot")
def test_a_snapshot_is_taken_on_entry_and_stays(database: Database) -> None:
    put(database, "a")

    with database.read() as old:
        put(database, "b")
        with database.read() as new:
            assert listed(old) == ["a"]
            assert listed(new) == ["a", "b"]
        assert listed(old) == ["a"]


def test_a_writer_that_reads_beside_its_write_sees_the_last_commit(database: Database) -> None:
    put(database, "a")

    with database.write() as db:
        insert(db, "b")
        assert keys(database) == ["a"]
        assert listed(db) == ["a", "b"]


def test_a_result_left_half_read_holds_back_neither_reader_nor_writer(database: Database) -> None:
    for key in "abc":
        put(database, key)
    with database.read() as db:
        half_read = db.execute("SELECT key FROM setting")
        half_read.fetchone()
    with database.write() as db:
        half_written = db.cursor()
        half_written.execute("SELECT key FROM setting")
        half_written.fetchone()
    other = Database(database.home)
    put(other, "d")
    other.close()

    assert keys(database) == ["a", "b", "c", "d"]
    put(database, "e")
    assert keys(database) == ["a", "b", "c", "d", "e"]


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(Unavailable, match="read-only"), database.read() as db:
        insert(db, "a")

    put(database, "b")
    assert keys(database) == ["b"]


def test_many_threads_read_and_write_at_once(database: Database) -> None:
    def seen(name: str) -> list[int]:
        counts = []
        for number in range(20):
            put(database, f"{name}{number:02}")
            counts.append(sum(key[0] == name for key in keys(database)))
        return counts

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(seen, "abcdefgh")) == [list(range(1, 21))] * 8
    assert len(keys(database)) == 160


def test_cancel_stops_a_long_read_in_another_thread_and_no_other(database: Database) -> None:
    put(database, "a")
    cancel, started, told = Cancel(), threading.Event(), []

    def search() -> None:
        try:
            with database.read(cancel) as db:
                started.set()
                db.execute(ENDLESS).fetchone()
        except Unavailable as error:
            told.append(error.told())

    thread = threading.Thread(target=search)
    thread.start()
    started.wait()
    with database.read() as bystander:
        cancel.cancel()
        thread.join()
        assert listed(bystander) == ["a"]

    assert told == ["unavailable: cancelled."]
    assert keys(database) == ["a"]


def test_cancel_between_two_statements_or_before_the_read_stops_it_too(database: Database) -> None:
    cancel = Cancel()

    with pytest.raises(Unavailable, match="cancelled"), database.read(cancel) as db:
        assert listed(db) == []
        cancel.cancel()
        db.execute(ENDLESS).fetchone()
    with pytest.raises(Unavailable, match="cancelled"), database.read(cancel):
        pytest.fail("the block ran")

    assert keys(database) == []


def test_a_file_put_in_place_of_the_database_is_used_by_readers_and_the_writer(
    database: Database, tmp_path: Path
) -> None:
    put(database, "old")
    new = Database(tmp_path / "new")
    put(new, "new")
    new.close()

    with database.read() as during:
        with FileLock(database.home / "lock"):
            for name in ("memex.db-wal", "memex.db-shm"):
                (database.home / name).unlink()
            (tmp_path / "new" / "memex.db").replace(database.home / "memex.db")
        assert listed(during) == ["old"]
        assert keys(database) == ["new"]
    put(database, "newer")

    assert keys(database) == ["new", "newer"]
    assert keys_anew(database.home) == ["new", "newer"]
