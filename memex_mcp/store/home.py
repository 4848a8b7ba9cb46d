"""The store folder: private, and it says what it is."""

import contextlib
import os
import stat
import sys
from pathlib import Path

from memex_mcp.errors import Unavailable

DATABASE = "memex.db"
LOCK = "lock"
EMBEDDING_LOCK = "embedding.lock"
ABOUT = "README.md"
_EFFECTIVE = os.access in os.supports_effective_ids
README = """\
# memex store

This folder is the memory of your coding agents.  The program `memex-mcp` keeps it; nothing
in it leaves this computer on its own.  It may hold what was said in your sessions, so it is
readable by you alone: keep it that way, and out of shared folders and repositories.

- `memex.db` is the store.  `records/` holds every record as a Markdown file for you to
  read; an edit there comes back as a new revision.
- To look: `memex-mcp list`, `memex-mcp search WORDS`, or open the files in `records/`.
- To check: `memex-mcp doctor`.
- To back up: copy this whole folder while no agent is running.
- To forget everything: `memex-mcp purge`, or remove this folder.

`quarantine/` has files that could not be taken as they were, each with a note that says why;
`backups/` copies from before an upgrade, `logs/` what went wrong.  `lock` and `embedding.lock`
are empty and only tell programs to take turns.
"""


def prepare(home: Path) -> None:
    """Make the folder, close it to others, and put the README in.

    Raises:
        Unavailable: The folder cannot be made, entered or written.
    """
    try:
        private_folder(home)
        _tighten(home, 0o700)
        for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", LOCK, EMBEDDING_LOCK):
            _tighten(home / name, 0o600)
        _explain(home)
    except OSError as error:
        raise Unavailable(
            "the memory folder cannot be used", "Check its permissions and the free space."
        ) from error


def _explain(home: Path) -> None:
    """Put the README in, whole; what a killed process left of it is written over."""
    if (home / ABOUT).exists():
        return
    fresh = home / "README.tmp"
    # Another process may be doing the same, with the same text; whoever is later wins.
    fresh.unlink(missing_ok=True)
    with contextlib.suppress(FileExistsError, FileNotFoundError):
        descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(README.encode())
        fresh.replace(home / ABOUT)


def writable(home: Path) -> bool:
    """Whether we may change the store; true as well when there is none yet."""
    there = [path for path in (home, home / DATABASE) if identity(path) is not None]
    return all(os.access(path, os.W_OK, effective_ids=_EFFECTIVE) for path in there)


def private_folder(path: Path) -> None:
    """Make ``path`` and its parents; a new folder is open to its owner only."""
    if path.is_dir():
        return
    # A parent that mkdir makes by itself would get whatever mode the umask leaves.
    for folder in reversed((path, *path.parents)):
        if not folder.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)


def private_file(path: Path) -> bool:
    """Make ``path`` empty and readable by its owner only; False when it exists already.

    An existing file is not opened: closing any descriptor of a database would drop the
    locks that SQLite holds on it in this process.
    """
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)
    try:
        os.close(os.open(path, flags, 0o600))
    except FileExistsError:
        return False
    return True


def make(database: Path) -> None:
    """Make the file of a database, empty, unless somebody was quicker.

    Raises:
        Unavailable: It cannot be made.
    """
    try:
        private_file(database)
    except OSError as error:
        raise Unavailable(
            "the memory store cannot be made", "Check the permissions and the free space."
        ) from error


def identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another that took its place; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def size(path: Path) -> int:
    """Bytes in a file; 0 as well when there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _tighten(path: Path, mode: int) -> None:
    if sys.platform == "win32":
        return
    with contextlib.suppress(FileNotFoundError):
        found = path.stat()
        # A sticky folder is shared on purpose, such as /tmp.
        ours = found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX
        if ours and found.st_mode & 0o077:
            path.chmod(mode)
