"""A plan that is killed half-way leaves files that parse, and can be finished or taken back."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.using import install, parses, pieces, tree, uninstall

# Carries out a plan in which, between two edits, the client's command kills its parent.
KILLED = """
import sys
from dataclasses import replace
from pathlib import Path
from memex_adapters.apply import apply
from memex_adapters.plan import Planner
from memex_adapters.receipts import Receipts
from memex_adapters.steps import Run
from tests.adapters.using import pieces

store, home, at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
planner = Planner(Receipts.load(store))
for name, kind in (("a.json", "json"), ("b.toml", "toml"), ("c.md", "text")):
    planner.install(name, pieces(kind, home / name))
plan = planner.plan()
entry = pieces("json", home / "a.json")[0]
kill = Run(command=("sh", "-c", "kill -9 $PPID"), entry=entry, leaves="current")
apply(replace(plan, steps=(*plan.steps[:at], kill, *plan.steps[at:])))
"""
FILES = (("a.json", "json"), ("b.toml", "toml"), ("c.md", "text"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "a.json").write_bytes(b'{"a": 1, "mcpServers": {}}')
    (home / "b.toml").write_bytes(b"b = 1")
    (home / "c.md").write_bytes(b"# c\r\n")
    return home


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("then", ["take back", "finish"])
def test_a_plan_that_was_killed_can_be_finished_and_taken_back(
    tmp_path: Path, home: Path, at: int, then: str
) -> None:
    store, before = tmp_path / "store", tree(home)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(store), str(home), str(at)], check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    changed = [name for name, each in tree(home).items() if each != before[name]]
    assert changed == ["a.json", "b.toml", "c.md"][:at]
    for name, kind in FILES:
        parses(kind, (home / name).read_bytes())  # type: ignore[arg-type]  # each is a Kind

    for name, kind in FILES:
        wanted = pieces(kind, home / name)  # type: ignore[arg-type]  # each is a Kind
        if then == "finish":
            install(store, wanted, name)
            assert b"memex" in (home / name).read_bytes()
        uninstall(store, wanted, name)

    assert tree(home) == before
