import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from memex_mcp.store.database import Database
from tests.make import make_db
from tests.store.shelf import Shelf


@pytest.fixture
def database(tmp_path: Path) -> Generator[Database]:
    opened = Database(tmp_path / "store", timeout=5.0)
    yield opened
    opened.close()


@pytest.fixture
def shelf(tmp_path: Path) -> Generator[Shelf]:
    """The records of a store, to be put there and looked at."""
    opened = Database(tmp_path / "store")
    yield Shelf(opened)
    opened.close()


@pytest.fixture
def db() -> Generator[sqlite3.Connection]:
    """An empty store in memory."""
    with closing(make_db()) as opened:
        yield opened
