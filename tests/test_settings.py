from pathlib import Path

import pytest

from memex_mcp import settings


def load(home: Path, **environ: str) -> settings.Settings:
    return settings.load(environ={"MEMEX_HOME": str(home), **environ})


def test_the_command_line_wins_over_the_environment(tmp_path: Path) -> None:
    given = settings.load(tmp_path / "a", environ={"MEMEX_HOME": str(tmp_path / "b")})

    assert given.home == tmp_path / "a"
    assert load(tmp_path / "b").home == tmp_path / "b"
    assert settings.load(environ={}).home.name == "memex"


def test_a_file_without_mistakes_is_followed(tmp_path: Path) -> None:
    text = 'global_writers = ["claude-code"]\nsecrets = "off"\n'
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")

    read = load(tmp_path, CLAUDE_PROJECT_DIR="/p", CLAUDE_CODE_SESSION_ID="s")

    assert (read.disabled, read.global_writers, read.mask_secrets) == ("", ("claude-code",), False)
    assert (read.project, read.session_id) == ("/p", "s")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("secretz = 'off'", "unknown key 'secretz'", id="typing error"),
        pytest.param("secrets = 'of'", 'secrets must be "mask" or "off"', id="value"),
        pytest.param("global_writers = 'x'", "global_writers must be", id="type"),
        pytest.param("disabled = 'no'", "disabled must be", id="no boolean"),
        pytest.param("disabled = true", "says disabled", id="switched off"),
        pytest.param("= 1", "is not TOML", id="no TOML"),
    ],
)
def test_a_setting_that_is_not_understood_switches_memory_off(
    tmp_path: Path, text: str, told: str
) -> None:
    assert load(tmp_path).disabled == ""
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")

    read = load(tmp_path)

    assert told in read.disabled
    assert read.mask_secrets is True
    assert read.global_writers == ()


def test_a_file_that_cannot_be_read_switches_memory_off(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")

    assert load(tmp_path).disabled == "config.toml cannot be read"


@pytest.mark.parametrize(
    ("value", "off"), [("1", True), ("TRUE", True), ("0", False), ("", False), ("maybe", True)]
)
def test_the_master_switch_is_one_variable(tmp_path: Path, value: str, off: bool) -> None:
    assert bool(load(tmp_path, MEMEX_DISABLED=value).disabled) is off
