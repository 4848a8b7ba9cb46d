"""Several runs of ``init`` and ``uninstall`` at once take turns and lose nothing of each other."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from memex_mcp.errors import Unavailable
from memex_mcp.store.lock import FileLock
from tests.adapters.using import tree
from tests.card import card
from tests.process import COMMAND, DEADLINE, memex

NAMES = ("claude", "codex", "qwen", "opencode")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a file for a client; none is on PATH, and the store is another folder."""
    home = tmp_path / "home"
    (home / ".codex").mkdir(parents=True)
    (home / ".codex" / "config.toml").write_text('model = "x" # mine\n', encoding="utf-8")
    return home


def variables(home: Path) -> dict[str, str]:
    return {**os.environ, "PATH": "/nowhere", "MEMEX_HOME": str(home.with_name("store"))}


def at_once(home: Path, *command: str) -> None:
    """Run a command for each client, all at the same time; each has to end well."""
    running = [
        subprocess.Popen(
            [*COMMAND, *command, name, "--yes"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            cwd=home.parent,
            env=variables(home),
        )
        for name in NAMES
    ]
    for process in running:
        told, _ = process.communicate(timeout=DEADLINE)
        assert process.returncode == 0, told


@card("clients.turns")
def test_what_each_entered_is_there_and_goes_again(home: Path) -> None:
    before = tree(home.parent)

    at_once(home, "init")

    listed = home.with_name("store") / "clients" / "installed.json"
    files = json.loads(listed.read_text(encoding="utf-8"))["files"].values()
    assert {name for each in files for name in each["clients"]} == {*NAMES, "launcher"}
    again = memex("init", *NAMES, "--yes", cwd=home.parent, env=variables(home))
    assert again.out.startswith("Everything is in place already."), again
    at_once(home, "uninstall")

    assert tree(home.parent) == before


def test_without_a_home_there_is_nothing_to_wait_for(home: Path) -> None:
    nowhere = {**variables(home), "HOME": str(home / "not there")}

    done = memex("uninstall", "--yes", cwd=home.parent, env=nowhere)

    assert done.out == "Nothing of memex is there.\n", done
    assert not (home / "not there").exists()


def test_a_dry_run_waits_for_nobody_and_the_lock_tells_what_it_guards(home: Path) -> None:
    path = home / ".memex-mcp.lock"

    with FileLock(path):
        shown = memex("init", "codex", "--dry-run", cwd=home.parent, env=variables(home))
        with pytest.raises(Unavailable, match="is using the files of your clients"):
            FileLock(path, 0.0, "the files of your clients").acquire()

    assert shown.code == 0
    assert "mcp_servers.memex" in shown.out
