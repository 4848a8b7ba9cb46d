"""A store to try something out in: the same database in a folder that is thrown away."""

import contextlib
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from memex_mcp.errors import Unavailable
from memex_mcp.store.connect import translated
from memex_mcp.store.home import DATABASE, private_file
from memex_mcp.store.inspect import snapshot


@contextmanager
def rehearsal(home: Path) -> Generator[Path]:
    """A private temp folder with a copy of the store's database; the store is not touched.

    Args:
        home: The store folder; where there is no store, the copy is empty.

    Raises:
        Unavailable: There is no room for the copy.
        Damaged: The file is not a sound database.
    """
    with tempfile.TemporaryDirectory(prefix="memex-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        if (home / DATABASE).exists():
            _copy(home, folder / DATABASE)
        yield folder


def _copy(home: Path, path: Path) -> None:
    try:
        private_file(path)
        with contextlib.ExitStack() as held:
            held.enter_context(translated())
            db = held.enter_context(snapshot(home))
            copy = sqlite3.connect(path, isolation_level=None)
            db.backup(held.enter_context(contextlib.closing(copy)))
    except OSError as error:
        raise Unavailable("there is no room to try this out", "Make room, then again.") from error
