"""Which profile a model has, and what goes before what a profile says."""

from pathlib import Path

import pytest

from memex_mcp import settings
from memex_mcp.profiles.loading import names
from memex_mcp.profiles.reader import reader, resolved
from memex_mcp.profiles.resolving import resolve
from memex_mcp.settings import Settings
from memex_mcp.text.fence import Format
from tests.card import card


@card("profile.names")
@pytest.mark.parametrize(
    ("given", "name", "how"),
    [
        ("GPT-6.1 Sol", "gpt-6.1-sol", "exact"),
        ("gpt-6.1-terra-2026-10-26", "gpt-6.1-terra", "exact"),
        ("openai/gpt-6-astra", "gpt-6-astra", "exact"),
        ("claude-opus-5-5", "claude-opus-5.5", "exact"),
        ("claude-opus-5-5-20260910[1m]", "claude-opus-5.5", "exact"),
        ("us.anthropic.claude-sonnet-5-5-v1:0", "claude-sonnet-5.5", "exact"),
        ("claude-haiku-5-5@20261007", "claude-haiku-5.5", "exact"),
        ("Fable 5.1", "claude-fable-5.1", "alias"),
        ("deepseek-flash", "deepseek-flash", "exact"),
        ("deepseek/deepseek-v4.1-flash", "deepseek-flash", "alias"),
        ("deepseek-v4-flash", "deepseek-v4-flash", "exact"),
        ("gpt-6.1-sol-mini", "gpt", "family"),
        ("claude-opus-4-8", "claude", "family"),
        ("meta.llama3-1-8b-instruct-v1:0", "llama", "family"),
        ("qwen3-coder:480b", "qwen", "family"),
        ("Kimi K3.1 Pro", "kimi", "family"),
        ("zai/glm-5", "glm", "family"),
        ("seed-2", "doubao", "family"),
        ("codestral-latest", "mistral", "family"),
        ("gemma-4-31b-it", "gemma", "family"),
        ("anthropic", "claude", "alias"),
        ("someone-elses-model", "default", "default"),
        ("my-claude", "default", "default"),
        ("", "default", "default"),
        ("  ", "default", "default"),
        ("/[@:", "default", "default"),
    ],
)
def test_a_name_leads_to_a_profile(given: str, name: str, how: str) -> None:
    found = resolve(given)

    assert (found.profile.name, found.how) == (name, how)


@pytest.mark.parametrize("name", names())
def test_every_profile_is_found_by_its_own_name_in_any_case(name: str) -> None:
    for spelled in (name, name.upper(), name.replace(".", "-"), name.replace("-", " ")):
        assert resolve(spelled).profile.name == name


@pytest.mark.parametrize(
    ("client", "family", "form"),
    [
        ("claude-code", "claude", "xml"),
        ("claude", "claude", "xml"),
        ("codex-mcp-client", "gpt", "markdown"),
        ("copilot-cli", "gpt", "markdown"),
        ("gemini-cli-mcp-client", "gemini", "plain"),
        ("qwen-cli-mcp-client-memex", "qwen", "plain"),
        ("opencode", "default", "xml"),
        ("nobody", "default", "xml"),
    ],
)
def test_without_a_model_the_client_says_whose_it_is(
    tmp_path: Path, client: str, family: str, form: str
) -> None:
    who = reader(Settings(home=tmp_path), client)

    assert (who.family, who.format) == (family, form)
    how = resolved(Settings(home=tmp_path), client).how
    assert how == ("default" if family == "default" else "client")


FILE = """
model = "grok-4"
language = "zh"
[recall]
format = "plain"
start_tokens = 700
prompt_tokens = 300
catalog_tokens = 200
"""


@card("profile.order")
def test_command_line_environment_file_and_profile_decide_in_that_order(tmp_path: Path) -> None:
    def decided(environ: dict[str, str], model: str = "") -> tuple[str, str, str, int]:
        who = reader(settings.load(tmp_path, environ), "claude-code", model)
        return who.name, who.format, who.language, who.budgets.start

    environ = {"MEMEX_MODEL": "llama-4", "MEMEX_FORMAT": "markdown", "MEMEX_LANGUAGE": "en"}
    assert decided({}) == ("claude", "xml", "en", 1_500)
    assert decided({"MEMEX_MODEL": "llama-4"}) == ("llama", "plain", "en", 900)
    (tmp_path / "config.toml").write_text(FILE, encoding="utf-8")

    assert decided({}) == ("grok", "plain", "zh", 700)
    assert decided({"MEMEX_MODEL": "llama-4"}) == ("llama", "plain", "zh", 700)
    assert decided(environ) == ("llama", "markdown", "en", 700)
    assert decided(environ, "gpt-6-astra") == ("gpt-6-astra", "markdown", "en", 700)


def test_every_budget_of_the_file_counts(tmp_path: Path) -> None:
    usual = reader(settings.load(tmp_path, {}), "codex").budgets
    (tmp_path / "config.toml").write_text(FILE, encoding="utf-8")
    chosen = reader(settings.load(tmp_path, {}), "codex").budgets

    assert (usual.start, usual.prompt, usual.catalog) == (1_500, 800, 1_000)
    assert (chosen.start, chosen.prompt, chosen.catalog) == (700, 300, 200)


def test_a_named_model_keeps_its_form_where_the_client_passes_it_on(tmp_path: Path) -> None:
    chosen = Settings(home=tmp_path, model="claude-opus-5.5")

    assert reader(chosen, "codex").format is Format.XML
    assert reader(chosen, "gemini").format is Format.PLAIN
    wanted = Settings(home=tmp_path, model="claude-opus-5.5", recall_format="xml")
    assert reader(wanted, "gemini").format is Format.XML


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({"MEMEX_FORMAT": "html"}, "MEMEX_FORMAT must be"),
        ({"MEMEX_LANGUAGE": "fr"}, "MEMEX_LANGUAGE must be"),
    ],
)
def test_a_variable_that_is_not_understood_switches_memory_off(
    tmp_path: Path, environ: dict[str, str], told: str
) -> None:
    assert told in settings.load(tmp_path, environ).disabled
    assert settings.load(tmp_path, dict.fromkeys(environ, "")).disabled == ""


@pytest.mark.parametrize(
    "line",
    [
        "model = 5",
        'language = "fr"',
        "[recall]\nstart_tokens = 1501",
        "[recall]\nprompt_tokens = 1",
    ],
)
def test_a_setting_of_the_reader_that_does_not_fit_switches_memory_off(
    tmp_path: Path, line: str
) -> None:
    (tmp_path / "config.toml").write_text(FILE, encoding="utf-8")
    assert settings.load(tmp_path, {}).disabled == ""

    (tmp_path / "config.toml").write_text(line, encoding="utf-8")
    assert "must be" in settings.load(tmp_path, {}).disabled


def test_what_costs_more_tokens_gets_a_shorter_catalog(tmp_path: Path) -> None:
    nothing_said = Settings(home=tmp_path)

    assert reader(nothing_said, "nobody").catalog_characters == 4_000
    assert reader(nothing_said, "claude").catalog_characters == 3_100
