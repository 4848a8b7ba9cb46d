import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.cli.columns import columns, json_safe, one_line, padded, safe, steers, wrap

# Small enough to try often, and with all that matters: widths, joiners, marks, controls.
TEXTS = st.text(
    st.sampled_from(
        "ab  \n\t，。（）部署，😀é\u0301\u200d\u3000\u00a0\x1b\x9b\r\x00\u202e\u2028\ufeff"
    )
)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("abc", 3),
        ("部署", 4),
        ("ｆｕｌｌ", 8),
        ("한국어", 6),
        ("e\u0301", 1),
        ("😀", 2),
        ("✓ é", 3),
    ],
)
def test_text_is_as_wide_as_a_terminal_shows_it(text: str, cells: int) -> None:
    assert columns(text) == cells
    assert columns(padded(text, 10)) == 10


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("one two three", ["one two", "three"], id="at spaces"),
        pytest.param("部署前必须先跑", ["部署前必", "须先跑"], id="between Chinese characters"),
        pytest.param("部署前必，先跑", ["部署前", "必，先跑"], id="no line begins with a comma"),
        pytest.param("ab部署（前）", ["ab部署", "（前）"], id="no line ends with a bracket"),
        pytest.param("先跑 make smoke", ["先跑", "make", "smoke"], id="words stay whole"),
        pytest.param("abcdefghijkl", ["abcdefgh", "ijkl"], id="unless they must not"),
        pytest.param("  one two three", ["  one", "  two", "  three"], id="indented"),
        pytest.param("one\n\ntwo", ["one", "", "two"], id="lines stay lines"),
        pytest.param("abcdefgh\u3000i", ["abcdefgh", "\u3000i"], id="only spaces go"),
        pytest.param("", [""], id="nothing"),
    ],
)
def test_lines_break_where_a_reader_expects(text: str, lines: list[str]) -> None:
    assert wrap(text, 8) == lines


def squeezed(text: str) -> str:
    return text.translate(dict.fromkeys(map(ord, " \n\t")))


@given(TEXTS, st.integers(4, 30))
def test_wrapping_loses_nothing_and_never_overflows(text: str, room: int) -> None:
    lines = wrap(safe(text), room)

    assert squeezed("".join(lines)) == squeezed(safe(text))
    assert max(map(columns, lines)) <= room


@given(st.text() | TEXTS)
def test_no_text_steers_the_terminal(text: str) -> None:
    assert not [each for each in safe(text) if each not in "\n\t" and steers(each)]
    assert not [each for each in one_line(text) if each == "\n" or steers(each)]


@given(st.text() | TEXTS)
def test_no_json_steers_the_terminal_and_it_means_the_same(text: str) -> None:
    written = json_safe(json.dumps({"text": text}, ensure_ascii=False, indent=2))

    assert not [each for each in written if each != "\n" and steers(each)]
    assert json.loads(written) == {"text": text}


def test_what_is_not_obeyed_is_shown() -> None:
    assert safe("a\x1b[31mb\x9bc\x07\u202ed\ud800") == "a\\x1b[31mb\\x9bc\\x07\\u202ed\\ud800"
    assert safe("line\r\nline\rback") == "line\nline\\rback"
    assert safe("👩\u200d🚀 a\u3000b\u00a0c\td") == "👩\u200d🚀 a\u3000b\u00a0c\td"
