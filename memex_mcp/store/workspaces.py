"""Which workspace a path belongs to, whatever way it is spelled."""

import hashlib
import os
import sqlite3
import sys
from datetime import datetime
from pathlib import Path
from posixpath import normpath
from urllib.parse import unquote

from memex_mcp.errors import Denied, Invalid
from memex_mcp.model.caller import Caller, Workspace
from memex_mcp.model.record import Record
from memex_mcp.model.times import to_ms
from memex_mcp.settings import shared_folders
from memex_mcp.store.gitdir import Checkout, find
from memex_mcp.text import lazily

_DRIVE = lazily.pattern(r"(?:\\\\\?\\|//\?/)?([A-Za-z]):(?=[\\/]|$)")
_MOUNT = lazily.pattern(r"/(?:mnt|cygdrive)/([A-Za-z])(?=/|$)")
_DRIVE_ROOT = lazily.pattern(r"/mnt/[a-z]")
_DAY = 24 * 60 * 60 * 1000


def resolve(path: str | Path, *, home: Path | None = None) -> Workspace:
    """The workspace that ``path`` lies in: its repository, or else the folder itself.

    All worktrees of a repository are one workspace; a submodule is its own.

    Args:
        path: A folder in any spelling: relative, ``~``, with links, a ``file://`` URI, a
            Windows path under WSL.
        home: The user's home folder; found out when left out.

    Raises:
        Denied: The path is the home folder, the root of a disk or a temp folder itself.
        Invalid: There is no such folder.
    """
    folder = _real(_local(str(path), _home(home)))
    never = shared_folders(_home(home))
    if _is_never(folder, never):
        raise Denied(
            "the home folder, a whole disk and the temp folder are no workspace",
            "Name a project folder.",
        )
    checkout = find(folder, never)
    if checkout is None or _is_never(checkout.root, never):
        # A repository over the whole home folder says nothing about the projects in it.
        checkout = Checkout(root=folder, branch=checkout.branch if checkout else None)
    return Workspace(
        id=hashlib.sha256(os.fsencode(canonical(str(checkout.root)))).hexdigest()[:16],
        path=_shown(checkout.root),
        name=_shown(checkout.root.name),
        worktree=_shown(checkout.worktree) if checkout.worktree else None,
        branch=_shown(checkout.branch) if checkout.branch else None,
    )


def canonical(text: str) -> str:
    r"""One spelling for one absolute path, decided from the text alone.

    ``C:\x``, ``c:/x/``, ``\\?\C:\x`` and ``/mnt/c/x`` all are ``/mnt/c/x``; other paths
    lose what is redundant and stay as they are.
    """
    drive = _DRIVE.match(text)
    if drive:
        text = f"/mnt/{drive[1].lower()}/{text[drive.end() :]}".replace("\\", "/")
    elif text.startswith("\\\\"):
        text = text.replace("\\", "/")
    elif mount := _MOUNT.match(text):
        text = f"/mnt/{mount[1].lower()}{text[mount.end() :]}"
    return normpath(text)


def note_seen(db: sqlite3.Connection, caller: Caller, at: datetime) -> None:
    """Remember the caller's workspace and session; writes at most once a day for each.

    Whoever edited a file is known by the record's owner alone, which names no path.
    """
    if caller.workspace is None or not caller.workspace.path:
        return
    stamp = to_ms(at)
    workspace = caller.workspace
    db.execute(
        "INSERT INTO workspace VALUES (?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE"
        " SET path = excluded.path, name = excluded.name, last_seen = excluded.last_seen"
        f" WHERE excluded.last_seen >= last_seen + {_DAY}",
        (workspace.id, workspace.path, workspace.name, stamp, stamp),
    )
    if caller.session_id is not None:
        db.execute(
            "INSERT INTO session VALUES (?, ?, ?, ?, ?) ON CONFLICT(workspace_id, id) DO UPDATE"
            " SET client = excluded.client, last_seen = excluded.last_seen"
            f" WHERE excluded.last_seen >= last_seen + {_DAY}",
            (workspace.id, caller.session_id, caller.client, stamp, stamp),
        )


def sessions_like(db: sqlite3.Connection, caller: Caller, most: int) -> list[tuple[str, str]]:
    """Id and client of those sessions of a workspace whose ids begin like a caller's.

    The one with exactly that id is the only one; else the latest come first.
    """
    if caller.workspace is None or not caller.session_id:
        return []
    found = db.execute(
        "SELECT id, client FROM session WHERE workspace_id = :workspace"
        " AND substr(id, 1, length(:given)) = :given"
        " ORDER BY id = :given DESC, last_seen DESC, id LIMIT :most",
        {"workspace": caller.workspace.id, "given": caller.session_id, "most": most},
    ).fetchall()
    exact = [(row[0], row[1]) for row in found if row[0] == caller.session_id]
    return exact or [(row[0], row[1]) for row in found]


def note_found(db: sqlite3.Connection, record: Record, path: str, name: str) -> None:
    """Remember workspace and session of a record that a rebuild found, unless they are known.

    Args:
        db: The new database.
        record: The record.
        path: Where its workspace lies; empty when nothing says so.
        name: What its workspace is called.
    """
    if not record.workspace_id:
        return
    seen = (to_ms(record.times.recorded_at), to_ms(record.times.updated_at))
    if path:
        db.execute(
            "INSERT OR IGNORE INTO workspace VALUES (?, ?, ?, ?, ?)",
            (record.workspace_id, path, name, *seen),
        )
    if record.session_id:
        db.execute(
            "INSERT OR IGNORE INTO session VALUES (?, ?, ?, ?, ?)",
            (record.workspace_id, record.session_id, record.client, *seen),
        )


def _local(text: str, home: Path) -> str:
    """``text`` as a path that this system opens."""
    if text[:5].lower() == "file:":
        text = _from_uri(text[5:])
    if text == "~" or text.startswith(("~/", "~\\")):
        return str(home / text[2:])
    if sys.platform != "win32" and _DRIVE.match(text):
        return canonical(text)
    if sys.platform == "win32" and (mount := _MOUNT.match(text)):
        return f"{mount[1].upper()}:{text[mount.end() :] or '/'}"
    return _expanded(text)


def _home(given: Path | None) -> Path:
    return Path(_expanded("~")) if given is None else given


def _expanded(text: str) -> str:
    return os.path.expanduser(text)  # noqa: PTH111 - the method raises for an unknown user


def _from_uri(rest: str) -> str:
    """The path of a ``file:`` URI, which is all that follows the colon."""
    path = unquote(rest, errors="surrogateescape")
    if path.startswith("//"):
        host, _, tail = path[2:].partition("/")
        path = f"/{tail}" if host.lower() in ("", "localhost") else path
    # file:///C:/x has a slash before the drive.
    return path[1:] if _DRIVE.match(path[1:]) else path


def _real(text: str) -> Path:
    problem = Invalid("there is no such folder", "Name an existing folder as the workspace.")
    if not text.strip():
        raise problem
    try:
        folder = Path(text).resolve(strict=True)
        is_folder = folder.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise problem from error
    if not is_folder:
        raise problem
    return folder


def _is_never(folder: Path, never: frozenset[Path]) -> bool:
    whole_disk = folder.parent == folder or _DRIVE_ROOT.fullmatch(canonical(str(folder)))
    return folder in never or bool(whole_disk)


def _shown(path: Path | str) -> str:
    """``path`` as text that can be stored: a name need not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "replace")
