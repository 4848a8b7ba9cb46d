"""Who asks.  Everything a call may see or change is decided from this value."""

from pathlib import Path

from memex_mcp.model.kinds import Author, Surface
from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """One repository or folder.

    Attributes:
        id: First 16 hexadecimal characters of the SHA-256 of ``path``.
        path: Canonical path: links resolved, a git work tree stands for all its worktrees.
        name: Last part of the path, for people.
        worktree: Path of the linked worktree the caller is in, when it is one.
        branch: Git branch at call time, when there is one.
    """

    id: str
    path: str
    name: str
    worktree: str | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One client in one session of one workspace, on one surface.

    Attributes:
        surface: Where the call came in.
        client: Name of the program that asks (``claude-code``, ``codex-mcp-client``, ``cli`` …).
        workspace: None when no workspace could be made out; such a caller sees global records only.
        session_id: The client's own session id; None means that no session record is visible.
        human: A person acts, on one of the two human surfaces.  Never set from input.
        writes_as: Author that is stamped on what this caller writes.
        global_writer: The client may write global records.
        readonly: The caller may not change anything.
    """

    surface: Surface
    client: str
    workspace: Workspace | None = None
    session_id: str | None = None
    human: bool = False
    writes_as: Author = Author.AGENT
    global_writer: bool = False
    readonly: bool = False


NOBODY = Caller(surface=Surface.WORKER, client="memex")
"""Who does what nobody asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a surface knows about who asks; a caller is made out from it.

    Attributes:
        workspace: Given on the command line; wins over everything else.
        roots: Folders that the client offers, as paths or ``file://`` addresses.
        session_id: The client's own, or one per process.
        human: A person acts, on one of the two human surfaces.
    """

    surface: Surface
    client: str
    workspace: str | Path | None = None
    roots: tuple[str, ...] = ()
    session_id: str | None = None
    human: bool = False
    writes_as: Author = Author.AGENT
    readonly: bool = False
