"""What goes into a text comes out of it again, whatever the text."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_adapters import text_block, text_json, text_toml
from memex_adapters.errors import Unclear
from tests.adapters.using import bare

KEYS = st.text(st.characters(codec="utf-8"), max_size=6).filter(lambda key: key != "mcpServers")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])
EOLS = st.sampled_from(["\n", "\r\n"])
ENTRY = {"command": "/a b/memex-mcp", "args": ["serve"], "env": {}}
PATH = ("mcpServers", "memex")


@given(whole=OBJECTS, indent=INDENTS, eol=EOLS, end=st.booleans())
def test_an_entry_in_json_goes_in_and_out_without_a_trace(
    whole: dict[str, object], indent: int | str | None, eol: str, *, end: bool
) -> None:
    text = json.dumps(whole, indent=indent).replace("\n", eol) + (eol if end else "")

    with_it = text_json.put(text, PATH, ENTRY)

    assert json.loads(with_it) == {**whole, "mcpServers": {"memex": ENTRY}}
    assert text_json.drop(with_it, PATH[:1]) == text


@given(
    whole=OBJECTS,
    remarks=st.lists(st.sampled_from(["// a, b }\n", "/* { */", " ", "\n", "\t"]), max_size=12),
    comma=st.booleans(),
)
def test_remarks_and_trailing_commas_in_json_survive(
    whole: dict[str, object], remarks: list[str], *, comma: bool
) -> None:
    parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in whole.items()]
    lines = ["{", *(part + "," for part in parts[:-1]), parts[-1] + ("," if comma else ""), "}"]
    for at, remark in enumerate(remarks):
        lines.insert(at * 2 % len(lines) + 1, remark)
    text = "\n".join(lines)

    with_it = text_json.put(text, PATH, ENTRY, "jsonc")

    assert json.loads(bare(with_it)) == {**whole, "mcpServers": {"memex": ENTRY}}
    left = text_json.drop(with_it, PATH[:1], "jsonc")
    assert json.loads(bare(left)) == whole
    assert all(remark.strip() in left for remark in remarks)


@given(whole=OBJECTS, indent=INDENTS, key=KEYS)
def test_any_key_of_json_can_be_taken_out(
    whole: dict[str, object], indent: int | str | None, key: str
) -> None:
    whole = {**whole, key: [1, {"a": 2}]}
    text = json.dumps(whole, indent=indent)

    for each in list(whole):
        left = text_json.drop(text, (each,))

        assert json.loads(left) == {name: value for name, value in whole.items() if name != each}


def test_a_value_that_is_there_is_replaced_in_its_place_and_an_equal_one_left_alone() -> None:
    text = '{\n  "mcpServers": {\n    "memex": { "command":   "old" },\n    "z": {}\n  }\n}\n'

    changed = text_json.put(text, (*PATH, "command"), "new")

    assert changed == text.replace('"old"', '"new"')
    assert text_json.put(text, (*PATH, "command"), "old") is text


def test_a_list_is_appended_to_in_its_own_style() -> None:
    assert text_json.append('{"a": [1]}', ("a",), 2) == '{"a": [1, 2]}'
    assert text_json.append('{\n "a": [\n  1\n ]\n}', ("a",), 2) == '{\n "a": [\n  1,\n  2\n ]\n}'
    assert json.loads(text_json.append("{}", ("a", "b"), 1)) == {"a": {"b": [1]}}


@pytest.mark.parametrize(
    "text", ["{'a': 1}", '{"a": 01}', '{"a": NaN}', '{"a": 1}x', '{"a" 1}', "{,}", '{"a":\u00a01}']
)
def test_what_is_not_quite_json_is_refused(text: str) -> None:
    assert text_json.put('{"a": 1}', ("b",), 1) == '{"a": 1, "b": 1}'

    with pytest.raises(Unclear, match="line 1"):
        text_json.put(text, ("b",), 1)


def test_json_that_is_nested_to_break_a_parser_is_refused() -> None:
    assert text_json.load("[" * 90 + "]" * 90) is not None

    with pytest.raises(Unclear, match="deep"):
        text_json.load("[" * 100_000)


@given(text=st.text(st.characters(codec="utf-8"), max_size=60), eol=EOLS, end=st.booleans())
def test_a_block_goes_into_any_text_and_out_of_it_without_a_trace(
    text: str, eol: str, *, end: bool
) -> None:
    text = text.replace("\r", "").replace("\n", eol) + (eol if end else "")

    with_it = text_block.put(text, "one\n\ntwo\n", ["codex", "zed"])

    assert with_it.startswith(text)
    found = text_block.find(with_it)
    assert found == text_block.Found(clients=("codex", "zed"), body="one\n\ntwo")
    assert text_block.drop(with_it) == text
    assert text_block.drop(text_block.put(with_it, "three", ["zed"])) == text


def test_a_block_keeps_its_place_when_somebody_writes_below_it() -> None:
    text = text_block.put("above\n", "one", ["zed"]) + "\nbelow\n"

    assert text_block.put(text, "two", ["zed"]) == text.replace("one", "two")
    assert text_block.drop(text) == "above\n\nbelow\n"


@given(
    tables=st.lists(st.sampled_from(["a", "b", "mcp_servers.o", '"x y"', "z.q"]), unique=True),
    remark=st.sampled_from(["", "# [mcp_servers.memex]\n", "\n", "\n\n# x\n"]),
    eol=EOLS,
    end=st.booleans(),
)
def test_a_table_goes_into_toml_and_out_of_it_without_a_trace(
    tables: list[str], remark: str, eol: str, *, end: bool
) -> None:
    text = "top = 1\n" + "".join(
        f'{remark}[{name}]\nk = """\n[mcp_servers.memex]\n"""\n' for name in tables
    )
    text = (text + (remark if end else "")).replace("\n", eol)
    path = ("mcp_servers", "memex")

    with_it = text_toml.put(text, path, {**ENTRY, "env": {"A": "b"}})

    assert with_it.startswith(text)
    assert tomllib.loads(with_it)["mcp_servers"]["memex"] == {**ENTRY, "env": {"A": "b"}}
    assert text_toml.drop(with_it, path) == text


def test_a_table_keeps_what_a_person_added_to_it_and_goes_with_the_tables_below() -> None:
    text = text_toml.put("a = 1\n", ("mcp_servers", "memex"), {"command": "old"})
    text += "tool_timeout_sec = 9 # mine\n\n[mcp_servers.memex.tools.x]\nm = 1\n\n[z]\nb = 2\n"

    changed = text_toml.put(text, ("mcp_servers", "memex"), {"command": "new"})

    assert changed == text.replace("old", "new")
    assert text_toml.drop(changed, ("mcp_servers", "memex")) == "a = 1\n\n[z]\nb = 2\n"
