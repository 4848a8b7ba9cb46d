"""Files of the store folder: written whole, private, and never lost when they are in the way."""

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memex_mcp.model.times import now, to_ms

RECORDS = "records"
QUARANTINE = "quarantine"
HISTORY = ".history"
WHY = ".why.txt"


@dataclass(frozen=True, slots=True)
class Found:
    """One Markdown file below ``records/``.

    Attributes:
        name: Relative to the store folder, with forward slashes.
        modified: Milliseconds since 1970.
        past: It lies in a history folder.
    """

    name: str
    modified: int
    past: bool


def walk(home: Path) -> Iterator[Found]:
    """Every record file in order of its name.

    Hidden files and folders, links, and whatever editors leave beside a file are not
    record files.
    """
    yield from _walk(home / RECORDS, RECORDS)


def counted(home: Path) -> dict[str, int]:
    """How many record files lie in each folder that holds some, past versions left out.

    Folders are named like files, relative to the store folder.
    """
    return dict(_count(home / RECORDS, RECORDS))


def inside(home: Path, folder: str) -> Iterator[str]:
    """Names of the record files that lie in one folder itself, in no order."""
    for entry in _visible(home / folder):
        if not entry.is_dir(follow_symlinks=False) and _is_record(entry):
            yield f"{folder}/{entry.name}"


def look(home: Path, name: str) -> Found | None:
    """The file with this name; None when there is none, or it is a link or a folder."""
    try:
        found = os.lstat(f"{home}/{name}")
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Found(name, found.st_mtime_ns // 1_000_000, past=HISTORY in name)


def write_whole(path: Path, data: bytes, modified: datetime) -> None:
    """Put a file in place in one step, readable by its owner only.

    Its time is that of what it says, so that a later edit shows without reading the file.
    Nothing waits for the disk: after a power cut the database tells what to write again.

    Raises:
        OSError: The disk is full, read-only, or something else has that name.
    """
    make_folders(path.parent)
    # One writer at a time: what a killed one left under this name is in nobody's use.
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with os.fdopen(_open_new(temporary), "wb") as file:
            file.write(data)
        set_modified(temporary, modified)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _open_new(path: Path) -> int:
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags, 0o600)
    except FileExistsError:
        path.unlink()
        return os.open(path, flags, 0o600)


def make_folders(folder: Path) -> None:
    """Make a folder and its parents, each open to its owner only."""
    if folder.is_dir():
        return
    for path in reversed((folder, *folder.parents)):
        if not path.is_dir():
            path.mkdir(mode=0o700, exist_ok=True)


def set_modified(path: Path, moment: datetime) -> None:
    """Set the time of a file."""
    stamp = to_ms(moment) * 1_000_000
    os.utime(path, ns=(stamp, stamp))


def remove(home: Path, name: str) -> None:
    """Remove a file, and the folders that became empty; a missing one is no error."""
    path = home / name
    path.unlink(missing_ok=True)
    for folder in path.parents:
        if folder in (home, home / RECORDS):
            return
        try:
            folder.rmdir()
        except OSError:
            return


def set_aside(home: Path, name: str, why: str) -> str:
    """Move a file to the quarantine, with a note on where it was and why it went.

    Returns:
        Its new name, relative to the store folder.

    Raises:
        OSError: It cannot be moved; it stays where it is.
    """
    folder = home / QUARANTINE
    make_folders(folder)
    suffix = Path(name).suffix
    # Forty characters of any script leave room below 255 bytes.
    base = f"{Path(name).stem[:40]}-{now():%Y%m%dT%H%M%S%f}"
    target = folder / f"{base}{suffix}"
    number = 1
    while target.exists():
        number += 1
        target = folder / f"{base}-{number}{suffix}"
    (home / name).replace(target)
    with contextlib.suppress(OSError):
        target.chmod(0o600)
        note = f"from: {name}\nwhy: {why}\n"
        write_whole(target.with_name(target.name + WHY), note.encode("utf-8", "replace"), now())
    return f"{QUARANTINE}/{target.name}"


def _walk(folder: Path, name: str, *, past: bool = False) -> Iterator[Found]:
    for entry in sorted(_visible(folder), key=lambda entry: entry.name):
        inner = f"{name}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder / entry.name, inner, past=past or inner.endswith(HISTORY))
        elif _is_record(entry):
            with contextlib.suppress(FileNotFoundError):
                stamp = entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
                yield Found(inner, stamp, past)


def _count(folder: Path, name: str) -> Iterator[tuple[str, int]]:
    number = 0
    for entry in _visible(folder):
        if not entry.is_dir(follow_symlinks=False):
            number += _is_record(entry)
        elif not entry.name.endswith(HISTORY):
            yield from _count(folder / entry.name, f"{name}/{entry.name}")
    if number:
        yield name, number


def _visible(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        scan = os.scandir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    with scan:
        for entry in scan:
            if not (entry.name.startswith(".") or entry.is_symlink()):
                yield entry


def _is_record(entry: os.DirEntry[str]) -> bool:
    return entry.name.lower().endswith(".md")
