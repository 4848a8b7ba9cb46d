"""The file form of a record: exact for us, lenient with people."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.errors import Invalid
from memex_mcp.text import markdown
from tests.card import card

any_text = st.text(st.characters(codec=None, categories=None))  # lone surrogates included
# YAML takes a few words for truth values; no field of ours is called like one.
keys = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,20}", fullmatch=True).filter(
    lambda key: key.lower() not in {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
bodies = any_text | st.lists(
    st.sampled_from(["---", "\n", "\r\n", "\x00", "\ud800", "\udc00", "\ufeff", "x", "---\n", "\r"])
).map("".join)


@card("text.round_trip")
@given(st.dictionaries(keys, values, max_size=6), bodies)
def test_any_record_comes_back_exactly_through_the_bytes_on_disk(
    fields: dict[str, object], body: str
) -> None:
    data = markdown.write(fields, body).encode("utf-8", "surrogatepass")

    assert markdown.read(data.decode("utf-8", "surrogatepass")) == (fields, body)


@given(st.dictionaries(keys, st.text() | st.lists(st.text(), max_size=3), max_size=5))
def test_what_we_write_is_yaml_with_the_same_meaning(fields: dict[str, object]) -> None:
    block = markdown.write(fields, "").removeprefix("---\n").removesuffix("---\n")

    assert (yaml.safe_load(block) or {}) == fields


def test_file_begins_with_id_and_kind_and_has_one_line_per_field() -> None:
    text = markdown.write(
        {"title": "Häuser 房子", "tags": ["a", "b"], "kind": "note", "id": "X"}, "One.\n"
    )

    assert text == (
        '---\nid: "X"\nkind: "note"\ntitle: "Häuser 房子"\ntags: ["a", "b"]\n---\nOne.\n'
    )


def test_hand_edited_yaml_is_read_as_text() -> None:
    text = (
        '\ufeff---\r\n# my notes\r\nid: "X"\r\ntitle: Use port 8080: it is free\r\n'.replace(
            "8080:", "8080,"
        )
        + "tags:\r\n  - alpha\r\n  - 2024\r\n"
        "aliases: [one, 'two']\r\n"
        "valid_from: 2026-11-30\r\n"
        "version: 3\r\n"
        "summary: 5\r\n  more words\r\n"
        "---\r\n"
        "body\r\n"
    )

    fields, body = markdown.read(text)

    assert fields == {
        "id": "X",
        "title": "Use port 8080, it is free",
        "tags": ["alpha", "2024"],
        "aliases": ["one", "two"],
        "valid_from": "2026-11-30",
        "version": 3,
        "summary": "5 more words",
    }
    assert body == "body\r\n"


def test_bare_numbers_in_text_fields_stay_as_typed() -> None:
    text = "---\ntitle: 1.10\ntags: [1.10, 'x']\nversion: 2\npinned: true\n---\n"

    assert markdown.read(text, as_text={"title", "tags"})[0] == {
        "title": "1.10",
        "tags": ["1.10", "x"],
        "version": 2,
        "pinned": True,
    }
    assert markdown.read(text)[0]["title"] == 1.1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("", "line 1", id="empty"),
        pytest.param("no front matter\n", "line 1", id="none"),
        pytest.param("---", "line 1", id="only the first fence"),
        pytest.param('---\nid: "X"\nbody', "line 1", id="never closed"),
        pytest.param('---\nid: "X"\ntitle: "open\n---\n', "line ", id="open quote"),
        pytest.param("---\nid: X\ntitle: a: b\n---\n", "line 3", id="colon in a bare value"),
        pytest.param("---\nid: X\nt: [a\n---\n", "line ", id="open list"),
        pytest.param("---\nid: a\x00b\n---\n", "line 2", id="control character"),
        pytest.param("---\n- a\n- b\n---\n", "line 2", id="a list"),
        pytest.param('---\nid: "X"\nid: "Y"\n---\n', "line 3", id="same field twice"),
        pytest.param("---\nt: " + "[" * 100_000 + "\n---\n", "line 2", id="nested without end"),
        pytest.param("---\nt: *a\n---\n", "line 2", id="unknown alias"),
        pytest.param("---\n? [a]\n: b\n---\n", "line ", id="a key that is a list"),
        pytest.param("---\nt: a" + "x" * 1_000_001 + "\n---\n", "line 2", id="too long"),
    ],
)
def test_damaged_front_matter_names_the_line(text: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        markdown.read(text)

    assert markdown.read('---\nid: "X"\n---\nbody') == ({"id": "X"}, "body")


def test_no_front_matter_lines_at_all_is_an_empty_record() -> None:
    assert markdown.read("---\n---\nbody") == ({}, "body")
    assert markdown.read("---\n# only a comment\n---\nbody") == ({}, "body")


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"two words": 1}, id="key with a space"),
        pytest.param({"a": object()}, id="object"),
        pytest.param({"a": float("nan")}, id="not a number"),
    ],
)
def test_what_cannot_come_back_is_not_written(fields: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        markdown.write(fields, "")

    assert markdown.read(markdown.write({"a": 1}, ""))[0] == {"a": 1}
