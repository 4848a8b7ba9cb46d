"""Pages of long bodies: exact when joined, cut where readers would cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.errors import Invalid
from memex_mcp.model.ids import new_id
from memex_mcp.retrieval import pages
from memex_mcp.text import tokens
from tests.strategies import bodies

SHA = "0123456789abcdef" * 4


def joined(body: str, max_tokens: int) -> list[str]:
    parts: list[str] = []
    offset: int | None = 0
    while offset is not None:
        text, offset = pages.page(body, offset, max_tokens)
        parts.append(text)
    return parts


@given(bodies(), st.integers(1, 60))
def test_pages_join_to_the_body_and_none_is_empty(body: str, max_tokens: int) -> None:
    parts = joined(body, max_tokens)

    assert "".join(parts) == body
    assert all(parts) or parts == [""]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("x" * 200_000, id="one word"),
        pytest.param("数据库备份保留三十天。" * 10_000, id="chinese"),
        pytest.param("The backup is kept for thirty days. " * 4_000, id="english"),
        pytest.param(" " * 100_000, id="blank"),
    ],
)
def test_a_huge_body_is_paged_within_the_budget(body: str) -> None:
    parts = joined(body, 500)

    assert "".join(parts) == body
    assert len(parts) > 1
    assert all(tokens.count(part).tokens <= 500 for part in parts)


def test_a_page_ends_where_a_word_does() -> None:
    body = "Deploys go through the gateway and nowhere else at all. " * 20

    parts = joined(body, 40)

    assert len(parts) > 5
    assert all(part[-1].isspace() for part in parts[:-1])


@pytest.mark.parametrize(
    "whole",
    [
        pytest.param("e\u0301\u0302", id="accents"),
        pytest.param("👩\u200d👩\u200d👧", id="family"),
        pytest.param("👍🏽", id="skin tone"),
        pytest.param("🇨🇭", id="flag"),
        pytest.param("\ud83d\ude00", id="surrogate pair"),
        pytest.param("\r\n", id="line end"),
    ],
)
def test_nothing_that_belongs_together_is_cut(whole: str) -> None:
    body = whole * 9

    assert not any(pages.is_border(body, at) for at in range(1, len(body)) if at % len(whole))
    assert all(pages.is_border(body, at * len(whole)) for at in range(10))
    assert "".join(joined(body, 3)) == body
    assert all(len(part) % len(whole) == 0 for part in joined(body, 3))


def test_a_letter_with_endless_marks_is_cut_all_the_same() -> None:
    body = "e" + "\u0301" * 5_000

    assert "".join(joined(body, 1)) == body


@given(st.integers(0, 10**9))
def test_a_cursor_reads_back(offset: int) -> None:
    record_id = new_id()

    assert pages.read_cursor(pages.cursor(record_id, SHA, offset)) == (record_id, SHA[:16], offset)


@pytest.mark.parametrize("text", ["", "x", "é", "\ud800", "AAAA", "=" * 9, "a" * 9999])
def test_a_cursor_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="cursor"):
        pages.read_cursor(text)
