import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.capture.markdown_notes import MOST_TOKENS, Statement, read, type_of
from memex_mcp.model.kinds import NoteType
from memex_mcp.text import tokens


def texts(markdown: str) -> list[str]:
    return [each.text for each in read(markdown).statements]


def lines(markdown: str) -> list[tuple[int, str]]:
    return [(each.line, each.text) for each in read(markdown).statements]


def test_an_item_and_a_paragraph_are_statements_under_their_headings() -> None:
    found = read("# Guide\n\nAbout it.\n\n## Build\n\n- Run `make`.\n- Never skip lint.\n")

    assert found.statements == (
        Statement(heading="", title="About it.", text="About it.", type=NoteType.FACT, line=3),
        Statement(
            heading="Build",
            title="Build: Run make.",
            text="Build: Run `make`.",
            type=NoteType.INSTRUCTION,
            line=7,
        ),
        Statement(
            heading="Build",
            title="Build: Never skip lint.",
            text="Build: Never skip lint.",
            type=NoteType.CONSTRAINT,
            line=8,
        ),
    )
    assert found.left_out == {}


def test_headings_lead_from_the_outermost_inwards() -> None:
    text = "# A\n## B\n### C\n- one\n## D\n- two\n# E\n- three\n"

    assert texts(text) == ["A › B › C: one", "A › D: two", "E: three"]


def test_the_title_of_the_whole_file_is_no_heading_unless_it_is_the_only_one() -> None:
    assert texts("# CLAUDE.md\n## Style\n- tabs here\n") == ["Style: tabs here"]
    assert texts("# Style\n- tabs here\n") == ["Style: tabs here"]


def test_underlined_headings_count_and_a_rule_does_not() -> None:
    text = "Style\n=====\nLong lines wrap.\n\n---\n\nTools\n-----\nUse ruff.\n# Rest\n"

    assert texts(text) == ["Style: Long lines wrap.", "Style › Tools: Use ruff."]


def test_what_introduces_a_list_is_said_with_each_of_its_items() -> None:
    text = "Before a commit:\n\n- run tests\n- Checks：\n  - lint\n  - types\n\nThen push.\n"

    assert lines(text) == [
        (3, "Before a commit: run tests"),
        (5, "Before a commit › Checks: lint"),
        (6, "Before a commit › Checks: types"),
        (8, "Then push."),
    ]


def test_a_nested_item_is_said_with_the_item_above_it() -> None:
    assert texts("- Use uv.\n  - Not pip.\n- Use ruff.\n") == [
        "Use uv.",
        "Use uv: Not pip.",
        "Use ruff.",
    ]


def test_lines_that_belong_to_an_item_stay_with_it() -> None:
    text = "- first\n  goes on\n\n  and on\n- second\nlazily\n\nNo item.\n"

    assert texts(text) == ["first\ngoes on\n\nand on", "second\nlazily", "No item."]


def test_code_stays_with_what_introduces_it_and_is_left_as_it_is() -> None:
    text = (
        "Run this:\n```sh\n# not a heading\n- not an item\n<!-- kept -->\n```\n"
        "1. step\n   ```py\n   if x:\n       y()\n   ```\n\n~~~\nalone\n~~~\n"
    )

    assert texts(text) == [
        "Run this:\n\n```sh\n# not a heading\n- not an item\n<!-- kept -->\n```",
        "step\n\n```py\nif x:\n    y()\n```",
        "~~~\nalone\n~~~",
    ]


@pytest.mark.parametrize(
    ("text", "left", "reason"),
    [
        pytest.param("---\nname: rule\n---\nKept.\n", "Kept.", "front matter", id="front matter"),
        pytest.param("<!-- a\n- b\n-->\nKept.\n", "Kept.", "comment", id="comment"),
        pytest.param("Kept.<!-- a -->\n", "Kept.", "comment", id="comment in a line"),
        pytest.param("Kept.\n<!-- a\n- b\n", "Kept.", "comment", id="comment without an end"),
        pytest.param(
            "<!-- memex:begin v1 -->\n- ours\n<!-- memex:end -->\nKept.\n",
            "Kept.",
            "own block",
            id="own block",
        ),
        pytest.param(
            "Kept.\n<!-- memex:begin -->\n- ours\n", "Kept.", "own block", id="own, without an end"
        ),
        pytest.param("@docs/rules.md\n\nKept.\n", "Kept.", "import", id="import"),
        pytest.param("- @~/.claude/mine.md\n- Kept.\n", "Kept.", "import", id="import in a list"),
        pytest.param("Kept, see @docs/a.md\n", "Kept, see @docs/a.md", "import", id="named"),
        pytest.param("- [Top](#top)\n- Kept.\n", "Kept.", "link", id="table of contents"),
    ],
)
def test_what_is_no_statement_is_left_out_and_counted(text: str, left: str, reason: str) -> None:
    found = read(text)

    assert [each.text for each in found.statements] == [left]
    assert found.left_out == {reason: 1}


def test_three_dashes_that_never_close_are_no_front_matter() -> None:
    assert texts("---\nKept.\n") == ["Kept."]


def test_an_address_is_no_import() -> None:
    assert read("Ask ops@example.com or use @types/node.\n").left_out == {}


def test_windows_lines_and_a_byte_order_mark_change_nothing() -> None:
    text = "# A\n\n- one\n- two\n"

    assert read("\ufeff" + text.replace("\n", "\r\n")) == read(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Never commit to main.", NoteType.CONSTRAINT),
        ("**Do not** edit generated files.", NoteType.CONSTRAINT),
        ("提交前必须跑测试。", NoteType.CONSTRAINT),
        ("禁止直接改生产库", NoteType.CONSTRAINT),
        ("We decided to keep SQLite.", NoteType.DECISION),
        ("最终采用 gRPC。", NoteType.DECISION),
        ("I prefer small commits.", NoteType.PREFERENCE),
        ("优先使用标准库", NoteType.PREFERENCE),
        ("Run the linter first.", NoteType.INSTRUCTION),
        ("使用 pnpm 安装依赖", NoteType.INSTRUCTION),
        ("The API listens on 8080.", NoteType.FACT),
        ("数据库在 5433 端口。", NoteType.FACT),
        ("The mustard colour is #e1ad01.", NoteType.FACT),
    ],
)
def test_the_type_is_guessed_from_the_words(text: str, expected: NoteType) -> None:
    assert type_of(text) is expected


def test_an_open_box_is_a_task_and_a_ticked_one_is_not() -> None:
    found = read("- [ ] Write the docs\n- [x] The logo is blue\n").statements

    assert [(each.text, each.type) for each in found] == [
        ("Write the docs", NoteType.TASK),
        ("The logo is blue", NoteType.FACT),
    ]


@pytest.mark.parametrize("between", ["\n\n", "\n", " "])
def test_a_statement_that_is_too_long_is_cut_and_nothing_of_it_is_lost(between: str) -> None:
    words = [f"word{n} stands in sentence number {n}." for n in range(900)]

    found = read("# Long\n\n## Part\n\n- " + between.replace("\n", "\n  ").join(words))

    assert found.left_out == {"cut": 1}
    assert len(found.statements) > 1
    assert all(tokens.count(each.text).tokens <= MOST_TOKENS for each in found.statements)
    joined = " ".join(each.text for each in found.statements).split()
    assert [word for word in joined if word.startswith("word")] == [f"word{n}" for n in range(900)]


def test_a_heading_that_never_ends_does_not_crowd_out_what_it_is_about() -> None:
    (found,) = read(f"# {'far ' * 2000}\n\n- close by\n").statements

    assert found.text.endswith("…: close by")
    assert len(found.text) < 120


@pytest.mark.parametrize("text", ["", "\n\n", "---\n", "# Only a heading\n", "- **\n", "\u200b\n"])
def test_a_text_that_says_nothing_has_no_statements(text: str) -> None:
    assert read(text).statements == ()


@given(st.text(alphabet="#-*`~>@<!-=[]() \n\tab:：0.1记住", max_size=200))
def test_any_text_can_be_read_and_every_line_number_is_in_it(text: str) -> None:
    count = len(text.splitlines())

    for each in read(text).statements:
        assert 1 <= each.line <= count
        assert each.text.strip()
        assert each.title
