"""The programs themselves find what was entered, and a home is as it was when it is gone."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memex_adapters.clients import client
from memex_mcp.cli import main, wiring
from tests.adapters.using import tree
from tests.clients.ground import environment, need, program
from tests.clients.persons import furnish

QUIET = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
DEADLINE = 60


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which the person has other servers, hooks and rules; both clients are on PATH."""
    home = tmp_path / "home of 某人"
    furnish(home)
    need("claude", "codex")
    folders = [str(program(name).parent) for name in ("claude", "codex")]
    variables = {**environment(home), **QUIET, "MEMEX_HOME": str(tmp_path / "store")}
    variables["PATH"] = ":".join([*folders, variables["PATH"]])
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", [str(Path(sys.executable).with_name("memex-mcp"))])
    monkeypatch.chdir(tmp_path)
    return home


def ran(*command: str) -> str:
    done = subprocess.run(
        command, check=True, capture_output=True, encoding="utf-8", timeout=DEADLINE
    )
    return done.stdout


def troubles(name: str) -> list[str]:
    """What the installer finds wrong with what it entered."""
    place = wiring.place_of("user")
    words = ("--all-tools",) if name == "claude" else ()
    launch = wiring.launch_of(wiring.choice(None, place).command, None, words)
    return client(name).check(place, launch)


def written(home: Path) -> dict[str, tuple[str, int, bytes]]:
    """What a person keeps in a home, without what the programs note for themselves."""
    own = (".claude/backups", ".claude/telemetry", ".claude.json", ".cache")
    return {
        name: each
        for name, each in tree(home).items()
        if not name.startswith(own) and (not name.startswith(".codex/") or name in CODEX_FILES)
    }


CODEX_FILES = {".codex/config.toml", ".codex/AGENTS.md", ".codex/hooks.json"}


@contextmanager
def app_server() -> Iterator[Any]:
    """Asks a running Codex: a function from method and parameters to the result."""
    with subprocess.Popen(
        ["codex", "app-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        sender, receiver = process.stdin, process.stdout

        def tell(**message: object) -> None:
            sender.write(json.dumps(message) + "\n")
            sender.flush()

        def ask(method: str, **params: object) -> Any:
            tell(id=method, method=method, params=params)
            for line in receiver:
                told = json.loads(line)
                if told.get("id") == method:
                    return told["result"]
            raise AssertionError("codex ended without an answer")

        try:
            ask("initialize", clientInfo={"name": "test", "title": "test", "version": "1"})
            tell(method="initialized")
            yield ask
        finally:
            process.kill()


@pytest.mark.timeout(180)
def test_claude_reaches_the_server_and_forgets_it(home: Path) -> None:
    before = written(home)
    assert main(["init", "claude", "--yes", "--no-check"]) == 0

    told = ran("claude", "mcp", "get", "memex")
    assert "✔ Connected" in told
    assert f"{home}/.local/bin/memex-mcp" in told
    assert main(["init", "claude", "--yes", "--all-tools"]) == 0
    assert "--all-tools" in ran("claude", "mcp", "get", "memex")
    assert troubles("claude") == []
    launcher = home / ".local" / "bin" / "memex-mcp"
    launcher.rename(launcher.with_name("moved"))
    assert any("is not there" in each for each in troubles("claude"))
    launcher.with_name("moved").rename(launcher)
    assert main(["uninstall", "claude", "--yes"]) == 0

    assert written(home) == before
    left = json.loads((home / ".claude.json").read_text(encoding="utf-8"))
    assert left["mcpServers"] == {"other": {"type": "stdio", "command": "true"}}


@pytest.mark.timeout(180)
def test_codex_reaches_the_server_sees_the_hooks_and_forgets_them(home: Path) -> None:
    before = written(home)
    assert main(["init", "codex", "--yes", "--no-check"]) == 0

    with app_server() as ask:
        servers = {each["name"]: each for each in ask("mcpServerStatus/list")["data"]}
        hooks = ask("hooks/list", cwds=[str(home.parent)])["data"][0]

    assert servers["memex"]["serverInfo"]["name"] == "memex"
    assert {"memory_search", "memory_write"} <= servers["memex"]["tools"].keys()
    assert (hooks["warnings"], hooks["errors"]) == ([], [])
    ours = [each for each in hooks["hooks"] if "--client codex" in each["command"]]
    assert len(ours) == 5
    assert {each["trustStatus"] for each in ours} == {"untrusted"}
    # Theirs came first and still does, which is what its trust is noted under.
    assert f"{home}/.codex/hooks.json:stop:0:0" in {
        each["key"] for each in hooks["hooks"] if each["command"] == "true"
    }
    assert main(["uninstall", "codex", "--yes"]) == 0
    assert written(home) == before


@pytest.mark.timeout(180)
def test_codex_starts_with_what_is_left_and_names_no_server_of_ours(home: Path) -> None:
    assert main(["init", "codex", "--yes", "--no-check"]) == 0
    assert "memex" in ran("codex", "mcp", "list")
    assert [each[:27] for each in troubles("codex")] == ["Codex has trusted none of t"]

    assert main(["uninstall", "codex", "--yes"]) == 0

    assert "memex" not in ran("codex", "mcp", "list")
    assert shutil.which("codex") is not None
