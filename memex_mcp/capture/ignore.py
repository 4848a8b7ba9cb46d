"""What a workspace keeps out of its memory: ``.memexignore``, in the syntax of gitignore."""

import os
from pathlib import Path
from typing import Protocol

from memex_mcp.values import dataclass

NAME = ".memexignore"

_WHOLE = {"/", "*", "**", "/*", "/**", "*/", "**/", "/**/", "."}


class _Matcher(Protocol):
    def match_file(self, file: str) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """What may not be kept.

    Attributes:
        everything: Nothing of this workspace is captured: a line says so, or the file cannot
            be understood.
    """

    everything: bool
    _roots: tuple[str, ...] = ()
    _cwd: str = ""
    _spec: _Matcher | None = None

    def withholds(self, path: str) -> bool:
        """Whether what a tool did with this file is left out.

        Args:
            path: As the tool was given it; a relative one counts from the working directory.
        """
        if self.everything or self._spec is None:
            return self.everything
        # A folder that is ignored is so by its own name too, which ends in a slash then.
        return any(
            self._spec.match_file(name) or self._spec.match_file(f"{name}/")
            for name in self._names(path)
        )

    def _names(self, path: str) -> set[str]:
        """The path below every root that it lies in, as it is spelled and with links followed."""
        whole = os.path.join(self._cwd, os.path.expanduser(path.replace("\\", "/")))  # noqa: PTH111, PTH118 - text, which may hold anything
        spellings = {os.path.normpath(whole), _real(whole)}
        return {
            spelling[len(root) + 1 :].replace(os.sep, "/")
            for spelling in spellings
            for root in self._roots
            if spelling.startswith(root + os.sep)
        }


def for_workspace(root: Path, *, worktree: Path | None = None, cwd: Path | None = None) -> Ignore:
    """What the ``.memexignore`` of a workspace keeps out; nothing where there is none.

    A file that cannot be read or understood keeps everything out: a slip must never widen
    what is captured.

    Args:
        root: The folder of the workspace.
        worktree: The linked worktree that the session works in; its own file counts as well.
        cwd: Where relative paths begin; the worktree or else the root when left out.
    """
    folders = [root] if worktree is None else [root, worktree]
    try:
        lines = [line for folder in folders for line in _lines(folder / NAME)]
    except (OSError, UnicodeDecodeError):
        return Ignore(everything=True)
    if not lines:
        return Ignore(everything=False)
    if _WHOLE & {line.strip() for line in lines}:
        return Ignore(everything=True)
    # Needed by few, and dearer to load than all the rest of a hook.
    import pathspec

    try:
        spec = pathspec.GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return Ignore(everything=True)
    roots = {spelling for folder in folders for spelling in (str(folder), _real(str(folder)))}
    return Ignore(
        everything=False,
        _roots=tuple(sorted(roots)),
        _cwd=str(cwd or folders[-1]),
        _spec=spec,
    )


def _lines(path: Path) -> list[str]:
    """The lines of a file that say something; none when there is no file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        # Such as a name with a zero byte in it, which no file has.
        return os.path.normpath(path)
