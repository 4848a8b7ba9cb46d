import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Surface
from memex_mcp.settings import Settings
from memex_mcp.text import tokens

# Properties are about results; how long one takes depends on what else the machine does.
settings.register_profile(
    "memex", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("memex")


_LONG = tuple(
    f"tests/{name}"
    for name in (
        *("clients/", "whole/test_crashes.py", "whole/test_many_processes.py"),
        *("whole/test_backfill_many.py", "adapters/test_real_clients.py"),
    )
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest: at the end one of them would keep the other workers waiting."""
    items.sort(key=lambda item: not item.nodeid.startswith(_LONG))


@pytest.fixture(autouse=True)
def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may read or write the developer's own memory, or be told apart by a client."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    # A vocabulary that one test loads counts for no other.
    monkeypatch.setattr(tokens, "_exact", None)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home" / "data"))
    for name in (
        *("MEMEX_HOME", "MEMEX_DISABLED", "MEMEX_MAX_LEVELS"),
        *("MEMEX_MODEL", "MEMEX_LANGUAGE", "MEMEX_FORMAT"),
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests noted as they ran, such as the seconds of each real client."""
    noted = [
        (name, value)
        for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
        for name, value in report.user_properties
    ]
    if noted:
        terminalreporter.section("noted")
    for name, value in noted:
        terminalreporter.write_line(f"{name:24}{value:>8}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def public() -> Generator[Path]:
    """A folder below which another user may be given a store."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700)
    shutil.rmtree(folder)


@pytest.fixture
def memory(root: Path) -> Generator[Memory]:
    opened = Memory(Settings(home=root))
    yield opened
    opened.close()


@pytest.fixture
def agent(memory: Memory, project: Path) -> Caller:
    return memory.caller(
        Evidence(surface=Surface.TOOL, client="agent-a", workspace=project, session_id="s-a")
    )


@pytest.fixture
def person(memory: Memory, project: Path) -> Caller:
    return memory.caller(Evidence(surface=Surface.CLI, client="cli", workspace=project, human=True))
