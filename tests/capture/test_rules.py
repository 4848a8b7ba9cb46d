from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memex_mcp.capture import rules
from memex_mcp.capture.clauses import clauses
from memex_mcp.model.kinds import NoteType
from memex_mcp.model.turn import Envelope, Role, Source, Step, Turn
from tests.capture import rules_held_out as held_out
from tests.capture import rules_labelled as labelled
from tests.capture import rules_labelled_more as more

TABS = "I prefer tabs over spaces."


def measured(kept: Sequence[tuple[str, str]], traps: Sequence[str]) -> tuple[float, float]:
    """Precision and recall: a note counts when it is one that should be there, of its type."""
    right = wrong = 0
    for text, type_ in kept:
        types = [str(each.type) for each in rules.find(text)]
        right += type_ in types
        wrong += len(types) - (type_ in types)
    wrong += sum(len(rules.find(text)) for text in traps)
    return right / (right + wrong), right / len(kept)


def types(message: str) -> list[str]:
    return [str(each.type) for each in rules.find(message)]


@pytest.mark.parametrize("kept", [labelled, more], ids=["first", "second"])
def test_what_is_found_is_meant_and_at_least_half_of_what_is_meant_is_found(kept: object) -> None:
    precision, recall = measured(kept.KEPT, kept.TRAPS)  # type: ignore[attr-defined]

    assert precision >= 0.95
    assert recall >= 0.5


def test_the_set_is_large_enough_to_tell() -> None:
    assert len(labelled.KEPT) + len(labelled.TRAPS) >= 200
    assert len(labelled.TRAPS) >= 100
    assert len({*dict(labelled.KEPT), *labelled.TRAPS}) >= 200


def test_unprepared_the_rules_still_miss_rather_than_invent() -> None:
    precision, recall = measured(held_out.KEPT, held_out.TRAPS)

    assert precision >= 0.9
    assert recall >= 0.5


@pytest.mark.parametrize("text", labelled.HARNESS)
def test_what_a_client_puts_into_a_message_is_not_the_user_s(text: str) -> None:
    assert rules.find(text) == []
    assert types(f"{TABS}\n{text}") == ["preference"]


def test_the_user_s_words_around_a_client_s_are_kept() -> None:
    reminder = "<system-reminder>\nNever push to main.\n</system-reminder>"

    assert types(f"{TABS}\n\n{reminder}\n\nWe chose SQLite for the cache.") == [
        "preference",
        "decision",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Never push to main.", (NoteType.CONSTRAINT, 0.85, 0.70), id="constraint"),
        pytest.param(TABS, (NoteType.PREFERENCE, 0.70, 0.68), id="preference"),
        pytest.param("We chose SQLite.", (NoteType.DECISION, 0.72, 0.66), id="decision"),
        pytest.param("We use Nix for shells.", (NoteType.FACT, 0.50, 0.55), id="fact"),
        pytest.param(
            "I like pytest and tests must never sleep.",
            (NoteType.CONSTRAINT, 0.85, 0.70),
            id="constraint before preference",
        ),
        pytest.param(
            "We decided that I prefer pytest.",
            (NoteType.PREFERENCE, 0.70, 0.68),
            id="preference before decision",
        ),
    ],
)
def test_the_first_cue_that_fits_decides(
    text: str, expected: tuple[NoteType, float, float]
) -> None:
    (found,) = rules.find(text)

    assert (found.type, found.salience, found.confidence) == expected


def test_a_message_gives_three_notes_at_most() -> None:
    text = "Never push to main. I prefer tabs. We chose SQLite. We use Nix for shells."

    assert types(text) == ["constraint", "preference", "decision"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```\n{TABS}\n```", id="code"),
        pytest.param(f"```\n{TABS}", id="code without an end"),
        pytest.param(f"> {TABS}", id="quotation"),
        pytest.param(f'The bot answered "{TABS}"', id="quotation marks"),
        pytest.param(f"Here is the log:\n{TABS}", id="announced"),
        pytest.param(f"2026-11-30 {TABS}", id="log"),
        pytest.param(f"{TABS}?", id="question"),
        pytest.param("I prefer tabs over spaces？", id="wide question mark"),
        pytest.param("x" * 9_000 + f". {TABS}", id="pasted"),
        pytest.param("No tabs", id="no cue"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_not_said_by_the_user_as_a_statement_is_left(text: str) -> None:
    assert rules.find(text) == []
    assert types(TABS) == ["preference"]


def test_a_clause_is_of_six_to_four_hundred_characters() -> None:
    long = "I prefer " + "very " * 90 + "long lines."

    assert [each.text for each in clauses("Short. 一二三四五。一二三四五六。")] == ["一二三四五六"]
    assert rules.find(long) == []
    assert types("I prefer " + "very " * 70 + "long lines.") == ["preference"]


def test_filler_before_a_clause_is_no_part_of_it() -> None:
    assert [each.text for each in rules.find("ok, btw: I prefer tabs.")] == ["I prefer tabs"]
    assert [each.text for each in rules.find("好的，我更喜欢用中文。")] == ["我更喜欢用中文"]


def test_a_turn_gives_candidates_that_name_their_conversation(tmp_path: Path) -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    asked = Envelope(role=Role.USER, type="user", at=at, start=0, stop=1, data="", sha256="a")
    said = Envelope(role=Role.ASSISTANT, type="a", at=at, start=2, stop=3, data="", sha256="b")
    turn = Turn(
        steps=(
            Step(envelope=asked, text=f"{TABS} Now fix it.", prompt=True),
            Step(envelope=said, text="We decided to use Nix for shells."),
        ),
        closed=True,
    )
    source = Source(client="claude", session_id="s-1", path=tmp_path / "x.jsonl")

    (draft,) = rules.notes(turn, source)

    assert (draft.text, draft.type) == ("I prefer tabs over spaces", NoteType.PREFERENCE)
    assert (draft.salience, draft.confidence) == (0.70, 0.68)
    assert (draft.source, draft.observed_at) == ("claude:s-1", at)
    assert rules.notes(turn, replace(source, part="a1")) == []


@pytest.mark.parametrize("unit", [".", "<a> ", "so ", "never ", "我", '"', "a:", "all must "])
def test_no_message_takes_the_rules_long(unit: str) -> None:
    # The test's own time limit would tell.
    for characters in (8_000, 390):
        assert len(rules.find(unit * (characters // len(unit)))) <= 1
