"""One workspace under every spelling, and no other."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.card import card
from tests.cli.using import Run, expect_told
from tests.process import Ran, memex

PORT = "The staging database listens on port 5433."

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> None:
    nobody = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *nobody, *arguments], cwd=folder, check=True, capture_output=True)


@card("identity.spelling")
@needs_git
def test_every_way_into_a_repository_shows_the_same_records(tmp_path: Path) -> None:
    repository, other = tmp_path / "repository", tmp_path / "other"
    inside = repository / "src" / "deep"
    inside.mkdir(parents=True)
    other.mkdir()
    git(repository, "init", "-q", "-b", "trunk")
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    git(repository, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "worktree"))
    link = tmp_path / "link"
    link.symlink_to(repository, target_is_directory=True)
    [record_id] = memex("write", PORT, cwd=repository).ids

    ways = [
        memex("list", cwd=repository),
        memex("list", cwd=inside),
        memex("list", cwd=link),
        memex("list", cwd=link / "src"),
        memex("list", cwd=tmp_path / "worktree"),
        memex("list", "--workspace", f"{repository}/", cwd=other),
        memex("list", "--workspace", f"{repository}/src/../", cwd=other),
        memex("list", "--workspace", "../repository", cwd=other),
        memex("list", "--workspace", repository.as_uri(), cwd=other),
        memex("list", "--workspace", ".", cwd=link, env={"PWD": str(link)}),
    ]
    elsewhere = [
        memex("list", cwd=other),
        memex("list", "--workspace", str(other), cwd=repository),
        memex("search", "staging port", cwd=other),
    ]

    assert [ran.ids for ran in ways] == [[record_id]] * len(ways)
    assert [(ran.code, ran.ids) for ran in elsewhere] == [(0, [])] * len(elsewhere)
    expect_told(memex("open", record_id, cwd=other), "not_found")


def test_a_folder_and_its_neighbours_are_workspaces_apart(run: Run, tmp_path: Path) -> None:
    below = tmp_path / "project" / "below"
    below.mkdir()
    [record_id] = run("write", PORT).ids

    assert run("list").ids == [record_id]
    assert run("list", "--workspace", "./").ids == [record_id]
    assert run("list", "--workspace", str(below)).ids == []


@pytest.mark.parametrize("place", ["home", "disk", "temp"])
def test_a_folder_that_cannot_be_a_workspace_is_told_plainly(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    run("write", PORT)
    folders = {"home": tmp_path / "home", "disk": Path("/"), "temp": tmp_path / "temp"}
    for folder in (folders["home"], folders["temp"]):
        folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("TMPDIR", str(folders["temp"]))
    monkeypatch.chdir(folders[place])

    reading = [run("list"), run("search", "staging port"), run("status")]
    written = run("write", PORT)
    named = run("list", "--workspace", str(folders[place]))

    for ran in reading:
        assert (ran.code, ran.ids) == (0, [])
        assert "This is no workspace (the home folder, a whole disk and the temp folder" in ran.out
    assert run("status", "--json").json["workspace"] is None
    expect_told(written, "denied")
    assert "there is no workspace to write to" in written.err
    expect_told(named, "denied")
    assert "are no workspace" in named.err


def test_a_workspace_that_does_not_exist_is_told(run: Run, tmp_path: Path) -> None:
    def asked(folder: Path) -> Ran:
        return run("list", "--workspace", str(folder))

    expect_told(asked(tmp_path / "nowhere"), "invalid")
    assert asked(tmp_path / "project").code == 0


def test_the_store_on_the_command_line_wins(run: Run, tmp_path: Path) -> None:
    other = str(tmp_path / "other-store")
    [here] = run("write", PORT).ids
    [there] = run("write", PORT, "--root", other).ids

    assert run("list").ids == [here]
    assert run("list", "--root", other).ids == [there]
