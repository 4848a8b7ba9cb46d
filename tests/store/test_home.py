"""The folder of the store: private from the moment it is there."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from memex_mcp.errors import Unavailable
from memex_mcp.store.home import prepare, private_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A user who shares what they make."""
    before = os.umask(0o002)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_every_folder_that_is_made_is_private_and_one_that_was_there_stays(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()

    private_folder(shared / "data" / "memex")
    private_folder(shared / "data" / "memex")

    folders = (shared, shared / "data", shared / "data" / "memex")
    assert [stat.S_IMODE(path.stat().st_mode) for path in folders] == [0o775, 0o700, 0o700]


@pytest.mark.usefixtures("open_umask")
def test_a_store_makes_its_parents_private_and_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")

    prepare(tmp_path / "data" / "memex")

    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    with pytest.raises(Unavailable):
        prepare(tmp_path / "file" / "memex")
