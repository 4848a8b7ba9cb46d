import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.model.record import Draft
from memex_mcp.policy.keys import core, plain, value_key
from memex_mcp.policy.withdrawn import cleared, hidden, without
from tests.spoken import make_line, said

WALDO = "The office dog is called Waldo."
TWO = "The dog barks at noon. He sleeps at two."
CHINESE = "办公室的狗叫沃尔多。"
FIVE = "One rule. Two rules. Three rules. Four rules. Five rules."
QUOTED = 'The dog answers to "Waldo" and to nothing else.'
KEYS = {value_key("w", text) for text in (WALDO, TWO, CHINESE, QUOTED, FIVE)}


def refuses(text: str) -> bool:
    return value_key("w", text) in KEYS


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (WALDO, "[withdrawn]"),
        (f"Yes. {WALDO} No.", "Yes. [withdrawn] No."),
        (f"Yes.\r\n  {WALDO}\r\nNo.", "Yes.\r\n  [withdrawn]\r\nNo."),
        (f"Yes. {TWO} No.", "Yes. [withdrawn] No."),
        (f"先说一句。{CHINESE}再说一句。", "先说一句。[withdrawn]再说一句。"),
        (f"- [ ] {QUOTED}", "- [ ] [withdrawn]"),
        (f"Assistant: Note: {WALDO}", "Assistant: Note: [withdrawn]"),
        (f'write {{"text": "{WALDO}"}}', 'write {"text": "[withdrawn]"}'),
        (
            f"args {json.dumps(json.dumps({'a': WALDO, 'b': 1}))}",
            'args "{\\"a\\": \\"[withdrawn]\\", \\"b\\": 1}"',
        ),
        (f"a\\n{WALDO}\\nb", "a\\n[withdrawn]\\nb"),
        ("THE OFFICE DOG  is called\nWALDO!", "[withdrawn]"),
        (f'They are: no "{FIVE}" and no more.', 'They are: no "[withdrawn]" and no more.'),
        (f"{WALDO} {WALDO}", "[withdrawn] [withdrawn]"),
    ],
)
def test_a_statement_is_found_wherever_it_stands_by_itself(text: str, left: str) -> None:
    assert without(text, refuses) == left


@pytest.mark.parametrize("text", [f"Yes. {WALDO} No.", f"先说一句。{CHINESE}再说一句。", "a:b", ""])
def test_hidden_it_leaves_everything_where_it_was(text: str) -> None:
    shown = hidden(text, refuses)

    assert len(shown) == len(text)
    assert re.sub(r"(\[withdrawn\]|…) *", "[withdrawn]", shown) == re.sub(
        " (?=No)", "", without(text, refuses)
    )


@given(text=st.sampled_from([WALDO, TWO, CHINESE, QUOTED, FIVE]), around=st.text(max_size=20))
def test_where_a_statement_stands_its_core_is_found(text: str, around: str) -> None:
    whole = f"{around}\n{text}\n{around}"

    assert hidden(whole, refuses) != whole
    assert core(text) in plain(whole)


@pytest.mark.parametrize(
    "text",
    [
        "The office dog is called Rex.",
        "They say the office dog is called Waldo, but who knows.",
        "The dog barks at noon.",
        "Is the office dog called Waldo?",
        "",
        "\n\n \n",
    ],
)
def test_what_says_something_else_stays_as_it_is(text: str) -> None:
    assert without(text, refuses) == text


@given(st.text(alphabet='ab. \n"\\`:<>/。{}', max_size=60))
def test_nothing_changes_where_nothing_is_refused(text: str) -> None:
    assert without(text, lambda _: False) == text


@given(
    before=st.lists(st.sampled_from(["One.", "Two words.", "三。", "x: y.", '"q".']), max_size=4),
    after=st.lists(st.sampled_from(["Four.", "Five words!", "六。"]), max_size=4),
    gap=st.sampled_from(["\n", "\n\n", "\r\n", " "]),
)
def test_what_stands_around_a_statement_is_kept(
    before: list[str], after: list[str], gap: str
) -> None:
    text = gap.join([*before, WALDO, *after])

    done = without(text, refuses)

    assert done == text.replace(WALDO, "[withdrawn]")


def test_lines_say_what_their_strings_say() -> None:
    odd = make_line(json.dumps({"t": WALDO, "n": 1}).encode() + b" \xff")
    draft = Draft(text="Hello.", title="Greeting", events=(said(f"a\n{WALDO}"), said("b"), odd))

    done = cleared(draft, refuses)

    assert json.loads(done.events[0].data)["message"]["content"] == "a\n[withdrawn]"
    assert [line.masked for line in done.events] == [True, False, True]
    assert [line.sha256 for line in done.events] == [line.sha256 for line in draft.events]
    assert done.events[1] is draft.events[1]
    assert done.events[2].data == '{"t": "[withdrawn]", "n": 1} \udcff'
    assert (done.text, done.title) == ("Hello.", "Greeting")


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("The office dog is…", "[withdrawn]"),
        ("The office dog is… (2/3)", "[withdrawn] (2/3)"),
        ("So be it. the OFFICE  dog…", "So be it. [withdrawn]"),
        ("Ask the office dog…", "Ask [withdrawn]"),
        ("The office cat is…", "The office cat is…"),
        ("The office dog is", "The office dog is"),
        (f"Yes. {WALDO}", "Yes. [withdrawn]"),
    ],
)
def test_a_line_that_was_cut_short_loses_the_beginning_of_a_statement(line: str, left: str) -> None:
    draft = Draft(text=f"So be it. {WALDO} He barks.", title=line, summary=line)

    done = cleared(draft, refuses)

    assert (done.title, done.summary) == (left, left)
    assert cleared(Draft(text="So be it.", title=line[:19]), refuses).title == line[:19]


def test_a_long_text_is_gone_through_once() -> None:
    asked = 0

    def count(_: str) -> bool:
        nonlocal asked
        asked += 1
        return False

    text = "\n".join(f'{number}: He said "so. and so. and so." again.' for number in range(500))
    without(text, count)

    assert asked < 500 * 40
