"""What the tests of the database have in common: one table to write to, and other processes."""

import sqlite3
import subprocess
import sys
from pathlib import Path

from memex_mcp.store.database import Database


def put(database: Database, key: str) -> None:
    with database.write() as db:
        insert(db, key)


def insert(db: sqlite3.Connection, key: str) -> None:
    db.execute("INSERT INTO setting VALUES ('o', ?, 'v', 1)", (key,))


def keys(database: Database) -> list[str]:
    with database.read() as db:
        return listed(db)


def listed(db: sqlite3.Connection) -> list[str]:
    return [row["key"] for row in db.execute("SELECT key FROM setting ORDER BY key")]


def keys_anew(home: Path) -> list[str]:
    """What a program that starts now would find."""
    database = Database(home)
    try:
        return keys(database)
    finally:
        database.close()


def python(script: str, *args: object) -> "subprocess.Popen[bytes]":
    """A child that can be told to go on, and tells."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def heard(child: "subprocess.Popen[bytes]") -> str:
    assert child.stdout is not None
    return child.stdout.readline().decode().strip()


def finish(child: "subprocess.Popen[bytes]") -> int:
    """The exit code of a child that reads to the end of its input."""
    child.communicate()
    return child.returncode
