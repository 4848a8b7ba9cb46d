from collections.abc import Generator
from pathlib import Path

import pytest

from tests.whole.using import Place, Server


@pytest.fixture
def place(root: Path, project: Path) -> Place:
    return Place(root, project)


@pytest.fixture
def server(place: Place) -> Generator[Server]:
    with Server(place, "--structured") as running:
        yield running
