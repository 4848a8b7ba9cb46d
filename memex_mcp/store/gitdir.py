"""Which folder stands for a repository, read from its files; no git process is started.

A ``.git`` file or a ``config`` can name any folder on the disk, and an archive from a
stranger may hold either.  So what they name counts only if it points back.
"""

from pathlib import Path

from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The repository around a folder.

    Attributes:
        root: Folder that stands for the repository and all its worktrees.
        worktree: The linked worktree we are in, when it is one.
        branch: None when the head is detached.
    """

    root: Path
    worktree: Path | None = None
    branch: str | None = None


def find(folder: Path, barriers: frozenset[Path]) -> Checkout | None:
    """The repository that ``folder`` lies in.

    Args:
        folder: A real path.
        barriers: Folders that are no repository of interest even if git says so, nor is
            anything above them.
    """
    for here in (folder, *folder.parents):
        if here in barriers:
            return None
        dot_git = here / ".git"
        if dot_git.is_file():
            return _from_file(here, dot_git)
        if (dot_git / "HEAD").is_file():
            return Checkout(root=here, branch=_branch(dot_git))
        if _is_git_dir(here):
            return Checkout(root=_work_tree(here), branch=_branch(here))
    return None


def _from_file(here: Path, dot_git: Path) -> Checkout:
    """What a ``.git`` file leads to: a linked worktree, a submodule, or a folder of its own."""
    git_dir = _pointed(dot_git, "gitdir:")
    if git_dir is None or not (git_dir / "HEAD").is_file():
        return Checkout(root=here)
    branch = _branch(git_dir)
    common = _pointed(git_dir / "commondir")
    if common is None:
        return Checkout(root=here, branch=branch)
    back = _pointed(git_dir / "gitdir")
    if back != dot_git or git_dir.parent != common / "worktrees":
        return Checkout(root=here, branch=branch)
    return Checkout(root=_work_tree(common), worktree=here, branch=branch)


def _work_tree(git_dir: Path) -> Path:
    """The folder whose repository ``git_dir`` is; a bare one stands for itself."""
    if git_dir.name == ".git":
        return git_dir.parent
    named = _configured_work_tree(git_dir)
    for candidate in (named, git_dir.parent):
        if candidate is not None and _pointed(candidate / ".git", "gitdir:") == git_dir:
            return candidate
    return git_dir


def _configured_work_tree(git_dir: Path) -> Path | None:
    """``core.worktree``, which git writes for submodules."""
    section = ""
    for line in _lines(git_dir / "config"):
        text = line.strip()
        if text.startswith("["):
            section = text.strip("[]").strip().lower()
        key, equals, value = text.partition("=")
        if section == "core" and equals and key.strip().lower() == "worktree":
            return _real(git_dir / value.strip().strip('"').replace("\\\\", "\\"))
    return None


def _is_git_dir(folder: Path) -> bool:
    return (
        (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
    )


def _branch(git_dir: Path) -> str | None:
    head = "".join(_lines(git_dir / "HEAD")[:1])
    name = head.removeprefix("ref: refs/heads/")
    # A repository that keeps its refs in tables writes this name for all of them.
    return name if name and name not in (head, ".invalid") else None


def _pointed(file: Path, prefix: str = "") -> Path | None:
    """The real path that a one-line file names, relative to the file's folder."""
    line = "".join(_lines(file)[:1])
    if not line.startswith(prefix) or not line:
        return None
    return _real(file.parent / line.removeprefix(prefix).strip())


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []


def _real(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None
