import hashlib
import os
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from memex_mcp.errors import Denied, Invalid
from memex_mcp.model.caller import Workspace
from memex_mcp.store import workspaces
from memex_mcp.store.workspaces import canonical, note_seen
from tests.make import NOON, make_caller, make_db

posix = pytest.mark.skipif(os.name == "nt", reason="links and POSIX paths")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder, with a plain folder ``plain`` in it."""
    (tmp_path / "home" / "plain").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def repo(home: Path) -> Path:
    """A repository with one commit on branch ``trunk``."""
    return make_repo(home / "repo")


def git(folder: Path, *args: str) -> None:
    """Run git with settings of nobody."""
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *args],
        cwd=folder,
        check=True,
        capture_output=True,
        env={
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **{
                f"GIT_{who}_{what}": "a@b"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        },
    )


def make_repo(folder: Path, *options: str) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "trunk", *options)
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def resolve(path: str | Path, home: Path) -> Workspace:
    return workspaces.resolve(path, home=home)


def test_a_plain_folder_stands_for_itself(home: Path) -> None:
    folder = home / "plain"

    assert resolve(folder, home) == Workspace(
        id=hashlib.sha256(str(folder).encode()).hexdigest()[:16], path=str(folder), name="plain"
    )


@posix
def test_all_spellings_of_a_folder_are_one_workspace(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "with space" / "ünï"
    folder.mkdir(parents=True)
    (home / "link").symlink_to(folder)
    monkeypatch.chdir(folder)
    expected = resolve(folder, home)

    spellings = [
        str(folder),
        f"{folder}/",
        f"{folder}//",
        f"{folder}/../ünï/.",
        f"{home}/link",
        f"{home}/link/",
        "~/with space/ünï",
        "~/link/.",
        ".",
        "../ünï",
        folder.as_uri(),
        f"file://localhost{folder.as_uri()[7:]}",
        f"file:{folder}",
        f"FILE://{folder}",
    ]

    assert [resolve(spelling, home) for spelling in spellings] == [expected] * len(spellings)
    assert resolve(home / "plain", home).id != expected.id


def test_a_repository_is_one_workspace_from_anywhere_inside_it(repo: Path, home: Path) -> None:
    inside = repo / "a" / "b"
    inside.mkdir(parents=True)

    for place in (repo, inside, repo / ".git", repo / ".git" / "refs"):
        found = resolve(place, home)
        assert (found.path, found.name) == (str(repo), "repo")
        assert (found.branch, found.worktree) == ("trunk", None)


def test_a_linked_worktree_shares_the_workspace_and_says_where_it_is(
    repo: Path, home: Path
) -> None:
    git(repo, "worktree", "add", "-q", "-b", "feature/x", "../linked")
    linked = home / "linked"
    (linked / "deep").mkdir()

    for place in (linked, linked / "deep"):
        found = resolve(place, home)
        assert found.id == resolve(repo, home).id
        assert (found.path, found.name) == (str(repo), "repo")
        assert (found.worktree, found.branch) == (str(linked), "feature/x")


def test_a_submodule_is_its_own_workspace_and_so_are_its_worktrees(repo: Path, home: Path) -> None:
    library = make_repo(home / "library")
    git(repo, "submodule", "add", "-q", str(library), "vendored")
    vendored = repo / "vendored"
    git(vendored, "worktree", "add", "-q", "-b", "fix", str(home / "fix"))

    found = resolve(vendored, home)

    assert (found.path, found.branch) == (str(vendored), "trunk")
    assert len({resolve(place, home).id for place in (repo, library, vendored)}) == 3
    linked = resolve(home / "fix", home)
    assert (linked.id, linked.worktree) == (found.id, str(home / "fix"))
    assert resolve(repo / ".git" / "modules" / "vendored", home).id == found.id


def test_a_bare_repository_stands_for_itself_and_for_its_worktrees(repo: Path, home: Path) -> None:
    git(home, "clone", "-q", "--bare", str(repo), "bare.git")
    bare = home / "bare.git"
    git(bare, "worktree", "add", "-q", "-b", "side", "../side")

    found = resolve(bare, home)

    assert (found.path, found.branch) == (str(bare), "trunk")
    assert resolve(bare / "refs", home).id == found.id
    assert resolve(home / "side", home).id == found.id
    assert resolve(repo, home).id != found.id


def test_worktrees_beside_a_hidden_bare_repository_share_the_folder_around_them(
    repo: Path, home: Path
) -> None:
    project = home / "project"
    project.mkdir()
    git(project, "clone", "-q", "--bare", str(repo), ".bare")
    (project / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    git(project, "worktree", "add", "-q", "-b", "side", "side")

    assert resolve(project, home).path == str(project)
    assert resolve(project / "side", home).id == resolve(project, home).id
    assert resolve(project / "side", home).worktree == str(project / "side")


def test_a_repository_whose_git_folder_lies_elsewhere_is_its_work_tree(home: Path) -> None:
    apart = make_repo(home / "apart", "--separate-git-dir", str(home / "gits"))

    found = resolve(apart, home)

    assert (found.path, found.branch) == (str(apart), "trunk")


def test_a_detached_head_has_no_branch(repo: Path, home: Path) -> None:
    assert resolve(repo, home).branch == "trunk"

    git(repo, "checkout", "-q", "--detach")

    assert resolve(repo, home).branch is None


@pytest.mark.parametrize("claim", ["gitdir: {repo}/.git", "gitdir: {repo}/.git/worktrees/linked"])
def test_a_folder_that_claims_to_belong_to_a_repository_stands_for_itself(
    repo: Path, home: Path, claim: str
) -> None:
    git(repo, "worktree", "add", "-q", "../linked")
    assert resolve(home / "linked", home).id == resolve(repo, home).id

    (home / "plain" / ".git").write_text(claim.format(repo=repo), encoding="utf-8")

    assert resolve(home / "plain", home).path == str(home / "plain")


def test_a_made_up_worktree_entry_or_work_tree_setting_claims_nothing(
    repo: Path, home: Path
) -> None:
    plain = home / "plain"
    entry = plain / "fake" / "worktrees" / "x"
    entry.mkdir(parents=True)
    (plain / ".git").write_text(f"gitdir: {entry}\n", encoding="utf-8")
    (entry / "HEAD").write_text("ref: refs/heads/x\n", encoding="utf-8")
    (entry / "gitdir").write_text(f"{plain}/.git\n", encoding="utf-8")
    (entry / "commondir").write_text(f"{repo}/.git\n", encoding="utf-8")
    bare = home / "bare.git"
    git(home, "init", "-q", "--bare", "bare.git")
    git(bare, "config", "core.worktree", str(repo))

    assert resolve(plain, home).path == str(plain)
    assert resolve(bare, home).path == str(bare)


@pytest.mark.parametrize("content", ["", "gitdir: ./gone\n", "\0\n", "nonsense"])
def test_a_broken_git_file_makes_a_folder_of_its_own(home: Path, content: str) -> None:
    (home / "plain" / ".git").write_text(content, encoding="utf-8")
    (home / "plain" / "deep").mkdir()

    assert resolve(home / "plain" / "deep", home).path == str(home / "plain")


def test_an_empty_git_folder_is_no_repository(repo: Path, home: Path) -> None:
    (repo / "sub" / ".git").mkdir(parents=True)

    assert resolve(repo / "sub", home).path == str(repo)


def test_a_repository_over_the_whole_home_does_not_swallow_the_projects_in_it(
    repo: Path, home: Path
) -> None:
    git(home, "init", "-q")
    git(home, "commit", "-q", "--allow-empty", "-m", "dotfiles")
    git(home, "worktree", "add", "-q", "../dots")

    assert resolve(home / "plain", home).path == str(home / "plain")
    assert resolve(home.parent / "dots", home).path == str(home.parent / "dots")
    assert resolve(repo, home).path == str(repo)


@posix
def test_home_the_root_and_temp_folders_are_denied_in_every_spelling(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home.parent / "link").symlink_to(home)
    monkeypatch.chdir(home)
    refused = ["~", "~/", "~/.", ".", str(home), f"{home}/", f"{home}/plain/..", home.as_uri()]
    refused += [str(home.parent / "link"), "/", "//", "/..", "file:///", tempfile.gettempdir()]
    refused += ["/tmp", "/tmp/", "/var/tmp", "/tmp/../tmp"]

    for path in refused:
        with pytest.raises(Denied):
            resolve(path, home)

    assert resolve("plain", home).name == "plain"
    with tempfile.TemporaryDirectory() as below:
        assert resolve(below, home).path == str(Path(below).resolve())


@posix
def test_the_users_own_home_is_found_out_when_none_is_given(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))

    for path in ("~", str(home)):
        with pytest.raises(Denied):
            workspaces.resolve(path)

    assert workspaces.resolve("~/plain").path == str(home / "plain")


def test_what_is_no_folder_is_invalid_and_named_by_no_path(home: Path) -> None:
    (home / "file").touch()
    wrong = ["", "  ", "gone", str(home / "gone"), str(home / "file"), "a\0b", "~nobody-here/x"]
    wrong += ["file://elsewhere/share", "x" * 5000]

    for path in wrong:
        with pytest.raises(Invalid) as caught:
            resolve(path, home)
        assert str(home) not in caught.value.told()

    assert resolve(home / "plain", home).name == "plain"


@posix
def test_a_loop_of_links_is_invalid(home: Path) -> None:
    (home / "loop").symlink_to(home / "loop")

    with pytest.raises(Invalid):
        resolve(home / "loop", home)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a name is always Unicode")
def test_a_name_that_is_not_utf8_is_a_workspace_that_can_be_stored(home: Path) -> None:
    folders = [Path(os.fsdecode(os.fsencode(home) + b"/\xff" + end)) for end in (b"1", b"\xfe")]
    for folder in folders:
        folder.mkdir()

    first, second = (resolve(folder, home) for folder in folders)

    assert first.id != second.id
    assert first.name == "\N{REPLACEMENT CHARACTER}1"
    first.path.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"C:\Users\me\x", "/mnt/c/Users/me/x"),
        (r"c:\Users\me\x", "/mnt/c/Users/me/x"),
        ("C:/Users/me/x/", "/mnt/c/Users/me/x"),
        (r"\\?\C:\Users\me\x", "/mnt/c/Users/me/x"),
        ("/mnt/c/Users/me/x", "/mnt/c/Users/me/x"),
        ("/mnt/C/Users/me/x", "/mnt/c/Users/me/x"),
        ("/cygdrive/c/Users/me/x", "/mnt/c/Users/me/x"),
        (r"C:\Users\me\..\me\.\x", "/mnt/c/Users/me/x"),
        ("C:\\", "/mnt/c"),
        ("c:", "/mnt/c"),
        ("/mnt/c/", "/mnt/c"),
        (r"\\server\share\x", "//server/share/x"),
        ("/mnt/data/x", "/mnt/data/x"),
        ("/home/me/x/", "/home/me/x"),
        ("/home/me/a\\b", "/home/me/a\\b"),
        ("/home/Me/x", "/home/Me/x"),
    ],
)
def test_one_path_has_one_canonical_spelling(text: str, expected: str) -> None:
    assert canonical(text) == expected
    assert canonical(canonical(text)) == expected


def test_callers_are_noted_once_a_day() -> None:
    def rows(table: str) -> list[tuple[object, ...]]:
        return [tuple(row) for row in db.execute(f"SELECT * FROM {table}")]

    start = int(NOON.timestamp() * 1000)
    day = 24 * 60 * 60 * 1000
    with closing(make_db()) as db:
        note_seen(db, make_caller(), NOON)
        note_seen(db, make_caller(), NOON + timedelta(hours=23))
        assert rows("workspace") == [("w1", "/repo/w1", "w1", start, start)]
        assert rows("session") == [("w1", "s1", "codex", start, start)]

        note_seen(db, make_caller(), NOON + timedelta(days=1))

        assert rows("workspace") == [("w1", "/repo/w1", "w1", start, start + day)]
        assert rows("session") == [("w1", "s1", "codex", start, start + day)]


def test_a_caller_without_a_workspace_or_session_leaves_no_such_row() -> None:
    with closing(make_db()) as db:
        note_seen(db, make_caller(workspace=None), NOON)
        note_seen(db, make_caller(session=None), NOON)

        assert db.execute("SELECT count(*) FROM session").fetchone()[0] == 0
        assert [row["id"] for row in db.execute("SELECT id FROM workspace")] == ["w1"]
