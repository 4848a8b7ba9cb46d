"""The engine of our own against Python's, and against what hangs Python's."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.errors import Invalid
from memex_mcp.text.pattern import Pattern, Plain, lines
from tests.card import card

ATOMS = st.sampled_from(
    ["a", "b", "é", ".", r"\.", r"\w", r"\d", "[ab]", "[^a]", "[a-c_]", r"[\d.]", r"\s", "字"]
)
MANY = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{2,}", "*?", "+?"])
EDGES = st.sampled_from(["^", "$", r"\b"])


def joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(parts, min_size=1, max_size=3).map("".join)


PATTERNS = st.recursive(
    joined(st.one_of(st.tuples(ATOMS, MANY).map("".join), EDGES)),
    lambda inner: st.one_of(
        st.tuples(inner, MANY).map(lambda each: f"({each[0]}){each[1]}"),
        st.tuples(inner, inner, MANY).map(lambda each: f"(?:{each[0]}|{each[1]}){each[2]}"),
        joined(inner),
    ),
    max_leaves=6,
)
TEXTS = st.text("abcé字. 1_A", max_size=10)


def never() -> None:
    """Time is never over."""


@given(PATTERNS, TEXTS, st.booleans())
def test_a_line_matches_where_pythons_engine_says_so(source: str, text: str, ignore: bool) -> None:
    pattern = Pattern(source, ignore_case=ignore)
    python = re.compile(source, re.IGNORECASE if ignore else re.NOFLAG)

    expected, found = python.search(text), pattern.find(text, never)

    assert (found is None) is (expected is None)
    if found is not None:
        assert pattern.needs in text
        start, end = found
        # It ends where the first match does that ends at all, and begins as early as it can.
        assert any(
            match.start() == start
            for at in range(end + 1)
            if (match := python.match(text, at)) is not None
        ) or set(source) & set("^$\\?|")


@pytest.mark.parametrize(
    ("source", "text", "place"),
    [
        pytest.param("b+", "abbb", (1, 2), id="the first end"),
        pytest.param("(a|ab)c", "xxabc", (2, 5), id="the earliest beginning"),
        pytest.param(r"\bport\b \d{4}", "a port 5433.", (2, 11), id="a word and a count"),
        pytest.param("^$", "", (0, 0), id="an empty line"),
        pytest.param("x{0}y", "xy", (1, 2), id="none of it"),
        pytest.param(r"[]a^-]", "-", (0, 1), id="signs in a set"),
        pytest.param(r"[[&~|]", "|", (0, 1), id="signs that Python warns of"),
        pytest.param(r"[\]\\\t]", "\\", (0, 1), id="escapes in a set"),
        pytest.param("(?P<word>a)b", "ab", (0, 2), id="a named group"),
        pytest.param("a{,2}b{", "aab{", (0, 4), id="a brace that counts nothing"),
        pytest.param("a" * 401, "b" + "a" * 401, (2, 402), id="longer than is looked back"),
    ],
)
def test_a_match_is_placed(source: str, text: str, place: tuple[int, int]) -> None:
    assert Pattern(source).find(text, never) == place


@pytest.mark.parametrize(
    ("source", "needs"),
    [
        ("port \\d+ of heron", " of heron"),
        ("po(r)t", "po"),
        ("(a)", ""),
        ("ab*cd", "cd"),
        ("abc|abd", ""),
        (r"src/pool\.py", "src/pool.py"),
        (r"\d", ""),
        ("[ab]c", "c"),
    ],
)
def test_what_every_match_holds_is_known(source: str, needs: str) -> None:
    assert Pattern(source).needs == needs
    assert Pattern(source, ignore_case=True).needs == ""


@card("grep.bounded")
@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("(a+)+$", "a" * 4_000 + "b", id="nested"),
        pytest.param("(a|aa)*c", "a" * 4_000, id="two ways"),
        pytest.param("(.*)*x", "a" * 4_000, id="anything, any number of times"),
        pytest.param("a?" * 30 + "a" * 30, "a" * 29, id="thirty choices"),
        pytest.param("[a-z]*" * 12 + "Q", "abc" * 1_300, id="twelve in a row"),
        pytest.param("(a|a)" * 30 + "b", "a" * 4_000, id="two to the thirtieth"),
    ],
)
def test_a_pattern_that_hangs_pythons_engine_takes_a_step_for_each_character(
    source: str, text: str
) -> None:
    steps = 0

    def tick() -> None:
        nonlocal steps
        steps += 1

    assert Pattern(source).find(text, tick) is None
    # A set of ways is worked out once; most characters are looked up.
    assert steps < 200


def test_time_can_run_out_within_a_line() -> None:
    class Late(Exception):
        """Time is over."""

    left = 50

    def tick() -> None:
        nonlocal left
        left -= 1
        if not left:
            raise Late

    many = "".join(chr(0x4E00 + n) for n in range(4_000))
    with pytest.raises(Late):
        Pattern("(一|.)*丁x").find(many, tick)
    left = 100_000
    assert Pattern("(一|.)*丁x").find(many, tick) is None


def test_more_states_than_are_kept_change_nothing() -> None:
    # Which of the last thirteen characters were an a is another state for each way it can be.
    text = "".join(Random(7).choices("ab", k=6_000)) + "a" + "b" * 12 + "c"
    steps = 0

    def tick() -> None:
        nonlocal steps
        steps += 1

    assert Pattern("a[ab]{12}c").find(text, tick) == (6_000, 6_014)
    assert Pattern("a[ab]{11}ac").find(text, tick) is None
    assert steps > 2_000


@pytest.mark.parametrize(
    "source",
    [
        *("(", ")", "(a", "a)", "[a", "a\\", "*", "a**", "a{2}{3}", r"(a)\1", "(?=a)", "(?!a)"),
        *("(?i)a", r"\q", r"[\q]", "[b-a]", "[a--b]", "a{3,2}", "a{999}", "(a{50}){50}"),
        *("((((((((((((((((((((((a))))))))))))))))))))))", "a" * 600, "(?<=a)b", "a{2,}+"),
    ],
)
def test_what_is_not_understood_is_said(source: str) -> None:
    with pytest.raises(Invalid, match=r"^pattern: "):
        Pattern(source)
    assert Pattern(re.escape(source[:20])).find(source, never) is not None


def test_a_plain_text_means_itself() -> None:
    assert Plain("a+(b").find("xa+(b", never) == (1, 5)
    assert Plain("A+(B").find("xa+(b", never) is None
    assert Plain("A+(B", ignore_case=True).find("xa+(b", never) == (1, 5)
    assert (Plain("Ab").needs, Plain("Ab", ignore_case=True).needs) == ("Ab", "")


def test_lines_are_found_whole_or_in_pieces() -> None:
    text = "one\r\n\ntwo words\nthree"

    def cut(start: int = 0, needs: str = "", longest: int = 99) -> list[str]:
        places = lines(text, start, needs=needs, longest=longest)
        return [text[low:high] for low, high in places]

    assert cut() == ["one", "", "two words", "three"]
    assert cut(6) == ["two words", "three"]
    assert cut(needs="w") == ["two words"]
    assert cut(needs="x") == []
    assert cut(longest=4) == ["one", "", "two ", "word", "s", "thre", "e"]
    assert cut(10, longest=4) == ["word", "s", "thre", "e"]
    assert cut(10, needs="w", longest=4) == ["word", "s"]
