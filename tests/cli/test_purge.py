"""The third way out of memex, as a person at a terminal and a program at a pipe meet it."""

import json
import sys
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from tests.adapters.using import tree
from tests.card import card
from tests.cli.using import Run, expect_told, posix
from tests.process import COMMAND, Ran, Serving, at_terminal, memex
from tests.using import actions

PORT = "The staging database listens on port 5433."


@pytest.fixture
def home(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with Codex and Claude Code in it; neither is on PATH."""
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('model = "x" # mine\n', encoding="utf-8")
    (project / "AGENTS.md").write_text("# Mine\n", encoding="utf-8")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", COMMAND)
    return home


def purge(*options: str, typed: str = "purge\n") -> Ran:
    return at_terminal(
        "purge", *options, typed=typed, env={"PATH": "/usr/bin:/bin", "TERM": "dumb"}
    )


def wired(run: Run, *options: str) -> None:
    assert run("init", "--yes", *options).code == 0


def wrote(run: Run) -> None:
    assert run("write", PORT).code == 0


def state(run: Run) -> str:
    """What a search finds here: a state, or the code of an error."""
    told = json.loads(run("search", "staging", "--json").out)
    return str(told["error"]["code"] if "error" in told else told["state"])


@posix
@card("off.strengths")
def test_each_of_three_ways_out_leaves_the_state_that_it_says(
    run: Run, home: Path, root: Path, project: Path
) -> None:
    before = tree(home), tree(project)
    wrote(run)
    wired(run)
    installed, records = tree(home), tree(root / "records")

    assert run("off").code == 0
    assert (tree(home), tree(root / "records")) == (installed, records)
    assert state(run) == "disabled"
    assert run("on").code == 0
    assert state(run) == "ok"

    assert run("uninstall", "--yes").code == 0
    assert (tree(home), tree(root / "records")) == (before[0], records)
    assert state(run) == "ok"

    wired(run)
    wired(run, "codex", "--scope", "project")
    wired(run, "--plugin", str(home / "my plugin"))
    told = purge()
    assert told.code == 0, told.out
    assert (tree(home), tree(project), root.exists()) == (*before, False)
    assert state(run) == "empty_archive"


@posix
def test_a_person_sees_what_there_is_and_says_so_in_a_word(
    run: Run, home: Path, root: Path
) -> None:
    wrote(run)
    wired(run, "codex")
    (root / "mine.txt").write_text("mine", encoding="utf-8")
    before = tree(home), tree(root)

    for typed in ("y\n", "\x04"):
        stopped = purge(typed=typed)
        assert (stopped.code, tree(home), tree(root)) == (1, *before), stopped.out
        assert stopped.out.rstrip().endswith("Nothing was changed.")
        assert "Claude" not in stopped.out
    told = purge(typed=" PURGE \n")

    assert told.code == 0, told.out
    said = " ".join(told.out.split())
    assert "records 1: 1 note workspaces 1 sessions 0 files 6, " in said
    for word in ("not ours", "config.toml (server)", "AGENTS.md (manual)", "Removed "):
        assert word in said
    assert "left alone, for memex did not make it: mine.txt - the folder is still there" in said
    assert [*tree(root)] == ["mine.txt"]


@card("purge.person")
def test_through_a_pipe_it_is_refused_and_only_counts(
    run: Run, home: Path, root: Path, memory: Memory
) -> None:
    wrote(run)
    wired(run)
    before = tree(home), tree(root / "records")

    expect_told(run("purge"), "denied")
    refused = run("purge", "--json")
    counted = run("purge", "--dry-run", "--json")

    assert (refused.code, json.loads(refused.out)["error"]["code"]) == (1, "denied")
    assert "terminal" in json.loads(refused.out)["error"]["hint"]
    assert (tree(home), tree(root / "records")) == before
    told = json.loads(counted.out)
    assert (counted.code, told["done"], told["purged"]) == (0, False, None)
    assert told["held"]["counts"] == {"records": {"note": 1}, "workspaces": 1, "sessions": 0}
    assert {step["do"] for step in told["steps"]} == {"change", "remove"}
    assert actions(memory) == ["create", "deny", "deny"]


@posix
def test_what_cannot_be_taken_out_of_a_client_stops_it_before_the_data(
    run: Run, home: Path, root: Path
) -> None:
    wrote(run)
    wired(run)
    config = home / ".codex" / "config.toml"
    sound = config.read_text(encoding="utf-8")
    config.write_text(f"{sound}[broken", encoding="utf-8")
    before = tree(home), tree(root)

    stopped = purge()

    assert stopped.code == 1
    assert "not valid TOML" in " ".join(stopped.out.split())
    assert (tree(home), tree(root)) == before
    config.write_text(sound, encoding="utf-8")
    assert purge().code == 0
    assert not root.exists()


@posix
def test_clients_can_be_kept_with_what_their_files_held_before(
    run: Run, home: Path, root: Path
) -> None:
    before = tree(home)
    wrote(run)
    wired(run)
    installed = tree(home)

    told = purge("--keep-clients", "--json")

    assert told.code == 0, told.out
    assert tree(home) == installed
    assert {path.name for path in root.iterdir()} == {"clients"}
    wrote(run)
    assert run("uninstall", "--yes").code == 0
    assert tree(home) == before


@posix
def test_a_store_that_no_client_was_wired_from_takes_nothing_out_of_them(
    run: Run, home: Path, tmp_path: Path
) -> None:
    wired(run)
    installed, other = tree(home), tmp_path / "other"
    run("write", PORT, "--root", str(other))

    assert purge("--root", str(other)).code == 0

    assert (tree(home), other.exists()) == (installed, False)
    assert purge().code == 0
    assert tree(home) != installed


@posix
def test_where_there_is_nothing_nobody_is_asked(home: Path, root: Path) -> None:
    for _ in range(2):
        told = purge(typed="")
        assert (told.code, "Nothing of memex is in" in told.out) == (0, True)

    assert not root.exists()


@posix
@card("purge.over")
def test_a_server_that_runs_on_says_that_memory_is_gone_and_makes_none(
    root: Path, project: Path
) -> None:
    with Serving(root, cwd=project) as server:
        record = server.write(PORT)
        assert "5433" in server.text("memory_open", id=record)
        assert at_terminal("purge", "--root", str(root), typed="purge\n").code == 0

        for tool, given in (
            ("memory_search", {"query": "staging"}),
            ("memory_write", {"text": PORT}),
            ("memory_open", {"id": record}),
        ):
            told = server.text(tool, **given)
            assert told.startswith("unavailable: the memory store was removed."), told
        assert server.status()["by_status"] == {}
        assert server.close() == 0
    hook = memex("hook", "stop", "--client", "claude", "--root", str(root), typed="{}")
    assert (hook.code, hook.out) == (0, "")
    assert not root.exists()
