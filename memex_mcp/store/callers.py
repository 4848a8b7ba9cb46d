"""Who asks, made out from what a surface knows."""

from dataclasses import replace
from pathlib import Path

from memex_mcp.errors import Denied, Invalid
from memex_mcp.model.caller import Caller, Evidence, Workspace
from memex_mcp.model.kinds import Author
from memex_mcp.settings import Settings
from memex_mcp.store.workspaces import resolve

_CLIENT_CHARACTERS = 64
_SESSION_CHARACTERS = 200


def identify(settings: Settings, evidence: Evidence) -> Caller:
    """The caller behind the evidence.

    The workspace comes from the first evidence there is: what was given, the client's
    environment, the roots it offers, the working directory.  If that is no place for a
    workspace, there is none: the next evidence would be a guess.

    Names come from outside: what is stored of them is one line of printable text.  A session
    that cannot be told by such an id is unknown, and its private records with it.

    Raises:
        Invalid: A workspace was given and does not exist.
        Denied: A workspace was given and can never be one.
    """
    client = _one_line(evidence.client)[:_CLIENT_CHARACTERS].strip() or "unknown"
    return Caller(
        surface=evidence.surface,
        client=client,
        workspace=_workspace(settings, evidence),
        session_id=_session(evidence.session_id or settings.session_id or ""),
        human=evidence.human,
        writes_as=Author.HUMAN if evidence.human else evidence.writes_as,
        global_writer=client in settings.global_writers,
        readonly=evidence.readonly,
    )


def _session(given: str) -> str | None:
    """The id, unless it is none: empty, too long, or not printable."""
    session_id = given.strip()
    known = session_id.isprintable() and len(session_id) <= _SESSION_CHARACTERS
    return (session_id or None) if known else None


def _workspace(settings: Settings, evidence: Evidence) -> Workspace | None:
    if evidence.workspace is not None:
        found = resolve(evidence.workspace)
    else:
        try:
            found = resolve(settings.project or next(iter(evidence.roots), None) or Path.cwd())
        except (Denied, Invalid, OSError):
            return None
    return replace(found, branch=_one_line(found.branch) or None) if found.branch else found


def _one_line(text: str) -> str:
    """Printable characters, single blanks between words."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
