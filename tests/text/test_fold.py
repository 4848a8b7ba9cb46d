import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memex_mcp.text.fold import fold, is_blank, level, value_text
from memex_mcp.text.han import SIMPLIFIED, TRADITIONAL

ANY = st.text(st.characters(), max_size=80)


@pytest.mark.parametrize(
    ("written", "other"),
    [
        pytest.param("Café", "cafe", id="accent"),
        pytest.param("Cafe\u0301", "café", id="accent apart"),
        pytest.param("ＡＰＩ配置", "api配置", id="full width"),
        pytest.param("臺灣軟體", "台湾软体", id="traditional"),
        pytest.param("STRASSE", "straße", id="sharp s"),
        pytest.param("ｶﾞ", "ガ", id="half-width kana"),
        pytest.param("\u212bngström", "angstrom", id="compatibility letter"),
    ],
)
def test_two_spellings_fold_to_one(written: str, other: str) -> None:
    assert fold(written) == fold(other)
    assert fold(written) != fold(other + "x")


def test_accents_that_make_another_letter_elsewhere_stay() -> None:
    assert fold("мой") == "мой"
    assert fold("が") != fold("か")


@settings(max_examples=500, deadline=None)
@given(ANY)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@settings(max_examples=500, deadline=None)
@given(ANY)
def test_value_text_is_its_own_value_text(text: str) -> None:
    value = value_text(text)

    assert value_text(value) == value
    assert value == value.strip()


@pytest.mark.parametrize(
    ("written", "other"),
    [
        pytest.param("Deploy on Friday", "deploy  on\n friday ", id="case and space"),
        pytest.param("pass\u200bword", "password", id="zero width"),
        pytest.param("\ufeffpass\u00adword\u202e", "password", id="mark, hyphen, direction"),
        pytest.param("p\u0430ssw\u043erd", "password", id="Cyrillic"),
        pytest.param("ΡΟRΤ", "port", id="Greek"),
        pytest.param("ok\U000e0041\ufe0f", "ok", id="tag and variation selector"),
        pytest.param("ｐｏｒｔ：８０", "port:80", id="full width"),
    ],
)
def test_disguised_values_share_a_key(written: str, other: str) -> None:
    assert value_text(written) == value_text(other)
    assert value_text(written) != value_text("not " + other)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param("用 PostgreSQL 数据库", "用 MySQL 数据库", id="two Chinese facts"),
        pytest.param("部署在周五", "部署在周四", id="one character"),
        pytest.param("軟體", "软体", id="traditional and simplified"),
        pytest.param("running", "runs", id="stems"),
        pytest.param("port 80", "port: 80", id="punctuation"),
    ],
)
def test_different_values_keep_different_keys(one: str, two: str) -> None:
    assert value_text(one) != value_text(two)
    assert value_text(one) == value_text(f" {one} ")


@settings(deadline=None)
@given(ANY)
def test_every_levelled_character_knows_its_place(text: str) -> None:
    flat, starts, ends = level(text)

    if starts is None or ends is None:
        assert len(flat) == len(text)
    else:
        assert len(flat) == len(starts) == len(ends)
        assert all(0 <= a < b <= len(text) for a, b in zip(starts, ends, strict=True))
        assert list(starts) == sorted(starts)


def test_no_simplified_character_is_itself_folded_away() -> None:
    assert not set(TRADITIONAL) & set(SIMPLIFIED)
    assert len(TRADITIONAL) == len(SIMPLIFIED) == len(set(TRADITIONAL)) > 2500


@settings(max_examples=500, deadline=None)
@given(st.text(st.sampled_from(" \n\x00\x1b\x85\u200b\ufeff\u3164\U000e0041a。\u0301"), max_size=6))
def test_a_text_is_blank_when_nothing_of_it_can_be_seen(text: str) -> None:
    assert is_blank(text) is not any(seen in text for seen in "a。\u0301")
