from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memex_mcp.errors import Invalid
from memex_mcp.model.kinds import Kind
from memex_mcp.model.record import Draft
from memex_mcp.policy import limits
from tests.card import card

GOOD = Draft(text="The gateway rejects unsigned builds.")
DAY = datetime(2026, 11, 30, tzinfo=UTC)


@card("write.limits")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param({"text": " \n"}, "text is empty", id="empty"),
        pytest.param({"text": "\0\x1b\x7f"}, "text has no visible character", id="controls"),
        pytest.param({"text": "\u200b \ufeff\u2800"}, "no visible character", id="invisible"),
        pytest.param({"text": "word " * 2100}, "tokens", id="too many tokens"),
        pytest.param({"text": "字" * 4000}, "tokens", id="too many tokens, Chinese"),
        pytest.param({"text": "x" * 100_001}, "100,001 characters", id="too many characters"),
        pytest.param({"title": "t" * 121}, "title has 121 characters", id="title"),
        pytest.param({"tags": ("t",) * 13}, "tags has 13 items", id="tags"),
        pytest.param({"aliases": ("a" * 401,)}, "an item of aliases has 401", id="alias"),
        pytest.param({"salience": 1.5}, "salience is 1.5", id="salience"),
        pytest.param({"valid_from": DAY, "valid_to": DAY}, "valid_to", id="validity"),
    ],
)
def test_what_is_too_much_is_refused_with_the_count(change: dict[str, object], told: str) -> None:
    limits.check(GOOD)

    with pytest.raises(Invalid, match=told):
        limits.check(replace(GOOD, **change))  # type: ignore[arg-type]  # fields by name


def test_a_note_of_2048_tokens_passes_and_a_span_has_no_such_limit() -> None:
    limits.check(replace(GOOD, text="a " * 2000))
    limits.check(replace(GOOD, text="word " * 30_000, kind=Kind.SPAN))

    with pytest.raises(Invalid):
        limits.check(replace(GOOD, text="word " * 30_000))
