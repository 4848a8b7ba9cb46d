"""Which scope owners a caller may read, and which one it writes to.

What is not known opens nothing: without a workspace only global records are left, and
without a session no session record.
"""

from memex_mcp.errors import Denied
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


def owner_for_write(scope: Scope, caller: Caller) -> str:
    """Scope owner that a write of this caller into ``scope`` belongs to.

    Raises:
        Denied: The caller is read-only, is no global writer, or its workspace or session
            is not known.
    """
    if caller.readonly:
        raise Denied("this connection is read-only")
    if scope is Scope.GLOBAL:
        if not caller.global_writer:
            raise Denied(
                "this client may not write global records", 'Write with scope "workspace".'
            )
        return GLOBAL_OWNER
    workspace, session = _workspace_id(caller), _known(caller.session_id)
    if not workspace:
        raise Denied("no workspace is known here", "Start the server in a project folder.")
    if scope is Scope.SESSION and not session:
        raise Denied("no session is known here", 'Write with scope "workspace".')
    return owner_of(scope, workspace, session)


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
