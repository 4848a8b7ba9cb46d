"""Cards made by rule: what people read first."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.model.record import Card
from memex_mcp.text import card as cards
from memex_mcp.text import entities
from tests.card import card


@card("card.deterministic")
@pytest.mark.parametrize(
    ("text", "title", "summary"),
    [
        pytest.param("One fact.", "One fact.", "", id="one sentence"),
        pytest.param(
            "Use uv, not pip. It is faster. CI relies on it.",
            "Use uv, not pip.",
            "It is faster. CI relies on it.",
            id="english",
        ),
        pytest.param(
            "步2 重跑gen-itgc后50条悬空引用清零。下一步看日志！好吗？",
            "步2 重跑gen-itgc后50条悬空引用清零。",
            "下一步看日志！好吗？",
            id="chinese",
        ),
        pytest.param(
            "# Deploy **guide** #\n\nRun `make`. Then wait.",
            "Deploy guide",
            "Run make. Then wait.",
            id="heading",
        ),
        pytest.param(
            "Plain first.\n\n# Heading later\nMore.",
            "Plain first.",
            "Heading later More.",
            id="sentence before a heading",
        ),
        pytest.param(
            "```python\nx = 1. \n```\nThe code sets x. Done.",
            "The code sets x.",
            "Done.",
            id="fence is skipped",
        ),
        pytest.param("```\nmake all\n```", "make all", "", id="nothing but code"),
        pytest.param("~~~\n```\nfirst line", "```", "first line", id="fence that never ends"),
        pytest.param(
            "- first item\n- [ ] second item\n1. third",
            "first item",
            "second item third",
            id="list",
        ),
        pytest.param("---\n\nText.", "Text.", "", id="rule"),
        pytest.param("---", "---", "", id="nothing but a rule"),
        pytest.param(
            "Use e.g. version 1.2.3 of it. Not v2.",
            "Use e.g. version 1.2.3 of it.",
            "Not v2.",
            id="abbreviation and version",
        ),
        pytest.param("“真的。”他说。", "“真的。”", "他说。", id="closing quote stays"),
        pytest.param("See [the docs](https://x.y/z) now", "See the docs now", "", id="link"),
        pytest.param(" \n\t\x00 \ufeff", "untitled", "", id="blank"),
        pytest.param("", "untitled", "", id="empty"),
        pytest.param("two\r\nlines\x1b[31m", "two lines [31m", "", id="control characters"),
    ],
)
def test_title_is_the_first_thing_said_and_summary_the_next(
    text: str, title: str, summary: str
) -> None:
    made = cards.build(text)

    assert (made.title, made.summary) == (title, summary)


def test_what_the_writer_gives_is_kept_and_tidied() -> None:
    made = cards.build(
        "The whole text.",
        title="  Given \n title ",
        use_when=" when  lost ",
        tags=["#API", "api", "数据库", " ", "B C"],
        aliases=["gw", "gw", "gateway"],
        questions=["Which port?"],
    )

    assert made == Card(
        title="Given title",
        summary="The whole text.",
        use_when="when lost",
        tags=("api", "数据库", "b c"),
        aliases=("gw", "gateway"),
        questions=("Which port?",),
    )


def test_lists_hold_at_most_twelve() -> None:
    many = [f"t{n}" for n in range(20)]

    made = cards.build("x", tags=many, aliases=many, questions=many)

    assert made.tags == made.aliases == made.questions == tuple(many[:12])


def test_long_sentence_is_cut_at_a_word_and_begins_the_summary() -> None:
    made = cards.build("word " * 60 + "end.")

    assert made.title == "word " * 23 + "word…"
    assert len(made.title) == 120
    assert made.summary.startswith("word word")
    assert made.summary.endswith("end.")


def test_chinese_is_cut_at_the_character() -> None:
    assert cards.clip("汉" * 200, 120) == "汉" * 119 + "…"


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("e\u0301", id="accent"),
        pytest.param("👩\u200d💻", id="joined emoji"),
        pytest.param("👍\U0001f3fd", id="skin tone"),
        pytest.param("\ud83d\ude00", id="surrogate pair"),
        pytest.param("\u1112\u1161\u11ab", id="jamo"),
        pytest.param("☁\ufe0f", id="variation selector"),
    ],
)
def test_characters_that_belong_together_are_never_taken_apart(unit: str) -> None:
    for most in range(2, 30):
        assert cards.clip(unit * 30, most).removesuffix("…").replace(unit, "") == ""

    assert cards.clip(unit, 30) == unit


@given(st.text(st.characters(codec=None, categories=None), max_size=600))
def test_any_text_makes_a_card_that_fits_and_can_be_stored(text: str) -> None:
    made = cards.build(text, tags=[text], aliases=[text], questions=[text], use_when=text)

    assert made == cards.build(text, tags=[text], aliases=[text], questions=[text], use_when=text)
    assert 1 <= len(made.title) <= 120
    assert len(made.summary) <= 400
    for line in (made.title, made.summary, made.use_when, *made.tags, *made.entities):
        line.encode("utf-8")
        assert not any(unicodedata.category(c) == "Cc" for c in line)


def test_surrogates_in_a_card_become_what_they_stand_for() -> None:
    assert cards.build("\ud83d\ude00 ok \ud800 end").title == "😀 ok \ufffd end"


def test_nothing_but_accents_still_leaves_a_title() -> None:
    assert len(cards.build("\u0301" * 500).title) == 120


@card("text.entities")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(r"see C:\Users\me\a.txt, ok", (r"C:\Users\me\a.txt",), id="windows"),
        pytest.param(r"在C:\用户\项目\a.txt里", (r"C:\用户\项目\a.txt",), id="windows, Chinese"),
        pytest.param("D:/code/x/main.py.", ("D:/code/x/main.py",), id="windows, slashes"),
        pytest.param(r"\\server\share\f.txt", (r"\\server\share\f.txt",), id="share"),
        pytest.param("in /etc/nginx/nginx.conf.", ("/etc/nginx/nginx.conf",), id="posix"),
        pytest.param("文件/etc/hosts里", ("/etc/hosts",), id="posix inside Chinese"),
        pytest.param("/home/王/项目/说明.md", ("/home/王/项目/说明.md",), id="posix, Chinese"),
        pytest.param("~/x/y and ./run.sh", ("~/x/y", "./run.sh"), id="home and here"),
        pytest.param("src/app/main.py:42", ("src/app/main.py",), id="relative"),
        pytest.param("and/or 1/2 2026/11/30 /compact", (), id="no paths"),
        pytest.param("(https://a.b/c_(d)?q=1).", ("https://a.b/c_(d)?q=1",), id="url"),
        pytest.param("见https://a.b/c。", ("https://a.b/c",), id="url in Chinese"),
        pytest.param("add @scope/pkg-x; me@host/x", ("@scope/pkg-x",), id="package"),
        pytest.param("call `getUserById` twice", ("getUserById",), id="back-quoted"),
        pytest.param("`a.b` /x/y `a.b`", ("a.b", "/x/y"), id="order, each once"),
    ],
)
def test_names_are_found_as_they_stand(text: str, found: tuple[str, ...]) -> None:
    assert entities.find(text) == found


def test_at_most_twelve_names_are_kept() -> None:
    assert len(entities.find(" ".join(f"`name{n}`" for n in range(30)))) == 12
