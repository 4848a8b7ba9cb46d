"""The same insert transaction through three ways to reach SQLite from an async server.

``sync`` runs it in the calling thread, ``one hop`` as one function in a worker thread, which is
how the server works, and ``aiosqlite`` statement by statement, each a hop of its own.
"""

import sqlite3
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import anyio
import anyio.to_thread
from bench_common import line, rounded, summary

TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE record (n INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT, value_key TEXT) STRICT;
CREATE TABLE body (record_n INTEGER, start INTEGER, data BLOB, PRIMARY KEY (record_n, start));
CREATE TABLE audit (seq INTEGER PRIMARY KEY, record_id TEXT, hash TEXT) STRICT;
CREATE TABLE queue (record_id TEXT PRIMARY KEY, at INTEGER) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE card USING fts5(title, content='');
CREATE VIRTUAL TABLE words USING fts5(terms, content='');
"""
FIND = "SELECT n FROM record WHERE value_key = ?"
INSERTS = (
    "INSERT INTO record(id, title, value_key) VALUES (?, ?, ?)",
    "INSERT INTO body(record_n, start, data) VALUES (?, 0, ?)",
    "INSERT INTO card(rowid, title) VALUES (?, ?)",
    "INSERT INTO words(rowid, terms) VALUES (?, ?)",
    "INSERT INTO audit(record_id, hash) VALUES (?, ?)",
    "INSERT INTO queue(record_id, at) VALUES (?, 0)",
)
Row = tuple[str, str]
WAYS = ("sync", "one hop", "aiosqlite")


def parameters(n: int, row: Row) -> tuple[tuple[object, ...], ...]:
    """What each insert binds."""
    title, text = row
    record_id = f"{n:026d}"
    return (
        (record_id, title, record_id),
        (n, text.encode()),
        (n, title),
        (n, text),
        (record_id, record_id),
        (record_id,),
    )


def insert(db: sqlite3.Connection, n: int, row: Row) -> None:
    """One record in one transaction."""
    db.execute("BEGIN IMMEDIATE")
    db.execute(FIND, (f"{n:026d}",)).fetchone()
    for sql, values in zip(INSERTS, parameters(n, row), strict=True):
        db.execute(sql, values)
    db.execute("COMMIT")


def connected(path: Path) -> sqlite3.Connection:
    """A database with its tables, usable from any thread."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.executescript(TABLES)
    return db


async def through_sqlite(path: Path, rows: Sequence[Row], *, hop: bool) -> list[float]:
    """Milliseconds of each transaction, in this thread or in a worker."""
    db = connected(path)
    samples = []
    for n, row in enumerate(rows, start=1):
        began = time.perf_counter()
        if hop:
            await anyio.to_thread.run_sync(insert, db, n, row)
        else:
            insert(db, n, row)
        samples.append((time.perf_counter() - began) * 1000)
    db.close()
    return samples


async def through_aiosqlite(path: Path, rows: Sequence[Row]) -> list[float]:
    """Milliseconds of each transaction, every statement sent to aiosqlite's thread."""
    import aiosqlite

    connected(path).close()
    samples = []
    async with aiosqlite.connect(path, isolation_level=None) as db:
        await db.execute("PRAGMA synchronous = NORMAL")
        for n, row in enumerate(rows, start=1):
            began = time.perf_counter()
            await db.execute("BEGIN IMMEDIATE")
            async with db.execute(FIND, (f"{n:026d}",)) as found:
                await found.fetchone()
            for sql, values in zip(INSERTS, parameters(n, row), strict=True):
                await db.execute(sql, values)
            await db.execute("COMMIT")
            samples.append((time.perf_counter() - began) * 1000)
    return samples


def compare(
    folder: Path, rows: Sequence[Row], rounds: int, aiosqlite: Path | None
) -> dict[str, object]:
    """Transactions per second of each way, the ways taking turns round by round."""
    if aiosqlite is not None:
        sys.path.insert(0, str(aiosqlite))
    samples: dict[str, list[float]] = {way: [] for way in WAYS}
    told: dict[str, object] = {}
    for turn in range(rounds):
        for way in WAYS[turn % len(WAYS) :] + WAYS[: turn % len(WAYS)]:
            path = folder / f"{turn}-{way.replace(' ', '-')}.db"
            try:
                if way == "aiosqlite":
                    samples[way] += anyio.run(through_aiosqlite, path, rows)
                else:
                    hop = way == "one hop"
                    samples[way] += anyio.run(lambda: through_sqlite(path, rows, hop=hop))  # noqa: B023  # called at once
            except ModuleNotFoundError:
                told[way] = "not run: pip install --target DIR aiosqlite==0.22.1; --aiosqlite DIR"
    for way, taken in samples.items():
        if taken:
            told[way] = {
                **summary(taken),
                "per_second": round(1000 * len(taken) / sum(taken)),
                "samples": rounded(taken),
            }
            print(f"{line(way, taken)}   {1000 / median(taken):,.0f}/s at the median")
        else:
            print(f"  {way}: {told[way]}")
    return told
