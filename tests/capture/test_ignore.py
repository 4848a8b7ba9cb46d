from pathlib import Path

import pytest

from memex_mcp.capture import ignore
from memex_mcp.capture.ignore import Ignore


def rules(project: Path, text: str) -> Ignore:
    (project / ".memexignore").write_text(text, encoding="utf-8")
    return ignore.for_workspace(project)


def test_without_a_file_nothing_is_withheld(project: Path) -> None:
    found = ignore.for_workspace(project)

    assert not found.everything
    assert not found.withholds("secrets/key.pem")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("secrets/key.txt", True, id="below a folder"),
        pytest.param("secrets", True, id="the folder itself"),
        pytest.param("./src/../secrets/key.txt", True, id="in a roundabout way"),
        pytest.param("secrets\\key.txt", True, id="with backslashes"),
        pytest.param("deep/in/server.pem", True, id="by its ending"),
        pytest.param("public.pem", False, id="named after an exclamation mark"),
        pytest.param("src/secrets.py", False, id="a name that only begins alike"),
        pytest.param("src/main.py", False, id="something else"),
        pytest.param("", False, id="no name"),
        pytest.param("a\0b", False, id="no possible name"),
    ],
)
def test_a_path_is_withheld_as_git_would_ignore_it(
    project: Path, path: str, expected: bool
) -> None:
    found = rules(project, "# private\n\nsecrets/\n*.pem\n!public.pem\n")

    assert found.withholds(path) is expected


def test_an_absolute_path_counts_below_the_workspace_only(project: Path, tmp_path: Path) -> None:
    found = rules(project, "secrets/\n")

    assert found.withholds(str(project / "secrets" / "key"))
    assert not found.withholds(str(tmp_path / "elsewhere" / "secrets" / "key"))
    assert not found.withholds(f"{project}-other/secrets/key")


def test_a_link_into_a_withheld_folder_is_followed(project: Path) -> None:
    (project / "secrets").mkdir()
    (project / "open").mkdir()
    (project / "shortcut").symlink_to(project / "secrets")
    found = rules(project, "/secrets/\n")

    assert found.withholds("shortcut/key")
    assert not found.withholds("open/key")


def test_a_relative_path_begins_where_the_session_works(project: Path) -> None:
    (project / ".memexignore").write_text("/api/secrets/\n", encoding="utf-8")

    inside = ignore.for_workspace(project, cwd=project / "api")
    outside = ignore.for_workspace(project, cwd=project / "web")

    assert inside.withholds("secrets/key")
    assert not outside.withholds("secrets/key")


def test_a_worktree_is_bound_by_its_own_file_and_by_the_repository_s(
    project: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (project / ".memexignore").write_text("secrets/\n", encoding="utf-8")
    (tree / ".memexignore").write_text("drafts/\n", encoding="utf-8")

    found = ignore.for_workspace(project, worktree=tree)

    assert found.withholds(str(tree / "secrets" / "key"))
    assert found.withholds("drafts/one")
    assert not found.withholds("notes/one")


@pytest.mark.parametrize("line", ["/", "*", "**", "/**", "*\n!src/"])
def test_a_line_that_matches_the_whole_workspace_keeps_everything_out(
    project: Path, line: str
) -> None:
    found = rules(project, f"secrets/\n{line}\n")

    assert found.everything
    assert found.withholds("src/main.py")


@pytest.mark.parametrize(
    "data",
    [pytest.param(b"secrets/\xff\n", id="not text"), pytest.param(b"a\\\n!\n", id="no pattern")],
)
def test_a_file_that_cannot_be_understood_keeps_everything_out(project: Path, data: bytes) -> None:
    (project / ".memexignore").write_bytes(data)

    assert ignore.for_workspace(project).everything


def test_a_folder_of_that_name_keeps_everything_out(project: Path) -> None:
    (project / ".memexignore").mkdir()

    assert ignore.for_workspace(project).everything


def test_comments_and_blank_lines_alone_withhold_nothing(project: Path) -> None:
    found = rules(project, "\ufeff# nothing yet\n\n")

    assert not found.everything
    assert not found.withholds("secrets/key")
