from dataclasses import fields, replace

import pytest

from memex_mcp.model.record import Draft
from memex_mcp.policy.masking import masked, printable
from tests.make import make_draft

KEY = "ghp_" + "a1B2" * 9
# Ids and the family come from us, so only these are words of a writer.
LINES = ["title", "summary", "use_when", "source", "source_version", "dedupe_key"]
LISTS = ["tags", "aliases", "questions"]
OURS = {
    *("family", "id", "supersedes", "sources", "kind", "type", "scope", "salience", "whole"),
    *("events", "propose", "confidence"),
}
CLOCKS = {"observed_at", "valid_from", "valid_to", "expires_at"}


def with_words(field: str, words: str) -> Draft:
    value = (words,) if field in LISTS else words
    return replace(make_draft(), **{field: value})  # type: ignore[arg-type]  # a field by its name


def test_every_field_of_a_draft_is_known_here() -> None:
    assert {field.name for field in fields(Draft)} == {"text", *LINES, *LISTS} | OURS | CLOCKS


@pytest.mark.parametrize("field", ["text", *LINES, *LISTS])
def test_a_secret_is_masked_in_every_field(field: str) -> None:
    clean, kinds = masked(with_words(field, f"the key {KEY} of the runner"))

    assert KEY not in repr(clean)
    assert "of the runner" in repr(clean)
    assert kinds == ("github-token",)


def test_what_is_no_secret_stays_as_it_is() -> None:
    draft = make_draft(title="Runner", tags=("ci",), aliases=("the runner",), dedupe_key="runner")

    assert masked(draft) == (draft, ())


@pytest.mark.parametrize("field", [*LINES, *LISTS])
def test_a_line_loses_what_would_break_it(field: str) -> None:
    clean = printable(with_words(field, "one\ntwo\0 \ud800three\r\n"))

    value = getattr(clean, field)
    assert (value[0] if field in LISTS else value) == "one two ���three"


def test_a_body_keeps_its_lines_and_loses_half_characters() -> None:
    assert printable(make_draft("one\r\n\n two\ud800\n")).text == "one\r\n\n two���\n"
