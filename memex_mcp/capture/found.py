"""Markdown files that people name, or that lie in folders that they name."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from memex_mcp.errors import Invalid

_SUFFIXES = (".md", ".mdc", ".markdown")
_NOT_THEIRS = {"node_modules", "vendor", "__pycache__"}
_MOST_BYTES = 2_000_000
_SOURCE_CHARACTERS = 360


def files(paths: Sequence[Path]) -> list[Path]:
    """The files to read, each once; of a folder all Markdown that is not hidden in it.

    Raises:
        Invalid: A path leads nowhere.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise Invalid(f"there is no {path.name[:80]!r}", "Name a file or a folder.")
        found.update(dict.fromkeys(_inside(path) if path.is_dir() else [path.absolute()]))
    return list(found)


def text(path: Path) -> tuple[str, str]:
    """What stands in a file; else why it is not read, in a word or two."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return "", "too large"
        return path.read_text(encoding="utf-8-sig"), ""
    except UnicodeDecodeError:
        return "", "not UTF-8"
    except OSError:
        return "", "unreadable"


def named(path: Path, roots: Sequence[Path], home: Path) -> str:
    """What a file is called in a source: from the workspace, else from the home folder.

    Args:
        path: Absolute.
        roots: The workspace in its spellings, and the worktree.
        home: The user's home folder.
    """
    whole = path.resolve()
    name = whole.as_posix()
    for root in (*roots, home):
        if whole.is_relative_to(root):
            below = whole.relative_to(root).as_posix()
            name = f"~/{below}" if root == home else below
            break
    sound = os.fsencode(name).decode("utf-8", "replace")
    sound = "".join(letter if letter.isprintable() else "?" for letter in sound)
    return sound if len(sound) <= _SOURCE_CHARACTERS else f"…{sound[-_SOURCE_CHARACTERS:]}"


def _inside(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder.absolute()):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _NOT_THEIRS
        )
        for name in sorted(names):
            if name.lower().endswith(_SUFFIXES) and not name.startswith("."):
                yield Path(place, name)
