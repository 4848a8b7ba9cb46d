"""Whether a caller may write, and into which scope owner."""

from memex_mcp.errors import Denied, Disabled, Invalid
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Kind, Scope, Surface
from memex_mcp.model.record import Draft, owner_of
from memex_mcp.settings import Settings

_CAPTURES = {Surface.HOOK, Surface.IMPORT, Surface.WORKER}


def check_writer(caller: Caller) -> None:
    """Let a caller that may change things pass.

    Raises:
        Denied: The server was started read-only.
    """
    if caller.readonly:
        raise Denied("this server only reads", "Start it without --readonly to write.")


def check_enabled(settings: Settings) -> None:
    """Let pass where neither the environment nor the file switches memory off.

    Raises:
        Disabled: One of them does.
    """
    if settings.disabled:
        raise Disabled(settings.disabled, "The user switches memory on again.")


def check_person(caller: Caller, deed: str) -> None:
    """Let a person on a human surface pass.

    Raises:
        Denied: The caller is a program; the message says who ``deed`` is left to.
    """
    check_writer(caller)
    if not caller.human:
        raise Denied(f"only a person {deed}", "Ask the user to run the command in a terminal.")


def check_reach(scope: Scope, caller: Caller) -> None:
    """Let a caller that may change records of this scope pass; it sees them already.

    Raises:
        Denied: The scope is global, and the caller is neither a person nor a listed client.
    """
    if scope is Scope.GLOBAL and not (caller.human or caller.global_writer):
        raise Denied(
            f"{caller.client} may not write global records",
            "Use scope workspace; the user can list the client in global_writers of config.toml.",
        )


def scope_owner(draft: Draft, caller: Caller) -> tuple[Scope, str]:
    """Scope and scope owner that a new record of this caller gets.

    Raises:
        Denied: The caller lacks the workspace, the session or the right to write there.
        Invalid: The kind does not go with the scope or the surface.
    """
    check_writer(caller)
    _check_kind(draft, caller)
    scope = draft.scope or Scope.WORKSPACE
    if draft.id is not None and draft.scope is None and caller.workspace is None:
        # All that such a caller sees is global, and so is the record that it revises.
        scope = Scope.GLOBAL
    if scope is Scope.GLOBAL:
        _check_global_kind(draft)
        check_reach(scope, caller)
        return scope, owner_of(scope, "", "")
    if caller.workspace is None:
        raise Denied(
            "there is no workspace to write to",
            "Start the client in a project folder, or pass --workspace.",
        )
    if scope is Scope.SESSION and not caller.session_id:
        raise Denied("there is no session to write to", "Use scope workspace.")
    return scope, owner_of(scope, caller.workspace.id, caller.session_id or "")


def _check_kind(draft: Draft, caller: Caller) -> None:
    if draft.kind is Kind.NOTE:
        if draft.events:
            raise Invalid("a note stands for no lines of a transcript", "Leave them out.")
        if draft.sources and caller.writes_as in (Author.AGENT, Author.HUMAN):
            raise Invalid("sources are set by derivation only", "Name the origin in source.")
    elif caller.surface not in _CAPTURES:
        raise Denied(f"a {draft.kind} is written by capture only", "Write a note.")


def _check_global_kind(draft: Draft) -> None:
    if draft.kind not in (Kind.NOTE, Kind.PERSONA):
        raise Invalid(f"a {draft.kind} cannot be global", "Only notes and personas can.")
