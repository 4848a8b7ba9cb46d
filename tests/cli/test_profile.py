"""``profile`` and ``manual``."""

import json
from pathlib import Path

import pytest

from memex_manuals.clients import CLIENTS
from memex_manuals.core import LANGUAGES
from memex_manuals.rendering import render
from memex_mcp.profiles.loading import names
from tests.card import card
from tests.cli.using import Run, expect_told


def test_every_profile_is_listed_with_its_family(run: Run) -> None:
    ran = run("profile", "list")
    listed = run("profile", "list", "--json").json

    assert [line.split()[0] for line in ran.out.splitlines()] == list(names())
    assert [each["name"] for each in listed] == list(names())
    assert {"name": "gpt-6-astra", "family": "gpt", "title": "GPT-6 Astra"} in listed


@card("profile.sourced")
def test_a_profile_is_shown_with_every_figure_and_where_it_stands(run: Run) -> None:
    known = run("profile", "show", "claude-opus-5.5")
    unknown = run("profile", "show", "kimi", "--json").json

    assert "format: xml\n" in known.out
    assert "context_window 1000000, max_output 128000, source https://" in known.out
    assert "checked_on 2026-11-30" in known.out
    assert unknown["limits"]["context_window"] == unknown["limits"]["max_output"] == "unknown"
    assert unknown["bilingual"] is True
    assert unknown["weights"]["exact"] == 3.5
    assert unknown["budgets"] == {"start": 1500, "prompt": 800, "catalog": 1000}


def test_a_model_is_resolved_and_says_how(run: Run) -> None:
    exact = run("profile", "resolve", "claude-opus-5-5", "--json").json
    family = run("profile", "resolve", "qwen3-coder:480b")
    nobody = run("profile", "resolve", "someone-elses-model", "--json").json
    client = run("profile", "resolve", "--client", "codex", "--json").json

    assert (exact["how"], exact["name"], exact["format"]) == ("exact", "claude-opus-5.5", "xml")
    assert family.out.startswith("how: family\nname: qwen\n")
    assert (nobody["how"], nobody["name"]) == ("default", "default")
    assert (client["how"], client["name"], client["format"]) == ("client", "gpt", "markdown")


@card("profile.order")
def test_what_is_resolved_is_what_the_settings_make_of_it(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root.mkdir()
    (root / "config.toml").write_text(
        'model = "llama-4"\n[recall]\nformat = "plain"\nprompt_tokens = 200\n', encoding="utf-8"
    )
    by_file = run("profile", "resolve", "--json").json
    monkeypatch.setenv("MEMEX_FORMAT", "markdown")
    by_environment = run("profile", "resolve", "--json").json
    by_name = run("profile", "resolve", "gpt-6.1-sol", "--json").json

    assert (by_file["name"], by_file["format"]) == ("llama", "plain")
    assert by_file["budgets"]["prompt"] == 200
    assert (by_environment["name"], by_environment["format"]) == ("llama", "markdown")
    assert by_name["name"] == "gpt-6.1-sol"


def test_a_profile_that_there_is_not_is_told(run: Run) -> None:
    for given in (["nope"], ["../default"], []):
        expect_told(run("profile", "show", *given), "invalid")
    error = json.loads(run("profile", "show", "nope", "--json").out)["error"]

    assert error == {
        "code": "invalid",
        "message": "there is no profile 'nope'",
        "hint": "See memex-mcp profile list.",
    }


@pytest.mark.parametrize("client", CLIENTS)
def test_a_manual_is_printed_for_every_client(run: Run, client: str) -> None:
    for language in LANGUAGES:
        assert run("manual", client, "--language", language).out == render(client, "", language)


def test_a_manual_is_written_for_the_model_that_is_named(run: Run) -> None:
    told = run("manual", "codex", "--model", "deepseek-v4-flash", "--language", "zh", "--json").json

    assert told["text"] == render("codex", "deepseek", "zh")
    assert (told["profile"], told["format"]) == ("deepseek-v4-flash", "markdown")
    assert 600 < told["tokens"] <= 900
    assert run("manual", "codex", "--model", "nobody's").out == render("codex", "default")


def test_a_manual_needs_no_store_and_makes_none(run: Run, root: Path) -> None:
    assert run("manual", "claude").code == 0
    assert run("profile", "resolve").code == 0
    assert run("manual", "somebody").code == 2

    assert not root.exists()
