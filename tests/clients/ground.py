"""The ground under a test: the installed clients, a store and a workspace."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RECORD_ID = re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b")
PINS = {
    name: (package, version)
    for name, package, version in map(
        str.split, (HERE / "pins.txt").read_text(encoding="utf-8").splitlines()
    )
}


def folder() -> Path:
    """Where the pinned clients are installed."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("MEMEX_TEST_CLIENTS") or Path(cache) / "memex-test-clients")


INSTALLED = folder()


def need(*names: str) -> None:
    """Go on only with these clients: without npm skip the test, with npm fail it."""
    missing = [name for name in names if not _installed(name)]
    if not missing:
        return
    if shutil.which("npm") is None:
        pytest.skip("npm is not on PATH, so the real clients cannot be installed")
    pytest.fail(f"{', '.join(missing)}: not in {INSTALLED}; run scripts/install_clients", False)


def _installed(name: str) -> bool:
    package, version = PINS[name]
    manifest = INSTALLED / name / "node_modules" / package / "package.json"
    if not manifest.exists():
        return False
    return bool(json.loads(manifest.read_text(encoding="utf-8"))["version"] == version)


def program(name: str, command: str = "") -> Path:
    """The executable of an installed client."""
    return INSTALLED / name / "node_modules" / ".bin" / (command or name)


def environment(home: Path, **extra: str) -> dict[str, str]:
    """All that a client sees of this machine's environment."""
    node = INSTALLED / "node" / "node_modules" / "node" / "bin"
    return {
        "PATH": f"{node}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "NO_PROXY": "127.0.0.1,localhost",
        **extra,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One store and one workspace that several clients share.

    Attributes:
        scratch: Homes and logs, one folder for each run.
    """

    root: Path
    workspace: Path
    scratch: Path

    @classmethod
    def under(cls, path: Path) -> "Ground":
        """Make the folders; the workspace is an empty git repository."""
        ground = cls(root=path / "store", workspace=path / "project", scratch=path / "runs")
        ground.workspace.mkdir()
        ground.scratch.mkdir()
        subprocess.run(["git", "init", "--quiet", str(ground.workspace)], check=True)
        return ground

    def command(self, *words: str) -> list[str]:
        """The installed command on this store and workspace."""
        installed = Path(sys.executable).with_name("memex-mcp")
        where = ["--root", str(self.root), "--workspace", str(self.workspace)]
        return [str(installed), *words, *where]

    def hook(self, client: str) -> list[str]:
        """The installed command for a client's hooks, to which an event's name is appended."""
        installed = Path(sys.executable).with_name("memex-mcp")
        return [str(installed), "hook", "--root", str(self.root), "--client", client]

    def open(self, record_id: str) -> dict[str, object]:
        """The record as ``memex-mcp open --json`` shows it."""
        command = self.command("open", record_id, "--json")
        done = subprocess.run(
            command, check=False, capture_output=True, encoding="utf-8", timeout=60
        )
        assert done.returncode == 0, done.stderr
        shown: dict[str, object] = json.loads(done.stdout)
        return shown
