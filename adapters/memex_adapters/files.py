"""Reads and writes whole files: through symlinks, at once, with the bits they had."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from memex_adapters.errors import Unclear


def real(path: Path, *, writing: bool = True) -> Path:
    """The file behind a path, which may be a symlink or not exist yet.

    Raises:
        Unclear: It is a folder, a dangling or circular link, or read-only and ``writing`` is
            meant.
    """
    try:
        target = path.resolve()
        if path.is_symlink() and not target.exists():
            raise Unclear(f"{path} is a link to a file that is not there", "Mend the link first.")
        if target.exists():
            mode = target.stat().st_mode
            if not stat.S_ISREG(mode):
                raise Unclear(f"{path} is no file", "Move it away first.")
            # The bits count, not what we might: root, too, leaves a read-only file alone.
            if writing and not mode & 0o222:
                raise Unclear(f"{path} is read-only", "Make it writable first.")
    except (OSError, RuntimeError) as error:
        raise Unclear(f"{path} cannot be looked at: {_why(error)}") from error
    return target


def read(path: Path) -> bytes | None:
    """What a file holds, ``None`` when there is none.

    Raises:
        Unclear: It is there and cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unclear(f"{path} cannot be read: {_why(error)}") from error


def _why(error: OSError | RuntimeError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "its links run in a circle"


def text_of(path: Path, content: bytes | None) -> str:
    """The content of a file as text; empty for no file.

    Raises:
        Unclear: It is not UTF-8.
    """
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unclear(f"{path} is not UTF-8", "Save it as UTF-8, then try again.") from error


def read_text(path: Path) -> str:
    """The text that a file holds, empty when there is none.

    Raises:
        Unclear: It is there and cannot be read, or is not UTF-8.
    """
    return text_of(path, read(path))


def bits(path: Path) -> int:
    """The permission bits of a file; those of a private one when there is none."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0o600


def write(path: Path, content: bytes, *, mode: int) -> list[Path]:
    """Put a whole file in place at once; one that is there keeps its bits.

    Returns:
        The folders that were made for it, the outermost first.
    """
    made: list[Path] = []
    try:
        for folder in reversed(path.parents):
            if not folder.exists():
                folder.mkdir(mode=0o700 if mode & 0o077 == 0 else 0o755)
                made.append(folder)
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(path.stat().st_mode)
        _replace(path, content, mode)
    except BaseException:
        remove_folders(made)
        raise
    return made


def _replace(path: Path, content: bytes, mode: int) -> None:
    """Write beside the file, then rename: nobody ever reads half of it."""
    try:
        _write_beside(path, content, mode)
    except OSError as error:
        # Of a file that only we know of, or of none at all, nobody can make sense.
        error.filename = str(path)
        raise


def _write_beside(path: Path, content: bytes, mode: int) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def remove(path: Path) -> None:
    """Remove a file that may be gone already."""
    path.unlink(missing_ok=True)


def remove_folders(folders: list[Path]) -> None:
    """Remove those of some folders that are empty, the innermost first."""
    for folder in sorted(folders, key=lambda each: len(each.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()
