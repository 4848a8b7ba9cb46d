"""One core, many manuals: what differs between them, and what may not."""

from pathlib import Path

import pytest

from memex_manuals.clients import CLIENTS, client_of
from memex_manuals.core import LANGUAGES, sections
from memex_manuals.families import FAMILIES
from memex_manuals.rendering import (
    INSTRUCTIONS_TOKENS,
    MANUAL_TOKENS,
    instructions,
    render,
    usual_form,
)
from memex_mcp.text import tokens
from tests.card import card
from tests.manuals import kept

PAIRS = [(client, family) for client in CLIENTS for family in FAMILIES]


@card("manual.same")
def test_every_manual_is_as_it_was_reviewed() -> None:
    assert list(kept.lines()) == kept.HASHES.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", kept.WHOLE)
def test_some_manuals_can_be_read_whole(name: str) -> None:
    assert kept.WHOLE[name] == (kept.FOLDER / name).read_text(encoding="utf-8")


def test_every_client_family_and_language_is_among_them() -> None:
    assert len(CLIENTS) >= 12
    assert len(FAMILIES) >= 13
    assert LANGUAGES == ("en", "zh")
    assert sum(1 for _ in kept.lines()) == len(CLIENTS) * len(FAMILIES) * len(LANGUAGES)


@card("manual.budget")
@pytest.mark.parametrize("counter", ["exact", "estimated"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_manual_stays_within_its_budget(counter: str, language: str) -> None:
    if counter == "exact" and not tokens.load_vocabulary(None):
        pytest.skip("the extra 'tokens' is not installed")
    whole, short = [], []
    for client, family in PAIRS:
        for form in ("xml", "markdown", "plain"):
            whole.append(tokens.count(render(client, family, language, form)).tokens)
            short.append(tokens.count(instructions(client, family, language, form)).tokens)

    assert 600 < min(whole) < max(whole) <= MANUAL_TOKENS == 900
    assert 200 < min(short) < max(short) <= INSTRUCTIONS_TOKENS == 400


@card("manual.form")
def test_tags_are_for_claude_marks_for_gpt_and_neither_for_small_models() -> None:
    claude, gpt = render("claude", "claude"), render("codex", "gpt")
    small = render("generic", "llama")

    assert "<example>\nmemory_search(query=" in claude
    assert "## When to search\n" in gpt
    assert "```text\nmemory_search(query=" in gpt
    assert "WHEN TO SEARCH\n" in small
    assert not any(mark in small for mark in ("<", "`", "##", "**"))
    assert "##" not in claude
    assert "<" not in gpt


def test_the_form_changes_no_word() -> None:
    def words(text: str) -> list[str]:
        marks = ("<", "#", "```")
        lines = [line for line in text.splitlines() if not line.startswith(marks)]
        titles = {section.title.upper() for section in sections("en")}
        kept = [line.removeprefix("- ").replace("`", "") for line in lines if line not in titles]
        return " ".join(kept).split()

    xml, markdown, plain = (render("claude", form=form) for form in ("xml", "markdown", "plain"))

    assert words(xml) == words(markdown) == words(plain)


def test_both_languages_have_the_same_sections_and_kinds_of_lines() -> None:
    english, chinese = sections("en"), sections("zh")

    assert [section.key for section in english] == [section.key for section in chinese]
    for one, other in zip(english, chinese, strict=True):
        kinds = [[(line.full, line.example) for line in each.lines] for each in (one, other)]
        assert kinds[0] == kinds[1], one.key


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("client", "family"), PAIRS)
def test_the_instructions_are_lines_of_the_manual(client: str, family: str, language: str) -> None:
    whole = render(client, family, language).splitlines()

    assert set(instructions(client, family, language).splitlines()) < set(whole)


@pytest.mark.parametrize("family", FAMILIES)
def test_chinese_families_are_told_to_use_both_languages(family: str) -> None:
    chinese = {"qwen", "deepseek", "glm", "kimi", "minimax", "doubao"}

    for text in (render("cline", family), instructions("cline", family)):
        assert ("Chinese and English" in text) is (family in chinese)


@pytest.mark.parametrize(
    ("client", "shown"),
    [
        ("claude", "mcp__memex__memory_search"),
        ("qwen", "mcp__memex__memory_search"),
        ("gemini", "mcp_memex_memory_search"),
        ("copilot", "memex-memory_search"),
        ("opencode", "memex_memory_search"),
        ("cline", "memex__memory_search"),
    ],
)
def test_a_tool_is_named_as_the_client_shows_it(client: str, shown: str) -> None:
    assert f"{shown} and so on" in render(client, form="plain")
    assert f"{shown} 等" in render(client, language="zh", form="plain")


@pytest.mark.parametrize("client", CLIENTS)
def test_only_clients_that_defer_tools_are_told_how_to_load_them(client: str) -> None:
    told = {"claude": "ToolSearch", "qwen": "tool_search, then tool_call"}

    for language in LANGUAGES:
        text = instructions(client, "claude", language)
        assert ("ToolSearch" in text) is (client == "claude")
        assert ("tool_search" in text) is (client == "qwen")
    assert told.get(client, "") in instructions(client, form="plain")


@pytest.mark.parametrize(
    ("name", "client"),
    [
        ("claude-code", "claude"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client", "gemini"),
        ("qwen-cli-mcp-client-memex", "qwen"),
        ("copilot-cli", "copilot"),
        ("@cline/core", "cline"),
        ("Visual Studio Code", "vscode"),
        ("zed", "zed"),
        ("mcp-test-client", "generic"),
        ("my-claude", "generic"),
        ("", "generic"),
    ],
)
def test_a_client_is_known_by_how_it_calls_itself(name: str, client: str) -> None:
    assert client_of(name) == client


def test_strangers_get_what_holds_for_any() -> None:
    assert render("nobody", "nothing") == render("generic", "default")
    assert usual_form("nobody") == "xml"
    with pytest.raises(ValueError, match="no manual in 'fr'"):
        render("claude", language="fr")


def test_a_client_that_garbles_marks_gets_none() -> None:
    assert (usual_form("gemini"), usual_form("qwen")) == ("plain", "plain")
    assert (usual_form("claude", "gemini"), usual_form("codex", "qwen")) == ("markdown", "markdown")


def test_manuals_import_nothing_of_the_server() -> None:
    folder = Path(kept.__file__).parents[2] / "manuals"
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]

    assert len(sources) >= 5
    assert not any("memex_mcp" in source for source in sources)
