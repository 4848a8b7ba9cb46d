"""Looks at a store from outside and says what is wrong, without changing a byte of it."""

import contextlib
import importlib.util
import os
import platform
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from memex_mcp.errors import Damaged, MemexError, Unavailable
from memex_mcp.model.kinds import Author, Status
from memex_mcp.store import (
    agreement,
    audit,
    events,
    files,
    index,
    records,
    sheet,
    sidecar,
    switches,
    vectors,
)
from memex_mcp.store.connect import translated
from memex_mcp.store.home import DATABASE
from memex_mcp.store.migrations import check_known, schema_version
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.store.vectors import Space
from memex_mcp.text import tokens
from memex_mcp.values import dataclass

_INDEX = "memex-mcp rebuild --index"
_FILES = "memex-mcp rebuild --files"
_FROM_FILES = "memex-mcp rebuild --from-files"
_REVIEW = "memex-mcp set-status ID active (or retracted) --reason WHY, in a terminal"
_INSTALL = "pip install 'memex-mcp-server[{}]', or take [embedder] out of config.toml"
_MOST = 20
_IN_MEMORY = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of one check, or one fault.

    Attributes:
        check: What was looked at, one or two words.
        ok: False for a fault.
        detail: For people; names are relative to the store folder.
        fix: The command that mends it; empty when nothing needs mending.
    """

    check: str
    ok: bool
    detail: str
    fix: str = ""


def examine(home: Path, space: Space | None = None, missing: str = "") -> list[Finding]:
    """Check everything about a store; a check without a fault leaves one finding that is ok.

    At most twenty faults of one check are told one by one, then how many more there are.

    Args:
        home: The store folder.
        space: The vectors that it is to have; None when search by meaning is off.
        missing: The extra that makes them and is not installed.
    """
    findings: list[Finding] = []
    if not home.is_dir():
        findings += _told("store", [], "there is no store yet")
    else:
        findings += _told("permissions", _permissions(home), "only you can read the store")
        findings += _database(home, space)
        findings += _told("quarantine", _quarantine(home), "no file had to be set aside")
    if missing:
        fault = ("the package for search by meaning is not installed", _INSTALL.format(missing))
        findings += _told("embedder", [fault], "")
    return findings + _about()


def _told(check: str, faults: "Faults", fine: str) -> list[Finding]:
    listed = list(faults)
    if not listed:
        return [Finding(check=check, ok=True, detail=fine)]
    told = [Finding(check=check, ok=False, detail=text, fix=fix) for text, fix in listed[:_MOST]]
    if len(listed) > _MOST:
        rest = f"and {len(listed) - _MOST} more"
        told.append(Finding(check=check, ok=False, detail=rest, fix=listed[_MOST][1]))
    return told


Faults = Iterator[tuple[str, str]] | list[tuple[str, str]]
"""What is wrong, and the command that mends it."""


def _permissions(home: Path) -> Iterator[tuple[str, str]]:
    if os.name == "nt":
        return
    if home.stat().st_mode & 0o077:
        yield "the store folder is open to others", "chmod 700 on the store folder"
    for folder, inner, names in os.walk(home):
        for name in sorted([*inner, *names]):
            path = Path(folder) / name
            relative = path.relative_to(home).as_posix()
            with contextlib.suppress(FileNotFoundError):
                if not path.is_symlink() and path.lstat().st_mode & 0o077:
                    mode = "700" if path.is_dir() else "600"
                    yield f"{relative} is open to others", f"chmod {mode} {relative}"


def _database(home: Path, space: Space | None) -> list[Finding]:
    path = home / DATABASE
    empty = not path.exists() or path.stat().st_size == 0
    if empty:
        lost = next(files.walk(home), None) is not None
        faults = [("there are record files but no database", _FROM_FILES)] if lost else []
        return _told("database", faults, "there is no database yet")
    try:
        with translated(), snapshot(home) as db:
            return list(_inside(db, home, space))
    except Damaged:
        return _told("database", [("the database cannot be read", _FROM_FILES)], "")
    except (Unavailable, OSError) as error:
        reason = str(error) if isinstance(error, MemexError) else "the database cannot be opened"
        return _told("database", [(reason, "memex-mcp doctor, once no agent is running")], "")


@contextmanager
def snapshot(home: Path) -> Generator[sqlite3.Connection]:
    """One moment of the database, read without writing beside it."""
    path = home / DATABASE
    log, shared = (path.with_name(f"{DATABASE}{suffix}") for suffix in ("-wal", "-shm"))
    with contextlib.ExitStack() as held:
        how = "immutable=1"
        if log.exists() and log.stat().st_size:
            # An ordinary reader would write its place in the log into the shared memory.
            how = "mode=ro&readonly_shm=1"
            if not shared.exists():
                # Left by a crash and in nobody's use: reading it back needs a copy.
                place = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="memex-")))
                path = Path(shutil.copyfile(path, place / path.name))
                shutil.copyfile(log, place / log.name)
                how = "mode=rw"
        db = held.enter_context(contextlib.closing(_open(path, how)))
        if path.stat().st_size <= _IN_MEMORY:
            # FTS5 looks into its own pages only where it may write.
            copy = held.enter_context(contextlib.closing(_open(None, "mode=memory")))
            db.backup(copy)
            db = copy
        yield db


def _open(path: Path | None, how: str) -> sqlite3.Connection:
    place = path.absolute().as_uri() if path else "file:"
    db = sqlite3.connect(f"{place}?{how}", uri=True, isolation_level=None)
    db.row_factory = sqlite3.Row
    return db


def _inside(db: sqlite3.Connection, home: Path, space: Space | None) -> Iterator[Finding]:
    known = schema_version(db)
    check_known(known)
    problems = [row[0] for row in db.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    if problems:
        yield from _told("database", [("pages of the database are damaged", _FROM_FILES)], "")
    else:
        yield Finding(check="database", ok=True, detail="every page of the database is sound")
    if known < len(MIGRATIONS):
        detail = f"schema {known} becomes {len(MIGRATIONS)} at the next start"
        yield Finding(check="schema", ok=True, detail=detail)
        return
    yield Finding(check="schema", ok=True, detail=f"schema {known}")
    yield from _told("records", _records(db, home), "every record is whole")
    yield from _told("index", _index(db), "every record can be found")
    yield from _told("audit", _audit(db), "the audit trail is unbroken")
    yield from _told("queue", _queue(db), "no file waits to be written")
    yield from _told("files", _files(db, home), "every record has its file")
    yield from _told("review", _review(db), "no hand edit waits for your review")
    yield from _told("switches", switches.faults(db), "every switch can be read")
    if space is not None:
        size = vectors.size(db, space)
        told = f"{space.name}: {size.vectors:,} vectors, {size.pending:,} chunks wait for theirs"
        yield Finding(check="meaning", ok=True, detail=told)


def _records(db: sqlite3.Connection, home: Path) -> Iterator[tuple[str, str]]:
    lost = True
    for row in db.execute("SELECT n, id, body_sha256 FROM record ORDER BY n").fetchall():
        lost = False
        try:
            sound = sheet.body_digest(records.body_text(db, row["n"])) == row["body_sha256"]
        except (zlib.error, UnicodeDecodeError, Damaged):
            sound = False
        if not sound:
            yield f"the body of {row['id']} is damaged", _FROM_FILES
    yield from _lines(db)
    (queued,) = db.execute("SELECT EXISTS (SELECT 1 FROM mirror_queue)").fetchone()
    if lost and not queued and next(files.walk(home), None) is not None:
        yield "the database is empty but the record files are not", _FROM_FILES


def _lines(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Records with a line of a transcript that is not what the client wrote."""
    sql = "SELECT id FROM record AS r WHERE EXISTS (SELECT 1 FROM event WHERE record_n = r.n)"
    for (record_id,) in db.execute(f"{sql} ORDER BY r.n").fetchall():
        try:
            sound = all(map(sidecar.is_whole, events.of(db, record_id)))
        except (ValueError, Damaged):
            sound = False
        if not sound:
            yield f"a line that {record_id} stands for is damaged", _FROM_FILES


def _index(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    if index.stale(db):
        yield "the index was built by another version of memex", _INDEX
    for problem in index.check(db):
        yield problem, _INDEX


def _audit(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    broken = audit.verify(db)
    if broken is not None:
        # The rebuild begins a new trail and keeps the broken one in its backup.
        yield f"row {broken} of the audit trail was changed or removed", _FROM_FILES


def _queue(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    (queued,) = db.execute("SELECT count(*) FROM mirror_queue").fetchone()
    if queued:
        yield f"{queued} records wait for their file to be written", _FILES


def _files(db: sqlite3.Connection, home: Path) -> Iterator[tuple[str, str]]:
    return ((fault, _FILES) for fault in agreement.faults(db, home))


def _review(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Hand edits of what a person stands behind; nothing else tells that they are there."""
    sql = "SELECT id FROM record WHERE status = ? AND author = ? ORDER BY id"
    ids = [row[0] for row in db.execute(sql, (Status.CANDIDATE, Author.FILE))]
    if ids:
        more = f" and {len(ids) - _MOST} more" if len(ids) > _MOST else ""
        counted = "1 hand edit waits" if len(ids) == 1 else f"{len(ids)} hand edits wait"
        yield f"{counted} for your review: {', '.join(ids[:_MOST])}{more}", _REVIEW


def _quarantine(home: Path) -> Iterator[tuple[str, str]]:
    folder = home / files.QUARANTINE
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name.endswith(files.WHY) or path.name.startswith("."):
            continue
        why = ""
        with contextlib.suppress(OSError, UnicodeDecodeError):
            note = path.with_name(path.name + files.WHY).read_text(encoding="utf-8")
            why = f": {note.partition('why: ')[2].strip()}"
        yield (
            f"{files.QUARANTINE}/{path.name}{why}",
            "keep what you need with memex-mcp write, then remove the file",
        )


def _about() -> list[Finding]:
    versions = (
        f"memex {version('memex-mcp-server')}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}"
    )
    return [
        Finding(check="versions", ok=True, detail=versions),
        Finding(
            check="tokens", ok=True, detail=f"counted by {tokens.method()}: {_why_counted_so()}"
        ),
    ]


def _why_counted_so() -> str:
    if tokens.method() == tokens.METHOD_EXACT:
        return "exact, as its vocabulary is on this machine"
    if importlib.util.find_spec("tiktoken") is None:
        return "tiktoken is not installed; the extra `tokens` brings it"
    return "no vocabulary is loaded; the extra `tokens` brings one"
