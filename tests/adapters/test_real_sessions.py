"""A session in a home that was set up by ``init`` alone: the server answers and the hooks run."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp import settings
from memex_mcp.cli import main
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Surface
from memex_mcp.model.levels import Level
from tests.clients.clients import CLAUDE, CODEX, Client
from tests.clients.ground import Ground, environment, need, program
from tests.clients.model import Call, Say, Step

ASKED = "On which day does the harbour train leave?"
WRITTEN = "The harbour train leaves on Thursdays."


def as_it_is(home: Path, server: Sequence[str]) -> None:
    """Writes nothing: the home is set up already."""
    del home, server


@pytest.mark.timeout(300)
@pytest.mark.parametrize("client", [CLAUDE, CODEX], ids=lambda client: client.name)
def test_what_init_entered_is_all_that_a_session_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    need(client.name)
    home = tmp_path / "home of 某人"
    home.mkdir()
    ground = Ground.under(tmp_path)
    memory = Memory(settings.load(ground.root))
    evidence = Evidence(surface=Surface.CLI, client="cli", workspace=ground.workspace, human=True)
    for level in Level:
        memory.switches.turn_on(level, memory.caller(evidence))
    memory.close()
    variables = environment(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{program(client.name).parent}:{variables['PATH']}")
    monkeypatch.setattr(sys, "argv", [str(Path(sys.executable).with_name("memex-mcp"))])
    root = str(ground.root)
    assert main(["init", client.name, "--yes", "--allow", "--root", root]) == 0

    wired = replace(client, configure=as_it_is, hook=None)
    steps: list[Step] = [
        Call("memory_write", {"text": WRITTEN}),
        Say("Noted: it leaves on Thursdays."),
    ]
    # Codex starts its first turn without a server that takes a second, unless told to wait.
    waiting = ("-c", "mcp_servers.memex.required=true") if client is CODEX else ()
    words = (*client.trusting, *waiting)
    run = wired.run(ground, steps, ASKED, home=home, words=words)

    assert (run.exit_code, run.troubles) == (0, ()), run.story
    assert "created" in run.results[0], run.story
    # The manual reached the model, and the turn the archive: the hook at its end ran.
    assert any("memory_search" in json.dumps(request.body) for request in run.requests), run.story
    listed = subprocess.run(
        ground.command("list", "--json"), check=True, capture_output=True, timeout=60
    )
    kinds = {record["kind"] for record in json.loads(listed.stdout)["records"]}
    assert kinds >= {"note", "checkpoint"}, run.story
    # It tells what went wrong, and is not made while nothing does.
    assert not (ground.root / "logs" / "hooks.log").exists()
    assert main(["uninstall", client.name, "--yes", "--root", root]) == 0
