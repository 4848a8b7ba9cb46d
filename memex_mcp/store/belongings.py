"""What of a store folder is memex's own, told by place and name, and what is somebody else's.

A link is never ours, whatever its name, and nobody looks behind it.  Only in the quarantine may
anything lie: what we moved there has a note beside it.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from memex_mcp.store.files import QUARANTINE, RECORDS, WHY, holds_records
from memex_mcp.store.home import ABOUT, DATABASE, EMBEDDING_LOCK, LOCK, README
from memex_mcp.values import dataclass

_LOCKS = {LOCK, EMBEDDING_LOCK}
_BESIDE = ("", "-wal", "-shm", "-journal")
_FILES = {
    *(f"{name}{suffix}" for name in (DATABASE, f"{DATABASE}.new") for suffix in _BESIDE),
    *("README.tmp", "config.toml", "tombstones.jsonl", ".tombstones.jsonl.tmp"),
    *_LOCKS,
}
_NAMES = {
    "logs": re.compile(r"(?:memex|hooks)\.log(?:\.1)?"),
    "backups": re.compile(r"before-(?:rebuild|schema)-[^/]+"),
    # A copy of a client's file by its hash, the list of them, and what a crash left of either.
    "clients": re.compile(
        r"[0-9a-f]{64}|installed\.json|\.(?:[0-9a-f]{40}|installed\.json)\.[^/]+"
    ),
}
_FOLDERS = {RECORDS, QUARANTINE, *_NAMES}
# A record's own file, and what an editor left beside it.
_RECORD = re.compile(r"(?<![0-9A-Z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Z])")


@dataclass(frozen=True, slots=True)
class Item:
    """One file, one folder, or whatever it is; nothing of what lies in a folder of others.

    Attributes:
        name: Relative to the store folder, with forward slashes; a folder ends in one.
        ours: It is memex's; of a folder, that what is ours may lie in it.
        bytes: Its size, for a file.
    """

    name: str
    ours: bool
    bytes: int = 0


def items(home: Path) -> Iterator[Item]:
    """All that lies in a store folder, in order of the names; nothing is ours in any other."""
    yield from _items(home, (), is_store=_is_store(home))


def _is_store(home: Path) -> bool:
    """Whether this is a store, or what a crash left of one."""
    try:
        names = {path.name for path in home.iterdir()}
    except (FileNotFoundError, NotADirectoryError):
        return False
    known = DATABASE in names or _is_about_us(home) or holds_records(home)
    return known or names <= _LOCKS


def _items(home: Path, above: tuple[str, ...], *, is_store: bool) -> Iterator[Item]:
    for entry in sorted(_entries(home.joinpath(*above)), key=lambda each: each.name):
        parts = (*above, entry.name)
        name = "/".join(parts)
        if not entry.is_dir(follow_symlinks=False):
            ours = is_store and _is_ours(home, parts, entry)
            size = entry.stat(follow_symlinks=False).st_size
            yield Item(name, ours, size)
        else:
            ours = is_store and _is_entered(home, parts)
            yield Item(f"{name}/", ours)
            if ours:
                yield from _items(home, parts, is_store=is_store)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scan:
            return list(scan)
    except FileNotFoundError:
        return []


def _is_entered(home: Path, parts: tuple[str, ...]) -> bool:
    """Whether a folder may hold what is ours."""
    if len(parts) == 1:
        return parts[0] in _FOLDERS
    return parts[0] == RECORDS or (parts[0] == QUARANTINE and _is_explained(home, parts[1]))


def _is_ours(home: Path, parts: tuple[str, ...], entry: os.DirEntry[str]) -> bool:
    top, *below = parts
    if top == QUARANTINE and below:
        return _is_explained(home, below[0])
    if not entry.is_file(follow_symlinks=False):
        return False
    if not below:
        return top in _FILES or (top == ABOUT and _is_about_us(home))
    if top == RECORDS:
        return any(map(_RECORD.search, below))
    return _NAMES[top].fullmatch("/".join(below)) is not None


def _is_explained(home: Path, name: str) -> bool:
    """Whether something in the quarantine has a note, is one, or is what a crash left of one."""
    folder = home / QUARANTINE
    unfinished = name.startswith(".") and name.endswith(".tmp")
    return name.endswith(WHY) or unfinished or (folder / f"{name}{WHY}").is_file()


def _is_about_us(home: Path) -> bool:
    """Whether the README is one of ours, of any version."""
    title = README.partition("\n")[0]
    try:
        with (home / ABOUT).open(encoding="utf-8", errors="replace") as file:
            return file.readline().rstrip() == title
    except OSError:
        return False
