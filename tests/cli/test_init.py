"""The commands for clients, as a person at a shell meets them."""

import json
import sys
from pathlib import Path

import pytest

from memex_manuals.rendering import render
from tests.adapters.using import tree
from tests.cli.using import Run, posix
from tests.process import at_terminal, memex

COMMAND = str(Path(sys.executable).with_name("memex-mcp"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with Codex and Claude Code in it; neither is on PATH."""
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('model = "x" # mine\n', encoding="utf-8")
    (home / ".claude" / "settings.json").write_text('{"model": "opus"}\n', encoding="utf-8")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", [COMMAND])
    return home


def test_init_enters_every_client_that_is_here_and_uninstall_takes_all_out(
    run: Run, home: Path
) -> None:
    before = tree(home)

    entered = run("init", "--yes")

    assert entered.code == 0, entered.err
    assert {".claude.json", ".codex/hooks.json", ".claude/rules/memex.md"} <= tree(home).keys()
    assert "Trust all and continue" in entered.out
    assert run("init", "--yes").out.startswith("Everything is in place already.")
    gone = run("uninstall", "--yes")
    assert gone.code == 0, gone.err
    assert tree(home) == before
    assert "Nothing of memex is there." in run("uninstall", "--yes").out


@posix
def test_init_asks_the_clients_whether_it_works(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gemini = home / "bin" / "gemini"
    gemini.parent.mkdir()
    gemini.write_text("#!/bin/sh\necho '✗ memex: /gone serve (stdio) - Disconnected'\n", "utf-8")
    gemini.chmod(0o755)
    monkeypatch.setenv("PATH", f"{gemini.parent}:/usr/bin:/bin")

    told = run("init", "claude", "gemini", "--yes")
    run("uninstall", "--yes")
    machine = run("init", "claude", "gemini", "--yes", "--json")
    run("uninstall", "--yes")
    silent = run("init", "claude", "gemini", "--yes", "--no-check")

    assert "! Gemini CLI: `gemini mcp list` does not reach the server" in " ".join(told.out.split())
    assert "Checked, and well: Claude Code." in told.out
    assert told.code == 0
    troubles = json.loads(machine.out)["troubles"]
    assert (troubles["claude"], len(troubles["gemini"])) == ([], 1)
    assert "mcp list" not in silent.out


def test_a_dry_run_shows_each_line_and_changes_nothing(run: Run, home: Path) -> None:
    before = tree(home)

    shown = run("init", "codex", "--dry-run")

    assert shown.code == 0
    assert "+[mcp_servers.memex]" in shown.out
    assert "# mine" not in shown.out
    assert tree(home) == before
    assert not (home.parent / "store").exists()


def test_what_stands_beside_a_change_is_not_shown(run: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"env": {"TOKEN": "sk-a"}, "hooks": {}, "z": "sk-b"}', encoding="utf-8")

    dry = ("init", "claude", "--allow", "--dry-run")
    for shown in (run(*dry), run(*dry, "--json")):
        assert "session-start" in shown.out
        assert "mcp__memex__*" in shown.out
        assert "sk-" not in shown.out


def test_a_store_that_was_never_used_leaves_no_folder_either(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMEX_HOME")
    before = tree(home)

    assert run("init", "--yes").code == 0
    assert "data/memex/clients/installed.json" in tree(home)
    assert run("uninstall", "--yes").code == 0

    assert tree(home) == before


def test_the_doctor_asks_the_clients_that_are_wired(run: Run, home: Path) -> None:
    assert json.loads(run("doctor", "--clients", "--json").out)["clients"] == {}
    run("init", "claude", "--yes")

    sound = run("doctor", "--clients", "--json")
    settings = home / ".claude" / "settings.json"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace(f'"{home}/.local/bin/', '"/gone/'), encoding="utf-8")
    broken = run("doctor", "--clients")

    assert (sound.code, json.loads(sound.out)["clients"]) == (0, {"claude": []})
    assert broken.code == 1
    assert "/gone/memex-mcp, which is not there" in " ".join(broken.out.split())
    assert "-> memex-mcp init claude" in broken.out
    assert run("doctor").code == 0


def test_nothing_changes_without_agreement(run: Run, home: Path) -> None:
    before = tree(home)

    assert run("init").err.startswith("denied: nothing is changed")
    assert json.loads(run("init", "--json").out)["error"]["code"] == "denied"
    assert tree(home) == before
    assert run("init", "--yes", "--json").code == 0
    installed = tree(home)
    assert run("uninstall").code == 1
    assert tree(home) == installed


@posix
def test_a_person_sees_each_line_and_is_asked(home: Path, project: Path) -> None:
    before = tree(home)
    go = ("init", "codex", "--levels", "l3")
    shell, path = f'cd "{project}" && "$@"', {"PATH": "/usr/bin:/bin"}

    no = at_terminal(*go, typed="n\n", shell=shell, env=path)
    assert (no.code, tree(home)) == (1, before)
    assert "+[mcp_servers.memex]" in no.out
    assert no.out.rstrip().endswith("Nothing was changed.")
    yes = at_terminal(*go, typed="y\n", shell=shell, env=path)

    assert yes.code == 0, yes.out
    assert "mcp_servers.memex" in (home / ".codex" / "config.toml").read_text(encoding="utf-8")
    switches = memex("status", "--json", cwd=project).json["switches"]
    assert (switches["l2"], switches["l3"] is None) == (None, False)


def test_only_a_person_turns_a_level_on_while_installing(run: Run, home: Path) -> None:
    before = tree(home)

    refused = run("init", "codex", "--yes", "--levels", "both")

    assert (refused.code, refused.err[:7]) == (1, "denied:")
    assert tree(home) == before
    assert run("init", "codex", "--yes").code == 0


def test_entries_name_the_launcher_and_the_store_and_no_project(
    run: Run, home: Path, project: Path
) -> None:
    told = json.loads(run("init", "codex", "--yes", "--json").out)

    launcher = home / ".local" / "bin" / "memex-mcp"
    assert told["command"] == str(launcher)
    text = (home / ".codex" / "config.toml").read_text(encoding="utf-8")
    assert f'command = "{launcher}"' in text
    assert f'args = ["serve", "--root", "{home.parent / "store"}"]' in text
    assert str(project) not in text
    assert "uvx" not in text


def test_a_command_can_be_named_and_then_needs_no_launcher(
    run: Run, home: Path, tmp_path: Path
) -> None:
    named = tmp_path / "memex-mcp"
    named.write_text("", encoding="utf-8")

    assert run("init", "codex", "--yes", "--command", "memex-mcp").code == 1
    assert run("init", "codex", "--yes", "--command", str(named)).code == 0

    assert f'"{named}"' in (home / ".codex" / "config.toml").read_text(encoding="utf-8")
    assert not (home / ".local").exists()


def test_one_file_that_does_not_parse_stops_all_and_is_named(run: Run, home: Path) -> None:
    (home / ".codex" / "config.toml").write_text("[broken", encoding="utf-8")
    before = tree(home)

    stopped = run("init", "--yes")

    assert stopped.code == 1
    assert stopped.err.startswith(f"invalid: {home}/.codex/config.toml: it is not valid TOML")
    assert tree(home) == before
    assert run("init", "claude", "--yes").code == 0


def test_the_parts_that_are_not_wanted_stay_out(run: Run, home: Path) -> None:
    run("init", "claude", "--yes", "--no-hooks", "--no-manual")
    assert not (home / ".claude" / "rules").exists()
    assert "memex" not in (home / ".claude" / "settings.json").read_text(encoding="utf-8")

    run("init", "claude", "--yes", "--allow", "--block")

    assert "memex:begin" in (home / ".claude" / "CLAUDE.md").read_text(encoding="utf-8")
    settings = json.loads((home / ".claude" / "settings.json").read_text(encoding="utf-8"))
    assert settings["permissions"] == {"allow": ["mcp__memex__*"]}


def test_a_project_gets_its_own_entries_and_the_home_none(
    run: Run, home: Path, project: Path
) -> None:
    before = tree(home), tree(project)

    names = ("claude", "codex", "opencode")
    assert run("init", *names, "--yes", "--scope", "project").code == 0

    assert {".mcp.json", ".codex/config.toml", "opencode.json"} <= tree(project).keys()
    shared = (project / "AGENTS.md").read_text(encoding="utf-8")
    assert shared.count("memex:begin codex opencode -->") == 1
    assert render("generic") in shared
    assert {name for name in tree(home) if name not in before[0]} == {
        ".local", ".local/bin", ".local/bin/memex-mcp",
    }  # fmt: skip
    assert run("uninstall", "--yes", "--scope", "project").code == 0
    assert (tree(home), tree(project)) == before


def test_the_home_is_no_project(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("init", "codex", "--scope", "project", "--dry-run").code == 0
    monkeypatch.chdir(home)

    refused = run("init", "codex", "--scope", "project", "--dry-run")

    assert (refused.code, "no project" in refused.err) == (1, True)


def test_what_is_only_printed_changes_nothing(run: Run, home: Path) -> None:
    before = tree(home)

    entry, _, manual = run("init", "--print").out.partition("\n\n")
    line = json.loads(run("init", "--statusline").out)["statusLine"]["command"]

    assert json.loads(entry)["mcpServers"]["memex"]["command"] == COMMAND
    assert "memory_search" in manual
    assert line.startswith(f"{COMMAND} status --root ")
    assert tree(home) == before


def test_one_client_goes_and_the_launcher_stays_for_the_other(run: Run, home: Path) -> None:
    run("init", "claude", "codex", "--yes")

    run("uninstall", "codex", "--yes")
    assert (home / ".local" / "bin" / "memex-mcp").exists()
    assert "memex" in (home / ".claude.json").read_text(encoding="utf-8")
    run("uninstall", "claude", "--yes")

    assert not (home / ".local").exists()


def test_a_plugin_folder_is_written_and_removed_as_a_whole(
    run: Run, home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "my plugin"
    before = tree(home)

    assert run("init", "--plugin", str(folder), "--yes").code == 0

    assert {name for name, (what, *_) in tree(folder).items() if what == "file"} == {
        ".claude-plugin/plugin.json", ".mcp.json", "hooks/hooks.json",
    }  # fmt: skip
    assert run("uninstall", "--plugin", str(folder), "--yes").code == 0
    assert not folder.exists()
    assert tree(home) == before


def test_clients_tells_what_is_where_before_and_after(run: Run, home: Path) -> None:
    def codex() -> dict[str, object]:
        told = json.loads(run("clients", "--json").out)["codex"]
        assert isinstance(told, dict)
        return told

    before = codex()
    assert (before["here"], before["server"], before["hooks"]) == (True, "absent", "absent")
    run("init", "codex", "--yes")
    after = codex()
    assert (after["server"], after["hooks"], after["manual"]) == ("current",) * 3

    (home / ".codex" / "config.toml").write_text("[broken", encoding="utf-8")

    assert "not valid TOML" in str(codex()["server"])
    assert "codex" in run("clients").out


def test_a_client_that_nobody_knows_is_named_with_those_that_are_known(
    run: Run, home: Path
) -> None:
    refused = run("init", "klaude", "--yes")

    assert (refused.code, refused.out) == (1, "")
    assert "'klaude'" in refused.err
    assert "claude, codex" in refused.err
    assert not (home / ".local").exists()
