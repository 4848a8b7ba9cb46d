import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memex_mcp.errors import Damaged, Unavailable
from memex_mcp.store import audit, records
from memex_mcp.store.connect import open_writer
from memex_mcp.store.database import Database
from memex_mcp.store.home import private_file, private_folder
from memex_mcp.store.migrations import get_meta, migrate, schema_version, set_meta
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.text.words import ANALYZER_VERSION
from tests.card import card
from tests.make import NOON, make_caller, make_db, make_record

ADDS_A_TABLE = "CREATE TABLE novelty(x TEXT) STRICT; INSERT INTO novelty VALUES ('a;b');"
LOSES_ROWS = "CREATE TABLE novelty(x TEXT) STRICT; DELETE FROM record;"
RAISES = "CREATE TABLE novelty(x TEXT) STRICT; INSERT INTO nowhere VALUES (1);"
DANGLES = "UPDATE chunk SET record_n = 999;"
REBUILDS_A_TABLE = """
CREATE TABLE other(n INTEGER PRIMARY KEY, id TEXT);
INSERT INTO other SELECT n, id FROM record;
DROP TABLE record;
ALTER TABLE other RENAME TO record;
"""

UPGRADE = """
import sys, pathlib
from memex_mcp.store.connect import open_writer
from memex_mcp.store.lock import FileLock
from memex_mcp.store.migrations import migrate
from memex_mcp.store.schema import MIGRATIONS
home = pathlib.Path(sys.argv[1])
sys.stdin.readline()
with FileLock(home / "lock"):
    db = open_writer(home / "memex.db", 10)
    migrate(db, home, [*MIGRATIONS, sys.argv[2]])
    db.close()
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A closed store of today's schema with one record."""
    home = tmp_path / "store"
    database = Database(home)
    with database.write() as db:
        n = records.insert(db, make_record(id="0" * 26))
        db.execute("INSERT INTO chunk VALUES (NULL, ?, 0, 1)", (n,))
    database.close()
    return home


@pytest.fixture
def db(home: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_writer(home / "memex.db", 1.0)) as db:
        yield db


def tables(db: sqlite3.Connection) -> set[str]:
    return {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def test_a_new_store_is_stamped_once() -> None:
    with closing(make_db()) as first, closing(make_db()) as second:
        assert get_meta(first, "schema_version") == str(len(MIGRATIONS))
        assert int(get_meta(first, "created_at") or "") > 0
        assert get_meta(first, "analyzer_version") == ANALYZER_VERSION
        assert get_meta(first, "store_id") != get_meta(second, "store_id")

        stamp = get_meta(first, "store_id")
        migrate(first, Path("nowhere"))

        assert get_meta(first, "store_id") == stamp


def test_meta_values_are_set_replaced_and_missing() -> None:
    with closing(make_db()) as db:
        set_meta(db, "colour", "red")
        set_meta(db, "colour", "blue")

        assert get_meta(db, "colour") == "blue"
        assert get_meta(db, "shape") is None


def test_a_further_step_runs_once_and_keeps_every_row(db: sqlite3.Connection, home: Path) -> None:
    for _ in range(2):
        migrate(db, home, [*MIGRATIONS, ADDS_A_TABLE])

    assert schema_version(db) == len(MIGRATIONS) + 1
    assert [tuple(row) for row in db.execute("SELECT x FROM novelty")] == [("a;b",)]
    assert db.execute("SELECT id FROM record").fetchone()[0] == "0" * 26
    assert len(list((home / "backups").iterdir())) == 1


def test_a_store_with_content_is_backed_up_first_and_the_backup_opens(
    db: sqlite3.Connection, home: Path
) -> None:
    migrate(db, home, [*MIGRATIONS, ADDS_A_TABLE])

    [backup] = (home / "backups").iterdir()
    assert backup.name.startswith(f"before-schema-{len(MIGRATIONS) + 1}-")
    if os.name != "nt":
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700
    with closing(sqlite3.connect(f"{backup.as_uri()}?immutable=1", uri=True)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert copy.execute("SELECT id FROM record").fetchone()[0] == "0" * 26
        assert schema_version(copy) == len(MIGRATIONS)
        assert "novelty" not in tables(copy)


def test_a_backup_is_itself_a_store_that_opens(
    db: sqlite3.Connection, home: Path, tmp_path: Path
) -> None:
    migrate(db, home, [*MIGRATIONS, ADDS_A_TABLE])
    [backup] = (home / "backups").iterdir()
    (tmp_path / "old").mkdir()
    shutil.copy(backup, tmp_path / "old" / "memex.db")

    database = Database(tmp_path / "old")
    with database.read() as reader:
        found = reader.execute("SELECT count(*) FROM record").fetchone()[0]
    database.close()

    assert found == 1


def test_an_empty_store_is_not_backed_up(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with database.read():
        pass
    database.close()

    with closing(open_writer(tmp_path / "memex.db", 1.0)) as db:
        migrate(db, tmp_path, [*MIGRATIONS, ADDS_A_TABLE])
        assert "novelty" in tables(db)

    assert not (tmp_path / "backups").exists()


@card("store.migration")
@pytest.mark.parametrize(
    "step", [LOSES_ROWS, DANGLES, REBUILDS_A_TABLE.replace("SELECT n", "SELECT n + 5")]
)
def test_a_step_that_would_lose_rows_or_references_is_undone_and_the_backup_stays(
    db: sqlite3.Connection, home: Path, step: str
) -> None:
    with pytest.raises(Damaged, match="would lose data"):
        migrate(db, home, [*MIGRATIONS, step])

    assert schema_version(db) == len(MIGRATIONS)
    assert "novelty" not in tables(db)
    assert db.execute("SELECT count(*) FROM record").fetchone()[0] == 1
    assert len(list((home / "backups").iterdir())) == 1
    migrate(db, home, [*MIGRATIONS, ADDS_A_TABLE])
    assert schema_version(db) == len(MIGRATIONS) + 1


def test_a_step_may_rebuild_a_table_that_others_refer_to(
    db: sqlite3.Connection, home: Path
) -> None:
    migrate(db, home, [*MIGRATIONS, REBUILDS_A_TABLE])

    assert db.execute("SELECT count(*) FROM chunk").fetchone()[0] == 1
    assert db.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def test_a_step_that_fails_leaves_the_version_that_the_steps_before_it_reached(
    db: sqlite3.Connection, home: Path
) -> None:
    with pytest.raises(sqlite3.OperationalError):
        migrate(db, home, [*MIGRATIONS, "CREATE TABLE early(x) ;", RAISES])

    assert schema_version(db) == len(MIGRATIONS) + 1
    assert "early" in tables(db)
    assert "novelty" not in tables(db)
    assert not db.in_transaction


def test_no_step_runs_when_the_backup_cannot_be_made(db: sqlite3.Connection, home: Path) -> None:
    (home / "backups").write_text("in the way", encoding="utf-8")

    with pytest.raises(Unavailable, match="backed up"):
        migrate(db, home, [*MIGRATIONS, ADDS_A_TABLE])

    assert schema_version(db) == len(MIGRATIONS)
    (home / "backups").unlink()
    migrate(db, home, [*MIGRATIONS, ADDS_A_TABLE])
    assert "novelty" in tables(db)


def test_a_store_of_a_newer_program_is_left_exactly_as_it_is(
    db: sqlite3.Connection, home: Path
) -> None:
    migrate(db, home, [*MIGRATIONS, ADDS_A_TABLE])
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = (home / "memex.db").read_bytes()

    database = Database(home)
    with pytest.raises(Unavailable, match="newer memex"), database.read():
        pass
    with pytest.raises(Unavailable, match="newer memex"), database.write():
        pass
    with pytest.raises(Unavailable, match="newer memex"):
        migrate(db, home)
    database.close()

    assert (home / "memex.db").read_bytes() == before


def test_a_database_of_another_program_is_damaged_and_stays_as_it_is(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "memex.db")) as foreign:
        foreign.execute("CREATE TABLE cookies(x)")
        foreign.commit()
    before = (tmp_path / "memex.db").read_bytes()

    with pytest.raises(Damaged, match="not a memory store"), Database(tmp_path).write():
        pass

    assert (tmp_path / "memex.db").read_bytes() == before


def test_an_unreadable_schema_version_is_damaged(db: sqlite3.Connection, home: Path) -> None:
    set_meta(db, "schema_version", "two")
    with pytest.raises(Damaged, match="schema version"):
        migrate(db, home)

    set_meta(db, "schema_version", str(len(MIGRATIONS)))
    migrate(db, home)


def test_of_several_programs_that_upgrade_at_once_one_does_the_work(home: Path) -> None:
    command = [sys.executable, "-c", UPGRADE, str(home), ADDS_A_TABLE]
    crowd = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(4)]
    for process in crowd:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.close()

    assert [process.wait() for process in crowd] == [0] * 4
    assert len(list((home / "backups").iterdir())) == 1
    with closing(open_writer(home / "memex.db", 1.0)) as db:
        assert db.execute("SELECT count(*) FROM novelty").fetchone()[0] == 1


@pytest.mark.parametrize("age", range(1, len(MIGRATIONS)))
def test_a_store_of_any_earlier_schema_opens_with_everything_in_it(
    tmp_path: Path, age: int
) -> None:
    private_folder(tmp_path / "store")
    path = tmp_path / "store" / "memex.db"
    private_file(path)
    with closing(open_writer(path, 1.0)) as old:
        migrate(old, tmp_path / "store", MIGRATIONS[:age])
        written = [make_record(body=f"Statement {number}.") for number in range(3)]
        for record in written:
            records.insert(old, record)
        entry = audit.Entry("create", written[0].id, None, audit.state_hash(written[0]))
        audit.append(old, make_caller(), entry, NOON)
        kept = {name: _count(old, name) for name in ("record", "body", "audit")}

    database = Database(tmp_path / "store")
    with database.write() as db:
        assert schema_version(db) == len(MIGRATIONS)
        assert {name: _count(db, name) for name in kept} == kept
        assert [records.by_id(db, record.id) for record in written] == written
        assert {"event", "capture_turn"} <= tables(db)
    database.close()
    assert len(list((tmp_path / "store" / "backups").iterdir())) == 1


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
