"""One lock per store that excludes every other thread and every other process."""

import os
import sys
import time
from pathlib import Path
from types import TracebackType

from memex_mcp.errors import Unavailable

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(fd: int) -> None:
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


# The pause between two tries is drawn anew each time, so no waiter keeps losing the race.
_SHORTEST, _LONGEST = 0.0002, 0.004


class FileLock:
    """An exclusive lock on a file; waits, then gives up.

    The operating system frees it when its holder dies.  Each holder has a file descriptor
    of its own, so two locks on one path exclude each other within a process as well.  Not
    re-entrant.

    Args:
        path: The lock file; made (mode 0600) when missing, never removed.
        timeout: Seconds to wait when ``acquire`` names none.
        what: What it guards, for people.
    """

    def __init__(self, path: Path, timeout: float = 10.0, what: str = "the memory store") -> None:
        self.path = path
        self._timeout = timeout
        self._what = what
        self._fd: int | None = None

    def acquire(self, timeout: float | None = None) -> None:
        """Wait for the lock.

        Args:
            timeout: Seconds; the lock's own when left out.

        Raises:
            Unavailable: Somebody else held it all that time, or the file cannot be opened.
        """
        deadline = time.monotonic() + (self._timeout if timeout is None else timeout)
        while (fd := self._try()) is None:
            # Few ever wait, and who does not would load it for nothing.
            import random

            if time.monotonic() >= deadline:
                raise Unavailable(
                    f"another program is using {self._what}", "Try again in a moment."
                )
            time.sleep(random.uniform(_SHORTEST, _LONGEST))  # noqa: S311 - nothing secret
        self._fd = fd

    def release(self) -> None:
        """Let the next one in; does nothing when the lock is not held."""
        fd, self._fd = self._fd, None
        if fd is None:
            return
        try:
            # Closing alone would keep the lock alive in a forked child's copy.
            _unlock(fd)
        finally:
            os.close(fd)

    def __enter__(self) -> "FileLock":
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def _try(self) -> int | None:
        """A descriptor that holds the lock, or None when somebody else does."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        try:
            fd = os.open(self.path, flags, 0o600)
            try:
                held = _try_lock(fd) and self._is_current(fd)
            except BaseException:
                os.close(fd)
                raise
        except OSError as error:
            raise Unavailable(f"{self._what} cannot be locked") from error
        if held:
            return fd
        os.close(fd)
        return None

    def _is_current(self, fd: int) -> bool:
        """Whether ``fd`` is still the file at the path: a removed lock file excludes nobody."""
        if sys.platform == "win32":
            return True
        mine = os.fstat(fd)
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False
        return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
