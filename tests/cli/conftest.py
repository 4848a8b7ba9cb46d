from collections.abc import Callable
from pathlib import Path

import pytest

from memex_mcp.cli import main
from tests.process import Ran


@pytest.fixture(autouse=True)
def here(root: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command works in ``project`` with the store in ``root``; returns the project."""
    monkeypatch.setenv("MEMEX_HOME", str(root))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command in this process, as through pipes: much faster, and not another process."""

    def in_process(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(arguments)
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return in_process
