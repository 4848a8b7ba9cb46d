from pathlib import Path

import pytest

from tests.hooks.using import Place, copied, make


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A place that no test changes."""
    return make(tmp_path_factory.mktemp("shared"))


@pytest.fixture
def place(shared: Place, tmp_path: Path) -> Place:
    """A store of one's own."""
    return copied(shared, tmp_path / "own")
