"""Clients in odd places: folders that are gone or renamed, entries that a person changed."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.adapters.using import tree
from tests.cli.using import Run, expect_told, posix
from tests.process import COMMAND, at_terminal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with Codex and Gemini CLI in it; neither is on PATH."""
    home = tmp_path / "home"
    for file, text in ((".codex/config.toml", 'model = "x"\n'), (".gemini/settings.json", "{}\n")):
        (home / file).parent.mkdir(parents=True)
        (home / file).write_text(text, encoding="utf-8")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", COMMAND)
    return home


def parts(run: Run, client: str, *options: str) -> dict[str, object]:
    found = json.loads(run("clients", "--json", *options).out)[client]
    assert isinstance(found, dict)
    return found


@posix
def test_a_folder_that_is_gone_is_no_project_and_needed_for_nothing_else(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(home)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert run("init", "--yes").code == 0
    assert parts(run, "codex")["server"] == "current"
    assert "wired, and nothing wrong" in run("doctor", "--clients").out
    assert run("uninstall", "--yes").code == 0
    assert tree(home) == before
    expect_told(run("init", "codex", "--yes", "--scope", "project"), "invalid")


def test_a_manual_for_a_model_that_was_named_is_not_outdated(run: Run, home: Path) -> None:
    options = ("--model", "qwen3.7-max", "--language", "zh", "--no-check")
    assert run("init", "codex", "--yes", *options).code == 0
    manual = home / ".codex" / "AGENTS.md"
    text = manual.read_text(encoding="utf-8")

    assert parts(run, "codex")["manual"] == "other"
    manual.write_text(text.replace("memory_search", "memory_seek"), encoding="utf-8")
    assert parts(run, "codex")["manual"] == "older"


def test_a_home_that_is_no_absolute_path_is_refused(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("home", "~"):
        monkeypatch.setenv("HOME", name)
        expect_told(run("init", "codex", "--yes"), "invalid")
        expect_told(run("uninstall", "--yes"), "invalid")
        expect_told(run("clients"), "invalid")
    monkeypatch.setenv("HOME", str(home))
    assert run("init", "codex", "--yes").code == 0


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="names there are always UTF-8")
def test_a_path_that_no_client_can_read_is_refused(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / os.fsdecode(b"home \xff")
    (odd / ".codex").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(odd))

    refused = run("init", "codex", "--yes")

    assert (refused.code, refused.err[:8]) == (1, "invalid:")
    assert "not UTF-8" in refused.err
    assert [path.name for path in odd.iterdir()] == [".codex"]


@pytest.mark.parametrize("options", [(), ("--allow", "--all-tools", "--model", "gpt-6")])
def test_what_was_just_entered_is_never_outdated(
    run: Run, home: Path, options: tuple[str, ...]
) -> None:
    assert run("init", "gemini", "codex", "opencode", "cline", "--yes", *options).code == 0

    for client in ("gemini", "codex", "opencode", "cline"):
        assert parts(run, client)["server"] == "current"
    assert "generic" not in run("clients").out


def test_a_manual_in_the_language_of_the_settings_is_up_to_date(
    run: Run, home: Path, root: Path
) -> None:
    root.mkdir(mode=0o700)
    (root / "config.toml").write_text('language = "zh"\n', encoding="utf-8")
    assert run("init", "gemini", "--yes").code == 0
    assert parts(run, "gemini")["manual"] == "current"

    (root / "config.toml").write_text('language = "en"\n', encoding="utf-8")

    assert parts(run, "gemini")["manual"] == "other"


@pytest.mark.parametrize(
    ("client", "file"),
    [
        ("gemini", ".gemini/settings.json"),
        ("codex", ".codex/config.toml"),
        ("opencode", ".config/opencode/opencode.json"),
        ("cline", ".cline/data/settings/cline_mcp_settings.json"),
    ],
)
def test_options_that_a_person_gave_the_server_stay(
    run: Run, home: Path, tmp_path: Path, client: str, file: str
) -> None:
    run("init", client, "--yes", "--no-hooks")
    text = (home / file).read_text(encoding="utf-8")
    (home / file).write_text(text.replace('"serve"', '"serve", "--readonly"'), encoding="utf-8")
    edited = tree(home)

    assert run("init", client, "--yes", "--no-hooks").out.startswith(
        "Everything is in place already."
    )
    assert tree(home) == edited
    assert parts(run, client)["server"] == "current"

    other = tmp_path / "memex-mcp"
    other.write_text("", encoding="utf-8")
    newer = ("--no-hooks", "--command", str(other), "--model", "gpt-6")
    assert run("init", client, "--yes", *newer).code == 0

    words = (home / file).read_text(encoding="utf-8").split('"serve"')[1]
    assert words.index("--model") < words.index("gpt-6") < words.index("--readonly")
    assert words.count("--root") == 1
    assert str(other) in (home / file).read_text(encoding="utf-8")


def test_the_doctor_looks_at_the_project_one_is_in_and_tells_what_mends_it(
    run: Run, home: Path, project: Path
) -> None:
    run("init", "gemini", "--scope", "project", "--yes")
    assert json.loads(run("doctor", "--clients", "--json").out)["clients"] == {"gemini": []}
    assert "init gemini" not in run("doctor", "--clients").out
    settings = project / ".gemini" / "settings.json"
    text = settings.read_text(encoding="utf-8")

    settings.write_text(text.replace('"serve"', '"serve", "--root", "/x"'), encoding="utf-8")

    assert "-> memex-mcp init gemini --scope project" in run("doctor", "--clients").out


def test_what_a_person_has_to_do_is_not_told_as_something_that_init_mends(
    run: Run, home: Path
) -> None:
    run("init", "codex", "--yes")
    config = home / ".codex" / "config.toml"
    untrusted = run("doctor", "--clients")
    config.write_text('model = "x"\n', encoding="utf-8")

    missing = run("doctor", "--clients")

    assert "trusted none of the hooks" in " ".join(untrusted.out.split())
    assert "-> memex-mcp init" not in untrusted.out
    assert "-> memex-mcp init codex" in missing.out


@posix
def test_what_a_variable_named_once_is_told_and_goes_with_all(
    run: Run, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(home), tree(project)
    named = {"CODEX_HOME": home / ".codex", "CLAUDE_CONFIG_DIR": project / "my claude"}
    (home / ".codex").rename(home / "my codex")
    named["CODEX_HOME"] = home / "my codex"
    for name, folder in named.items():
        monkeypatch.setenv(name, str(folder))
    assert run("init", "codex", "claude", "--yes").code == 0
    for name in named:
        monkeypatch.delenv(name)

    left = run("uninstall", "--yes")
    assert (left.code, left.out[:27]) == (0, "Nothing of memex is there.\n")
    assert "It stays in" in left.out
    assert "my codex" in "".join(left.out.split("\n"))
    told = at_terminal("purge", typed="purge\n", env={"PATH": "/usr/bin:/bin", "TERM": "dumb"})

    assert told.code == 0, told.out
    assert "nothing of memex was found" not in told.out
    (home / "my codex").rename(home / ".codex")
    assert (tree(home), tree(project)) == before


def test_a_plugin_folder_is_told_as_a_shell_takes_it_and_not_forgotten(
    run: Run, home: Path, project: Path
) -> None:
    entered = run("init", "--plugin", "my plugin", "--yes", "--json")
    assert f"claude --plugin-dir '{project}/my plugin'" in " ".join(
        json.loads(entered.out)["notes"]
    )

    left = run("uninstall", "--yes", "--json")
    assert "--plugin" in " ".join(json.loads(left.out)["notes"])

    assert run("uninstall", "--plugin", "my plugin", "--yes").code == 0
    assert json.loads(run("uninstall", "--yes", "--json").out)["notes"] == []


def test_a_launcher_that_somebody_removed_stays_on_no_list(
    run: Run, home: Path, root: Path
) -> None:
    assert run("init", "codex", "--yes").code == 0
    assert (root / "clients" / "installed.json").exists()
    (home / ".local" / "bin" / "memex-mcp").unlink()

    assert run("uninstall", "--yes").code == 0

    assert not (root / "clients").exists()
