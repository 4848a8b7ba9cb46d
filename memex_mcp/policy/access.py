"""Which scope owners a caller may read.

What is not known opens nothing: without a workspace only global records are left, and
without a session no session record.
"""

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Scope
from memex_mcp.model.record import GLOBAL_OWNER, owner_of


def owners(caller: Caller) -> tuple[str, ...]:
    """Scope owners whose records the caller may see, widest first."""
    workspace = _workspace_id(caller)
    if not workspace:
        return (GLOBAL_OWNER,)
    seen = (GLOBAL_OWNER, owner_of(Scope.WORKSPACE, workspace, ""))
    session = _known(caller.session_id)
    return (*seen, owner_of(Scope.SESSION, workspace, session)) if session else seen


def _workspace_id(caller: Caller) -> str:
    return _known(caller.workspace.id) if caller.workspace else ""


def _known(name: str | None) -> str:
    """The name, or nothing when it cannot be stored as it is.

    Replacing a lone surrogate instead could make one session's name another's.
    """
    try:
        (name or "").encode("utf-8")
    except UnicodeEncodeError:
        return ""
    return name or ""
