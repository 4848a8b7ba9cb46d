"""Removes a store: all that memex made, and nothing else."""

import contextlib
import os
import sqlite3
import sys
from collections.abc import Iterable
from pathlib import Path

from memex_mcp.errors import Damaged, Invalid, Unavailable
from memex_mcp.model.holdings import Counts, Holdings, Purged
from memex_mcp.store.belongings import Item, items
from memex_mcp.store.connect import translated
from memex_mcp.store.files import QUARANTINE, RECORDS, WHY
from memex_mcp.store.home import ABOUT, DATABASE, LOCK, size
from memex_mcp.store.inspect import snapshot
from memex_mcp.store.lock import FileLock

_KINDS = "SELECT kind, count(*) FROM record GROUP BY kind ORDER BY count(*) DESC, kind"
_WITH_MEMORY = (DATABASE, RECORDS, "backups", QUARANTINE)


def holdings(home: Path) -> Holdings:
    """What lies in a store folder; not a byte of it changes.

    Raises:
        Invalid: A part of it lies elsewhere, behind a link.
    """
    _check_whole(home)
    found = list(items(home))
    files = _files(found)
    return Holdings(
        counts=_counts(home),
        files=len(files),
        bytes=sum(item.bytes for item in files),
        foreign=_foreign(found),
    )


def remove(home: Path, *, keep: Iterable[str] = (), timeout: float = 10.0) -> Purged:
    """Remove what is memex's, the folder too when nothing else is in it.

    The database goes first: from then on nobody takes what is left for a store.  After a crash
    the same call goes on where it was.

    Args:
        home: The store folder.
        keep: Names in it that stay.
        timeout: Seconds to wait for others who write.

    Raises:
        Invalid: A part of it lies elsewhere, behind a link.
        Unavailable: Others use the store.
    """
    _check_whole(home)
    kept = frozenset(keep)
    found = _found(home, kept)
    if any(item.ours for item in found):
        with FileLock(home / LOCK, timeout):
            # Once more: somebody may have written until now.
            found = _found(home, kept)
            for name in _in_order(found):
                # No file that is open is removed on Windows.
                if name != LOCK or sys.platform != "win32":
                    _remove(home, name)
        if sys.platform == "win32":
            _remove(home, LOCK)
    with contextlib.suppress(OSError):
        home.rmdir()
    files = _files(found)
    failed = tuple(item.name for item in files if os.path.lexists(home / item.name))
    return Purged(files=len(files) - len(failed), failed=failed, foreign=_foreign(found))


def _check_whole(home: Path) -> None:
    for name in _WITH_MEMORY:
        if (home / name).is_symlink():
            raise Invalid(
                f"{name} in the store folder is a link, and what it leads to is not removed",
                "Remove that and the link yourself, then purge the rest.",
            )


def _counts(home: Path) -> Counts | None:
    if not size(home / DATABASE):
        return Counts(records={}, workspaces=0, sessions=0)
    try:
        with translated(), snapshot(home) as db:
            return Counts(
                records=dict(db.execute(_KINDS).fetchall()),
                workspaces=_count(db, "workspace"),
                sessions=_count(db, "session"),
            )
    except (Damaged, Unavailable, OSError, sqlite3.Error):
        return None


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _found(home: Path, kept: frozenset[str]) -> list[Item]:
    return [each for each in items(home) if each.name.partition("/")[0] not in kept]


def _files(found: Iterable[Item]) -> list[Item]:
    return [item for item in found if item.ours and not item.name.endswith("/")]


def _foreign(found: Iterable[Item]) -> tuple[str, ...]:
    return tuple(item.name for item in found if not item.ours)


def _in_order(found: Iterable[Item]) -> list[str]:
    """What is to go, in an order in which whatever is left is known for ours at any time."""
    return sorted((item.name for item in found if item.ours), key=_rank)


def _rank(name: str) -> tuple[int, int]:
    if name == DATABASE:
        return 0, 0
    if name == LOCK:
        return 6, 0
    if name == ABOUT:
        # It says that the folder is a store.
        return 5, 0
    if name == f"{QUARANTINE}/":
        return 4, 0
    if name.endswith(WHY):
        # It says that what lies beside it is ours.
        return 3, 0
    # The innermost folder first.
    return (2, -name.count("/")) if name.endswith("/") else (1, 0)


def _remove(home: Path, name: str) -> None:
    """Remove a file or an empty folder; what cannot be removed shows in the end."""
    with contextlib.suppress(OSError):
        if name.endswith("/"):
            (home / name).rmdir()
        else:
            (home / name).unlink()
