"""Who asks, made out from what a surface knows."""

from pathlib import Path

from memex_mcp.errors import Denied, Invalid
from memex_mcp.model.caller import Caller, Evidence, Workspace
from memex_mcp.model.kinds import Author
from memex_mcp.settings import Settings
from memex_mcp.store.workspaces import resolve


def identify(settings: Settings, evidence: Evidence) -> Caller:
    """The caller behind the evidence.

    The workspace comes from the first evidence there is: what was given, the client's
    environment, the roots it offers, the working directory.  If that is no place for a
    workspace, there is none: the next evidence would be a guess.

    Raises:
        Invalid: A workspace was given and does not exist.
        Denied: A workspace was given and can never be one.
    """
    return Caller(
        surface=evidence.surface,
        client=evidence.client,
        workspace=_workspace(settings, evidence),
        session_id=evidence.session_id or settings.session_id,
        human=evidence.human,
        writes_as=Author.HUMAN if evidence.human else evidence.writes_as,
        global_writer=evidence.client in settings.global_writers,
        readonly=evidence.readonly,
    )


def _workspace(settings: Settings, evidence: Evidence) -> Workspace | None:
    if evidence.workspace is not None:
        return resolve(evidence.workspace)
    try:
        return resolve(settings.project or next(iter(evidence.roots), None) or Path.cwd())
    except (Denied, Invalid, OSError):
        return None
