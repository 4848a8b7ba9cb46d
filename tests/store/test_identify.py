"""Names that come from outside, as they are stored: one line, in UTF-8."""

from pathlib import Path

import pytest

from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Surface
from memex_mcp.settings import Settings
from memex_mcp.store.callers import identify


def test_the_clients_name_is_one_line_that_can_be_stored(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "store", global_writers=("two lines",))

    def named(client: str) -> tuple[str, bool]:
        caller = identify(settings, Evidence(surface=Surface.TOOL, client=client))
        return caller.client, caller.global_writer

    assert named("claude-code") == ("claude-code", False)
    assert named(" two\nlines\udcff") == ("two lines", True)
    assert named("\udcff\x00") == ("unknown", False)
    assert named("x" * 300) == ("x" * 64, False)


@pytest.mark.parametrize(
    ("given", "environment", "known"),
    [
        pytest.param("s-1", "s-2", "s-1", id="given"),
        pytest.param(None, "s-2", "s-2", id="of the environment"),
        pytest.param("", "s-2", "s-2", id="empty is not given"),
        pytest.param(" s-1 ", None, "s-1", id="blanks around"),
        pytest.param("会话-1", None, "会话-1", id="Chinese"),
        pytest.param("x" * 200, None, "x" * 200, id="long"),
        pytest.param("x" * 201, None, None, id="too long"),
        pytest.param("a\udcffb", "s-2", None, id="no UTF-8, and no guess instead"),
        pytest.param("a\nb", None, None, id="two lines"),
        pytest.param(None, "\udcff", None, id="no UTF-8 in the environment"),
        pytest.param(None, None, None, id="none"),
    ],
)
def test_a_session_is_known_by_an_id_that_can_be_stored(
    tmp_path: Path, given: str | None, environment: str | None, known: str | None
) -> None:
    settings = Settings(home=tmp_path / "store", session_id=environment)
    evidence = Evidence(surface=Surface.CLI, client="cli", session_id=given)

    assert identify(settings, evidence).session_id == known


@pytest.mark.parametrize(
    ("head", "branch"),
    [
        (b"feature/x", "feature/x"),
        ("功能".encode(), "功能"),
        (b"odd\x1b[2J\tname", "odd [2J name"),
        (b"latin-\xe9", "latin-\ufffd"),
    ],
    ids=ascii,
)
def test_a_branch_is_one_line_that_can_be_stored(tmp_path: Path, head: bytes, branch: str) -> None:
    git = tmp_path / "project" / ".git"
    for folder in ("objects", "refs"):
        (git / folder).mkdir(parents=True)
    (git / "HEAD").write_bytes(b"ref: refs/heads/" + head + b"\n")
    evidence = Evidence(surface=Surface.CLI, client="cli", workspace=tmp_path / "project")

    workspace = identify(Settings(home=tmp_path / "store"), evidence).workspace

    assert workspace is not None
    assert workspace.branch == branch
    assert workspace.branch.encode("utf-8")
