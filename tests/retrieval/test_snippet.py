"""Snippets: the best place, never the first one, with a word of the question in it."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.retrieval.snippet import LENGTH, MARK, best_place, snippet
from memex_mcp.text.words import terms
from tests.card import card
from tests.strategies import bodies

FILLER = "Nothing of note happened on that day and nobody said much about it. "


def cut(text: str, **worth: float) -> str:
    return snippet(text, worth, before=False, after=False)


@card("recall.snippet")
def test_the_densest_place_wins_over_the_first() -> None:
    text = f"The heron is a bird. {FILLER * 10}The heron script restarts the gateway. {FILLER * 10}"

    shown = cut(text, heron=5.0, script=3.0, gateway=4.0)

    assert "The heron script restarts the gateway." in shown
    assert "is a bird" not in shown
    assert shown.startswith(MARK)
    assert shown.endswith(MARK)


def test_the_rarer_word_wins_over_the_repeated_one() -> None:
    text = f"Backup, backup, backup. {FILLER * 10}One zeppelin. {FILLER * 10}"

    assert "zeppelin" in cut(text, backup=1.0, zeppelin=6.0)
    assert "backup" in cut(text, backup=6.0, zeppelin=1.0).lower()


def test_a_short_text_is_shown_whole_and_on_one_line() -> None:
    assert cut("Two\r\n\tlines  here", lines=1.0) == "Two lines here"
    assert cut("", lines=1.0) == ""
    assert snippet("middle", {}, before=True, after=True) == f"{MARK}middle{MARK}"


def test_a_cut_leaves_words_whole() -> None:
    shown = cut(FILLER * 10 + "The zeppelin lands. " + FILLER * 10, zeppelin=1.0)

    vocabulary = set((FILLER + "The zeppelin lands.").split())
    assert set(shown.strip(MARK).split()) <= vocabulary


@given(bodies(), bodies(60), bodies())
def test_a_snippet_holds_a_word_of_the_question_whenever_the_text_does(
    before: str, asked: str, after: str
) -> None:
    text = f"{before} {asked} {after}"
    worth = {term.text: 1.0 for term in terms(asked)}
    # A term as long as the window cannot be shown whole.
    fitting = {term.text for term in terms(text) if term.end - term.start <= LENGTH}

    shown = {term.text for term in terms(cut(text, **worth))}

    if fitting & worth.keys():
        assert shown & worth.keys()


@given(bodies(2_000), st.booleans(), st.booleans())
def test_a_snippet_is_short_and_cuts_no_letter_from_its_marks(
    text: str, before: bool, after: bool
) -> None:
    shown = snippet(text, {"null": 1.0}, before=before, after=after).strip(MARK)

    assert len(shown) <= LENGTH
    whole = " ".join(text.split())
    if shown and not unicodedata.combining(whole[0]):
        assert not unicodedata.combining(shown[0]) or len(shown) == 1


def test_the_best_place_of_a_long_text_is_where_the_question_is_answered() -> None:
    text = FILLER * 50 + "The zeppelin lands at noon. " + FILLER * 50

    place = best_place(text, "when does the zeppelin land?")

    assert text[place:].startswith("zeppelin lands")
    assert best_place(text, "kangaroo") == 0
