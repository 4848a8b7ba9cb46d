import os
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from memex_mcp.errors import MemexError
from memex_mcp.store.database import Database
from tests.frozen import freeze, nobody
from tests.store.using import finish, put, python

posix = pytest.mark.skipif(os.name == "nt", reason="modes and signals are POSIX")


LEAVES_ITS_LOG = """
import os, pathlib, sys
from memex_mcp.errors import MemexError
from memex_mcp.store.database import Database
with Database(pathlib.Path(sys.argv[1])).write() as db:
    db.execute("INSERT INTO setting VALUES ('o', 'logged', 'v', 1)")
os._exit(0)
"""


def said_about(home: Path) -> list[str]:
    """What two reads and a write say to somebody for whom read-only means it."""
    database = Database(home)
    try:
        with nobody():
            return [said(use) for use in (database.read, database.read, database.write)]
    finally:
        database.close()


def said(use: Callable[[], AbstractContextManager[sqlite3.Connection]]) -> str:
    try:
        with use() as db:
            return " ".join(row[0] for row in db.execute("SELECT key FROM setting"))
    except MemexError as error:
        return error.told()


REFUSED = "unavailable: the memory store is read-only. Check the permissions of its folder."


@posix
def test_a_read_only_store_can_be_read_and_refuses_writes(public: Path) -> None:
    database = Database(public / "store")
    put(database, "kept")
    database.close()
    before = sorted(path.name for path in database.home.iterdir())
    freeze(database.home)

    assert said_about(database.home) == ["kept", "kept", REFUSED]
    assert sorted(path.name for path in database.home.iterdir()) == before


@posix
def test_a_read_only_store_shows_commits_that_are_still_in_its_log_or_says_it_cannot(
    public: Path,
) -> None:
    home = public / "store"
    assert finish(python(LEAVES_ITS_LOG, home)) == 0
    freeze(home)
    assert said_about(home) == ["logged", "logged", REFUSED]

    home.chmod(0o700)
    (home / "memex.db-shm").unlink()
    home.chmod(0o500)

    first, second, third = said_about(home)
    assert first == second
    assert first.startswith("unavailable: ")
    assert third == REFUSED


@posix
def test_a_read_only_folder_without_a_store_is_unavailable(public: Path) -> None:
    (public / "store").mkdir()
    freeze(public / "store")

    assert said_about(public / "store") == [REFUSED] * 3
    assert list((public / "store").iterdir()) == []


@posix
def test_a_read_only_store_of_an_earlier_schema_says_that_it_needs_an_upgrade(
    public: Path,
) -> None:
    database = Database(public / "store")
    with database.write() as db:
        db.execute("UPDATE meta SET value = '0' WHERE key = 'schema_version'")
    database.close()
    freeze(database.home)

    first, _, third = said_about(database.home)

    assert first == "unavailable: the memory store is read-only and needs an upgrade."
    assert third == REFUSED
