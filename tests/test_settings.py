import os
import stat
import tempfile
from pathlib import Path

import pytest

from memex_mcp import settings
from memex_mcp.errors import Invalid


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
        pytest.param("secrets = 'of'", 'secrets must be "mask" or "private" or "off"', id="value"),
        pytest.param("global_writers = 'x'", "global_writers must be", id="type"),
        pytest.param("disabled = 'no'", "disabled must be", id="no boolean"),
        pytest.param("disabled = true", "says disabled", id="switched off"),
        pytest.param("= 1", "is not TOML", id="no TOML"),
        pytest.param("embedder = 'local'", "embedder must be a table", id="no table"),
        pytest.param(
            "[embedder]\nkinds = 'local'", "unknown key 'embedder.kinds'", id="in a table"
        ),
        pytest.param("[embedder]\nkind = 'on'", "embedder.kind must be", id="kind"),
        pytest.param("[embedder]\nkind = 'openai'", "needs model and dimensions", id="lacking"),
        pytest.param("[embedder]\ndimensions = 1.5", "embedder.dimensions must be", id="no number"),
        pytest.param("[embedder]\ndimensions = true", "embedder.dimensions must be", id="bool"),
        pytest.param("[embedder]\ntimeout = 0", "embedder.timeout must be", id="no time"),
        pytest.param("[embedder]\nbase_url = 'x.org/v1'", "embedder.base_url must", id="no scheme"),
        pytest.param("[embedder]\nbase_url = 'http://[x'", "embedder.base_url must", id="no host"),
        pytest.param("capture = true", "capture must be a table", id="capture is no table"),
        pytest.param("recall = 'off'", "recall must be a table", id="recall is no table"),
        pytest.param("[capture]\nenable = false", "unknown key 'capture.enable'", id="capture"),
        pytest.param("[capture]\nenabled = 0", "capture.enabled must be true or", id="enabled"),
        pytest.param("[capture]\nlevel = 'l3'", "capture.level must be", id="capture level"),
        pytest.param("[capture]\nrules = 'on'", "capture.rules must be", id="rules"),
        pytest.param("[recall]\npolicies = 'off'", "unknown key 'recall.policies'", id="recall"),
        pytest.param("[recall]\npolicy = false", "recall.policy must be", id="policy"),
        pytest.param("[recall]\nformat = 'rtf'", "recall.format must be", id="format"),
        pytest.param("[embedder]\nmodel = ' '", "embedder.model must be", id="no name"),
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


AUTOMATIC = """
[capture]
enabled = false
level = "l2"
rules = true

[recall]
policy = "strict"
format = "markdown"
"""


def test_what_happens_by_itself_is_set_in_two_tables(tmp_path: Path) -> None:
    assert automatic(load(tmp_path)) == (True, "deepest", False, "previews", "")
    (tmp_path / "config.toml").write_text(AUTOMATIC, encoding="utf-8")

    read = load(tmp_path)

    assert read.disabled == ""
    assert automatic(read) == (False, "l2", True, "strict", "markdown")


def automatic(read: settings.Settings) -> tuple[object, ...]:
    return read.capture, read.capture_level, read.rules, read.recall, read.recall_format


@pytest.mark.parametrize(
    ("value", "most"),
    [("", "both"), ("none", "none"), ("L2", "l2"), (" l3 ", "l3"), ("both", "both")],
)
def test_the_environment_caps_the_levels(tmp_path: Path, value: str, most: str) -> None:
    read = load(tmp_path, MEMEX_MAX_LEVELS=value)

    assert (read.max_levels, read.disabled) == (most, "")


@pytest.mark.parametrize("value", ["l4", "l2,l3", "0", "all"])
def test_a_cap_that_is_not_understood_switches_memory_off(tmp_path: Path, value: str) -> None:
    read = load(tmp_path, MEMEX_MAX_LEVELS=value)

    assert read.max_levels == "none"
    assert f"MEMEX_MAX_LEVELS must be none, l2, l3, both, not {value!r}" == read.disabled


ENDPOINT = """
[embedder]
kind = "openai"
model = "m"
base_url = "http://localhost:11434/v1"
key_env = "MY_KEY"
dimensions = 768
timeout = 1
"""


def test_an_embedder_is_off_until_it_is_named_and_its_key_is_shown_nowhere(tmp_path: Path) -> None:
    assert load(tmp_path, MY_KEY="k-123").embedder == settings.EmbedderSettings()
    assert settings.EmbedderSettings().kind == "off"
    (tmp_path / "config.toml").write_text(ENDPOINT, encoding="utf-8")

    read = load(tmp_path, MY_KEY="k-123", OPENAI_API_KEY="k-456")

    assert read.disabled == ""
    assert (read.embedder.model, read.embedder.dimensions, read.embedder.timeout) == ("m", 768, 1)
    assert read.embedder.key == "k-123"
    assert "k-123" not in repr(read)
    assert load(tmp_path, OPENAI_API_KEY="k-456").embedder.key == ""


@pytest.mark.parametrize(
    "line", ['key_env = "sk-1234567890"', 'base_url = "http://me:sk-1234567890@localhost/v1"']
)
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    (tmp_path / "config.toml").write_text(f"[embedder]\n{line}\n", encoding="utf-8")

    read = load(tmp_path)

    assert "must be" in read.disabled
    assert "1234567890" not in read.disabled
    assert read.embedder == settings.EmbedderSettings()


def test_a_file_that_cannot_be_read_switches_memory_off(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")

    assert load(tmp_path).disabled == "config.toml cannot be read"


@pytest.mark.parametrize(
    ("value", "off"), [("1", True), ("TRUE", True), ("0", False), ("", False), ("maybe", True)]
)
def test_the_master_switch_is_one_variable(tmp_path: Path, value: str, off: bool) -> None:
    assert bool(load(tmp_path, MEMEX_DISABLED=value).disabled) is off


def test_a_folder_that_holds_everybodys_work_is_no_store_folder_and_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, mine = tmp_path / "mine", tmp_path / "mine" / "store"
    mine.mkdir(parents=True)
    home.chmod(0o755)
    mine.chmod(0o755)
    link = tmp_path / "link"
    link.symlink_to(home)
    monkeypatch.setenv("HOME", str(home))

    for root in ("~", home, link, f"{mine}/..", "/", Path.home().anchor, tempfile.gettempdir()):
        with pytest.raises(Invalid, match="no store folder") as caught:
            settings.load(root, environ={})
        assert caught.value.hint == "Name a folder of its own with --root or MEMEX_HOME."
    with pytest.raises(Invalid, match="no store folder"):
        load(home)

    assert stat.S_IMODE(home.stat().st_mode) == 0o755
    assert list(home.iterdir()) == [mine]
    assert settings.load(mine, environ={}).home == mine
    assert settings.load("~/new", environ={}).home == home / "new"


def test_a_file_is_no_store_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")

    for root, told in ((file, "is a file"), (file / "store", "in a file"), (os.devnull, "a file")):
        with pytest.raises(Invalid, match=told):
            settings.load(root, environ={})

    assert settings.load(tmp_path / "folder" / "store", environ={}).disabled == ""
