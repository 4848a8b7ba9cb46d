"""Files of the store folder: written whole, private, and never lost when they are in the way."""

import contextlib
import os
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from memex_mcp.model.ids import is_id
from memex_mcp.model.times import now, to_ms
from memex_mcp.values import dataclass

RECORDS = "records"
QUARANTINE = "quarantine"
HISTORY = ".history"
WHY = ".why.txt"
IN_THE_WAY = "it was in the place of a record's file"
"""Why something that is no file is set aside."""


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

    Hidden files and folders, links, pipes, and whatever editors leave beside a file are not
    record files.
    """
    yield from _walk(home / RECORDS, RECORDS)


def odd(home: Path) -> Iterator[tuple[str, str]]:
    """What has the name of a record file and is none, with what it is instead; never read."""
    yield from _odd(home / RECORDS, RECORDS)


def counted(home: Path) -> dict[str, int]:
    """How many record files lie in each folder that holds some, past versions left out.

    Folders are named like files, relative to the store folder.
    """
    return dict(_count(home / RECORDS, RECORDS))


def holds_records(home: Path) -> bool:
    """Whether files lie there that a database wrote for its records."""
    for _, _, names in os.walk(home / RECORDS):
        if any(is_id(name.partition(".")[0]) for name in names):
            return True
    return False


def inside(home: Path, folder: str) -> Iterator[str]:
    """Names of the record files that lie in one folder itself, in no order."""
    for entry in _visible(home / folder):
        if _is_record(entry):
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
    """Remove a file, and the folders that became empty; a missing one is no error.

    A folder in its place is moved to the quarantine.
    """
    path = home / name
    if is_folder(path):
        set_aside(home, name, IN_THE_WAY)
    path.unlink(missing_ok=True)
    for folder in path.parents:
        if folder in (home, home / RECORDS):
            return
        try:
            folder.rmdir()
        except OSError:
            return


def set_aside(home: Path, name: str, why: str) -> str:
    """Move a file, or whatever it is, to the quarantine with a note on where it was and why.

    Returns:
        Its new name, relative to the store folder.

    Raises:
        OSError: It cannot be moved; it stays where it is.
    """
    target = _place_aside(home, name)
    (home / name).replace(target)
    with contextlib.suppress(OSError):
        if not target.is_symlink():
            target.chmod(0o700 if target.is_dir() else 0o600)
        _explain(target, name, why)
    return f"{QUARANTINE}/{target.name}"


def keep_aside(home: Path, name: str, data: bytes, why: str) -> str:
    """Put a part of a file into the quarantine, the file itself staying where it is.

    Returns:
        The name of what was kept, relative to the store folder.

    Raises:
        OSError: It cannot be written.
    """
    target = _place_aside(home, name)
    write_whole(target, data, now())
    with contextlib.suppress(OSError):
        _explain(target, name, why)
    return f"{QUARANTINE}/{target.name}"


def is_folder(path: Path) -> bool:
    """Whether a folder, not a link to one, has this name."""
    return path.is_dir() and not path.is_symlink()


def _place_aside(home: Path, name: str) -> Path:
    """A free name in the quarantine."""
    folder = home / QUARANTINE
    make_folders(folder)
    suffix = Path(name).suffix
    # Forty characters of any script leave room below 255 bytes.
    base = f"{Path(name).stem[:40]}-{now():%Y%m%dT%H%M%S%f}"
    target = folder / f"{base}{suffix}"
    number = 1
    while os.path.lexists(target):
        number += 1
        target = folder / f"{base}-{number}{suffix}"
    return target


def _explain(target: Path, name: str, why: str) -> None:
    note = f"from: {name}\nwhy: {why}\n"
    write_whole(target.with_name(target.name + WHY), note.encode("utf-8", "replace"), now())


def _walk(folder: Path, name: str, *, past: bool = False) -> Iterator[Found]:
    for entry in sorted(_visible(folder), key=lambda entry: entry.name):
        inner = f"{name}/{entry.name}"
        if _is_inner(entry):
            yield from _walk(folder / entry.name, inner, past=past or inner.endswith(HISTORY))
        elif _is_record(entry):
            with contextlib.suppress(FileNotFoundError):
                stamp = entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
                yield Found(inner, stamp, past)


def _count(folder: Path, name: str) -> Iterator[tuple[str, int]]:
    number = 0
    for entry in _visible(folder):
        if not _is_inner(entry):
            number += _is_record(entry)
        elif not entry.name.endswith(HISTORY):
            yield from _count(folder / entry.name, f"{name}/{entry.name}")
    if number:
        yield name, number


def _odd(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(_all(folder), key=lambda entry: entry.name):
        inner = f"{name}/{entry.name}"
        if not entry.is_symlink() and _is_inner(entry):
            yield from _odd(folder / entry.name, inner)
        elif _is_named(entry) and not _is_record(entry):
            folders = entry.is_dir(follow_symlinks=False)
            yield inner, "a link" if entry.is_symlink() else "a folder" if folders else "no file"


def _visible(folder: Path) -> Iterator[os.DirEntry[str]]:
    return (entry for entry in _all(folder) if not entry.is_symlink())


def _all(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        scan = os.scandir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    with scan:
        for entry in scan:
            if not entry.name.startswith("."):
                yield entry


def _is_inner(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder that may hold record files; none of ours has a file's name."""
    return entry.is_dir(follow_symlinks=False) and not _is_named(entry)


def _is_record(entry: os.DirEntry[str]) -> bool:
    # A pipe would never end, and a device never begin.
    return _is_named(entry) and entry.is_file(follow_symlinks=False)


def _is_named(entry: os.DirEntry[str]) -> bool:
    return entry.name.lower().endswith(".md")
