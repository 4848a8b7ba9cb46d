"""A record as a file, and where the file lies."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings

from memex_mcp.errors import Invalid
from memex_mcp.model.record import Record
from memex_mcp.store import sheet
from memex_mcp.store.fields import to_fields
from tests.make import NOON, make_record
from tests.strategies import records as any_record

LATER = NOON + timedelta(hours=1)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(any_record())
def test_any_record_comes_back_from_its_sheet(record: Record) -> None:
    page = sheet.Sheet(record=record, workspace_name="n", workspace_path="/p")

    back = sheet.parse(sheet.render(page))

    assert to_fields(back.record) == to_fields(record)
    assert back.record.body == record.body
    assert (back.workspace_name, back.workspace_path) == ("n", "/p")


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        pytest.param("memex", "memex", id="plain"),
        pytest.param("我的 项目", "我的-项目", id="Chinese stays readable"),
        pytest.param("../../etc", "etc", id="traversal"),
        pytest.param("..", "workspace", id="dots"),
        pytest.param("a/b\\c:d*?", "a-b-c-d", id="separators"),
        pytest.param("", "workspace", id="empty"),
        pytest.param("x" * 300, "x" * 90, id="long"),
        pytest.param("汉" * 300, "汉" * 30, id="long Chinese"),
        pytest.param("a\x00b\n", "a-b", id="control characters"),
        pytest.param("name. ", "name", id="dot and blank at the end"),
    ],
)
def test_folder_names_are_safe_everywhere(name: str, folder: str) -> None:
    page = sheet.Sheet(record=make_record(workspace_id="0af3"), workspace_name=name)

    assert page.path.split("/")[1] == f"{folder}-0af3"


@pytest.mark.parametrize("name", ["CON", "nul", "COM1", "aux.txt"])
def test_reserved_names_never_stand_alone(name: str) -> None:
    page = sheet.Sheet(record=make_record(), workspace_name=name)

    assert page.path.split("/")[1].endswith("-w1")
    assert "." not in page.path.split("/")[1]


@pytest.mark.parametrize("bad", ["../../x", "/etc/passwd", "a/b", "..", "x\x00", "C:\\x"])
def test_no_id_leads_out_of_the_records_folder(bad: str) -> None:
    page = sheet.Sheet(record=make_record(id=bad, workspace_id=bad, session_id=bad))

    parts = page.path.split("/")
    assert len(parts) == 5
    assert ".." not in parts
    assert "\x00" not in page.path
    assert sheet.Sheet(record=make_record(id="0" * 26)).path.endswith(f"/{'0' * 26}.md")


def test_half_a_character_is_refused_by_name() -> None:
    with pytest.raises(Invalid, match="title holds half a character"):
        sheet.parse(b'---\nid: "x"\ntitle: "\\ud800"\n---\nbody')

    record = make_record(body="\ud800 stays in a body")
    assert sheet.parse(sheet.render(sheet.Sheet(record=record))).record.body == record.body
