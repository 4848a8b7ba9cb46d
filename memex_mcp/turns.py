"""Programs that change files outside of the store take turns."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from memex_mcp.store.lock import FileLock

# Seconds: as long as a client's own command may take, which somebody else may be waiting for.
_PATIENCE = 60.0


@contextmanager
def taking_turns(home: Path) -> Generator[None]:
    """Hold off every other program that changes the files of a person's clients.

    The lock lies in the home and is gone afterwards.  Where there is no home, or nobody can write
    to it, no client has files to change there, and nothing is held.

    Raises:
        Unavailable: Another program is at it and does not end.
    """
    if not os.access(home, os.W_OK):
        yield
        return
    path = home / ".memex-mcp.lock"
    with FileLock(path, _PATIENCE, "the files of your clients"):
        try:
            yield
        finally:
            # Whoever waits for it notices.  Windows keeps a file that is open: there it stays.
            with suppress(OSError):
                path.unlink()
