import pytest
from hypothesis import given

from memex_mcp.policy.keys import value_key, watched_owners
from tests.card import card
from tests.strategies import bodies

VALUE = "The port is 5432"


@card("write.values")
@pytest.mark.parametrize(
    "other",
    [
        pytest.param("the PORT is 5432", id="case"),
        pytest.param("  The port\n\tis  5432 ", id="white space"),
        pytest.param("Ｔｈｅ port is ５４３２", id="full width"),
        pytest.param("The p\u200bort i\u00ads 5432", id="invisible characters"),
        pytest.param("The p\x08ort is\x00 5432", id="control characters"),
        pytest.param("The p\u200bort  is\n5432 ", id="white space among invisible characters"),
        pytest.param("The pоrt is 5432", id="a Cyrillic look-alike"),
        pytest.param("TΗe port is 5432", id="a Greek capital"),
        pytest.param("The port is 5432.", id="a final period"),
        pytest.param("- **The port is 5432**!", id="marks around it"),
    ],
)
def test_one_value_written_differently_has_one_key(other: str) -> None:
    assert other != VALUE
    assert value_key("w:w1", other) == value_key("w:w1", VALUE)
    assert value_key("w:w1", "Postgres listens on 5432") != value_key("w:w1", VALUE)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("部署前必须先备份数据库。", "部署前必須先備份數據庫", True, id="traditional"),
        pytest.param("部署前 必须先备份 数据库", "部署前必须先备份数据库", True, id="spaces"),
        pytest.param("部署前必须先备份数据库", "部署后必须先备份数据库", False, id="another word"),
        pytest.param("The port is 5432", "The port is 5432?", False, id="a question"),
        pytest.param("-1", "1", True, id="a dash before it"),
        pytest.param("...", "。", False, id="nothing but marks"),
    ],
)
def test_marks_around_a_value_and_the_script_do_not_count(one: str, other: str, same: bool) -> None:
    assert (value_key("w:w1", one) == value_key("w:w1", other)) is same


def test_a_key_belongs_to_one_owner() -> None:
    keys = {value_key(owner, VALUE) for owner in ("global", "w:w1", "w:w2", "s:w1:s1")}

    assert len(keys) == 4


def test_owner_and_text_never_run_together() -> None:
    assert value_key("w:w1", "a\nb") != value_key("w:w1\na", "b")


@given(bodies())
def test_any_text_has_a_key(text: str) -> None:
    key = value_key("w:w1", text)

    assert len(key) == 64
    assert int(key, 16) >= 0


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        pytest.param("global", ("global",), id="global"),
        pytest.param("w:w1", ("w:w1", "global"), id="workspace"),
        pytest.param("s:w1:s1", ("s:w1:s1", "w:w1", "global"), id="session"),
        pytest.param("s:w1:a:b", ("s:w1:a:b", "w:w1", "global"), id="a colon in the session"),
    ],
)
def test_refusals_bind_in_the_owner_and_what_encloses_it(
    owner: str, expected: tuple[str, ...]
) -> None:
    assert watched_owners(owner) == expected
