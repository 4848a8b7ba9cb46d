import os
import signal
from pathlib import Path

import pytest

from memex_mcp.store.database import Database
from tests.card import card
from tests.store.using import finish, heard, keys, put, python

posix = pytest.mark.skipif(os.name == "nt", reason="modes and signals are POSIX")


@card("store.doors")
def test_many_processes_open_new_stores_at_once_without_an_error(tmp_path: Path) -> None:
    script = """
import pathlib, sys
from memex_mcp.store.database import Database
print("ready", flush=True)
sys.stdin.readline()
for number in range(15):
    database = Database(pathlib.Path(sys.argv[1]) / str(number))
    with database.read() as db: db.execute("SELECT count(*) FROM record").fetchone()
    with database.write() as db: db.execute("INSERT INTO mirror_queue VALUES (?, 1)", sys.argv[2])
    database.close()
"""
    crowd = [python(script, tmp_path, name) for name in "abcdefgh"]
    assert [heard(child) for child in crowd] == ["ready"] * 8
    for child in crowd:
        assert child.stdin is not None
        child.stdin.write(b"go\n")
        child.stdin.flush()

    assert [finish(child) for child in crowd] == [0] * 8
    for number in range(15):
        database = Database(tmp_path / str(number))
        with database.read() as db:
            assert db.execute("SELECT count(*) FROM mirror_queue").fetchone()[0] == 8
        database.close()


def test_many_processes_write_at_once_and_every_write_is_kept(database: Database) -> None:
    script = """
import pathlib, sys
from memex_mcp.store.database import Database
database = Database(pathlib.Path(sys.argv[1]))
for number in range(60):
    with database.write() as db:
        db.execute("INSERT INTO setting VALUES (?, ?, 'v', 1)", (sys.argv[2], str(number)))
database.close()
"""
    crowd = [python(script, database.home, name) for name in "abcdefgh"]

    assert [finish(child) for child in crowd] == [0] * 8
    assert len(keys(database)) == 480
    with database.read() as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


@posix
def test_a_writer_killed_inside_its_transaction_leaves_nothing_and_blocks_nobody(
    database: Database,
) -> None:
    script = """
import pathlib, sys
from memex_mcp.store.database import Database
database = Database(pathlib.Path(sys.argv[1]))
with database.write() as db:
    db.execute("INSERT INTO setting VALUES ('o', ?, 'v', 1)", (sys.argv[2] + "-done",))
with database.write() as db:
    db.execute("PRAGMA cache_spill=1")
    for number in range(2000):
        db.execute("INSERT INTO setting VALUES ('o', ?, ?, 1)", (f"half{number}", "x" * 4000))
    print("in", flush=True)
    sys.stdin.readline()
"""
    for name in "ab":
        child = python(script, database.home, name)
        assert heard(child) == "in"
        child.send_signal(signal.SIGKILL)
        finish(child)
        put(database, f"{name}-next")

    assert keys(database) == ["a-done", "a-next", "b-done", "b-next"]
