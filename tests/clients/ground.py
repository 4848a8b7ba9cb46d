"""The ground under a test: the installed clients, a store and a workspace."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from memex_mcp import settings
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Surface
from memex_mcp.model.levels import Level
from tests.process import COMMAND

HERE = Path(__file__).parent
RECORD_ID = re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b")


def _machine() -> str:
    """This machine as npm packages name it, such as ``linux-x64``."""
    processor = platform.machine().lower()
    names = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
    return f"{sys.platform}-{names.get(processor, processor)}"


PINS = {
    name: (package.replace("MACHINE", _machine()), version)
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
        scratch: Logs, one folder for each run.
        installed: What stands for the installed command; it notes what clients send to a server.
    """

    root: Path
    workspace: Path
    scratch: Path
    installed: Path

    @classmethod
    def under(cls, path: Path) -> "Ground":
        """Make the folders; the workspace is an empty git repository."""
        ground = cls(
            root=path / "store",
            workspace=path / "project",
            scratch=path / "runs",
            installed=path / "bin" / "memex-mcp",
        )
        for folder in (ground.workspace, ground.scratch, ground.installed.parent):
            folder.mkdir()
        subprocess.run(["git", "init", "--quiet", str(ground.workspace)], check=True)
        tap = [sys.executable, "-IS", str(HERE / "tap.py"), str(ground._sent)]
        serve = f"os.execv({tap[0]!r}, {[*tap, *COMMAND]} + sys.argv[1:])"
        lines = (
            f"#!{sys.executable}",
            "import os, sys",
            f"if sys.argv[1:2] == ['serve']: {serve}",
            "from memex_mcp.cli import main",
            "sys.exit(main())",
        )
        ground.installed.write_text("\n".join(lines) + "\n", encoding="utf-8")
        ground.installed.chmod(0o755)
        return ground

    @property
    def _sent(self) -> Path:
        return self.scratch.with_name("sent.jsonl")

    @property
    def where(self) -> list[str]:
        """The arguments that name this store and workspace."""
        return ["--root", str(self.root), "--workspace", str(self.workspace)]

    def sent(self) -> list[str]:
        """What clients have sent to servers of ours, a message a line."""
        return self._sent.read_text(encoding="utf-8").splitlines() if self._sent.exists() else []

    def switch_on(self) -> None:
        """What ``memex-mcp level on both`` does when a person types it on a terminal."""
        memory = Memory(settings.load(self.root))
        evidence = Evidence(surface=Surface.CLI, client="cli", workspace=self.workspace, human=True)
        for level in Level:
            memory.switches.turn_on(level, memory.caller(evidence))
        memory.close()

    def set_up(self, home: Path, *words: str, clients: Sequence[str] = ()) -> str:
        """Run a command in a home, such as ``init claude``, with some clients on its PATH."""
        variables = environment(home)
        folders = [str(program(name).parent) for name in clients]
        variables["PATH"] = ":".join([*folders, variables["PATH"]])
        return _ran([str(self.installed), *words, "--root", str(self.root)], home.parent, variables)

    def show(self, *words: str) -> str:
        """What a command prints on this store and workspace."""
        return _ran([*COMMAND, *words, *self.where], self.workspace)

    def open(self, record_id: str) -> dict[str, object]:
        """The record as ``memex-mcp open --json`` shows it."""
        shown: dict[str, object] = json.loads(self.show("open", record_id, "--json"))
        return shown


def _ran(command: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        cwd=folder,
        env=variables,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
