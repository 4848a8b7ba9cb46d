"""Profiles from their files, and all that is refused there."""

from dataclasses import fields, replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from memex_manuals.clients import CLIENTS
from memex_manuals.families import FAMILIES
from memex_manuals.rendering import usual_form
from memex_mcp.errors import Invalid
from memex_mcp.model.query import Query
from memex_mcp.profiles.loading import bundled, load, names, profile
from memex_mcp.profiles.profile import UNKNOWN, Profile
from memex_mcp.profiles.reader import reader
from memex_mcp.profiles.tuned import tuning
from memex_mcp.retrieval import previews
from memex_mcp.retrieval.asking import Question
from memex_mcp.retrieval.recall import recall
from memex_mcp.retrieval.rerank import DEFAULT as WEIGHTS
from memex_mcp.retrieval.rerank import Weights
from memex_mcp.retrieval.shown import Manner
from memex_mcp.settings import Settings
from memex_mcp.text.fence import Format
from tests.card import card
from tests.make import NOON, make_caller
from tests.retrieval.using import put, store

BASE = (bundled() / "default.toml").read_text(encoding="utf-8")
OWN = 'base = "default"\ntitle = "Own"\n'
ASKED = Query(text="staging database port")
YEAR = timedelta(days=365)
FAMILY_NAMES = {
    *("default", "claude", "gpt", "gemini", "qwen", "deepseek", "glm", "kimi", "llama"),
    *("mistral", "grok", "minimax", "doubao", "gemma"),
}
MODELS = {
    *("gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-astra"),
    *("claude-opus-5.5", "claude-sonnet-5.5", "claude-fable-5.1", "claude-haiku-5.5"),
    *("deepseek-flash", "deepseek-v4-flash"),
}


def own(folder: Path, text: str, name: str = "own") -> Profile:
    """A profile from a folder that has the default one beside it."""
    (folder / "default.toml").write_text(BASE, encoding="utf-8")
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return load(folder, name)


def test_there_are_fourteen_families_and_nine_models() -> None:
    found = {name: profile(name) for name in names()}

    assert {name for name, one in found.items() if one.family == name} == FAMILY_NAMES
    assert found.keys() - FAMILY_NAMES == MODELS
    assert {found[name].family for name in MODELS} == {"gpt", "claude", "deepseek"}
    assert len({one.title for one in found.values()}) == len(found) >= 21


def test_no_two_profiles_share_a_name_or_a_prefix() -> None:
    aliases = [each for name in names() for each in (name, *profile(name).aliases)]
    prefixes = [each for name in names() for each in profile(name).prefixes]

    assert len(aliases) == len(set(aliases))
    assert len(prefixes) == len(set(prefixes))


@card("profile.sourced")
@pytest.mark.parametrize("name", names())
def test_a_figure_is_unknown_or_has_its_source(name: str) -> None:
    limits, tokenizer = profile(name).limits, profile(name).tokenizer
    known = (limits.context_window, limits.max_output) != (UNKNOWN, UNKNOWN)

    assert known is (name in MODELS)
    assert bool(limits.source) is bool(limits.checked_on) is known
    assert limits.source.startswith("https://") is known
    assert tokenizer.source
    assert tokenizer.checked_on >= date(2026, 11, 30)


@pytest.mark.parametrize("name", names())
def test_a_profile_says_of_manuals_what_the_manuals_do(name: str) -> None:
    one = profile(name)
    family = FAMILIES[one.family]

    assert one.format == family.form
    assert one.bilingual is family.bilingual


@card("manual.form")
def test_manuals_and_answers_take_the_same_form_for_every_client_and_family(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)

    for client in CLIENTS:
        assert reader(settings, client).format == usual_form(client)
        for family in FAMILIES:
            assert reader(settings, client, family).format == usual_form(client, family)


def test_what_a_profile_leaves_out_comes_from_its_base(tmp_path: Path) -> None:
    own(tmp_path, OWN + 'format = "plain"\n[budgets]\nprompt = 300\n', "middle")
    made = own(tmp_path, 'base = "middle"\ntitle = "Top"\naliases = ["t"]\n[weights]\nexact = 1\n')

    assert (made.name, made.family, made.title, made.aliases) == ("own", "middle", "Top", ("t",))
    assert made.format is Format.PLAIN
    assert (made.budgets.start, made.budgets.prompt) == (1_500, 300)
    assert made.digest == "tags"
    assert tuning(made).weights == Weights(exact=1)
    assert tuning(made).form is Format.PLAIN
    assert tuning(profile("default")).weights == WEIGHTS


@card("profile.weights")
def test_the_weights_of_a_profile_decide_what_its_model_reads_first(tmp_path: Path) -> None:
    made = own(tmp_path, OWN + "[weights]\nrecency = 9\nbody = 0\nwording = 0\ncloseness = 0\n")
    manner = Manner(budget=800)
    with store() as db:
        old = put(db, "The staging database listens on port 5433.", observed_at=NOON - YEAR).id
        new = put(db, "Somebody moved the database of staging, and its port.").id

        usual, tuned = (
            [hit.id for hit in recall(db, ASKED, make_caller(), NOON, tuning(each)).hits]
            for each in (profile("default"), made)
        )
        shown, shown_tuned = (
            previews.find(db, Question(ASKED.text), make_caller(), NOON, each).ids
            for each in (manner, replace(manner, weights=made.weights))
        )

    assert usual == [old, new]
    assert tuned == [new, old]
    assert (shown, shown_tuned) == ((old, new), (new, old))


@card("profile.strict")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('formt = "xml"', "unknown key 'formt'"),
        ("[budgets]\npromt = 300", "unknown key 'budgets.promt'"),
        ("[limits]\nwindow = 5", "unknown key 'limits.window'"),
        ("[weights]\nexakt = 1", "unknown key 'weights.exakt'"),
        ("[weights]\nexact = true", "weights.exact must be a number from 0 to 9"),
        ('format = "html"', 'format must be "xml" or "markdown" or "plain"'),
        ('language = "fr"', 'language must be "en" or "zh"'),
        ("bilingual = 1", "bilingual must be true or false"),
        ('aliases = "x"', "aliases must be a list of names"),
        ("budgets = 3", "budgets must be a table"),
        ("[budgets]\nprompt = 801", "budgets.prompt must be a whole number from 100 to 800"),
        ("[budgets]\nstart = 99", "budgets.start must be a whole number from 100 to 1500"),
        ("[limits]\ncontext_window = 0", "limits.context_window must be a number of tokens"),
        ('[limits]\ncontext_window = "big"', "limits.context_window must be a number of tokens"),
        (
            '[limits]\ncontext_window = 5\nmax_output = "unknown"',
            "limits.context_window needs a source and checked_on",
        ),
        ("[tokenizer]\nchars_per_token = 3", "lacks something"),
        ("[tokenizer]\nchars_per_token = 0.5", "chars_per_token must be a number from 1 to 9"),
        ('base = "own"', "goes back to itself"),
        ('base = "gone"', "no profile 'gone'"),
        ("format = ", "is not TOML"),
    ],
)
def test_a_slip_in_a_profile_is_told(tmp_path: Path, text: str, told: str) -> None:
    fine = own(tmp_path, OWN, "fine")
    written = text if text.startswith("base") else OWN + text

    with pytest.raises(Invalid, match="profile") as caught:
        own(tmp_path, written)

    assert told in str(caught.value)
    assert fine.title == "Own"


def test_a_profile_without_a_base_says_everything_itself(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="lacks something"):
        own(tmp_path, 'title = "Own"\n')

    assert own(tmp_path, BASE).title == "any other model"


def test_weights_have_the_names_that_searches_have() -> None:
    assert {field.name for field in fields(Weights)} >= {"exact", "recency"}
    assert all(not profile(name).weights for name in names()), "none was measured to be better"
