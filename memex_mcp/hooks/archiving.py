"""Archive what a transcript holds and the store does not."""

from collections.abc import Callable

from memex_mcp.capture.events import Event
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Surface
from memex_mcp.sessions import Sessions

AT_ONCE = 400_000
"""Bytes of a transcript that a hook archives itself."""


def evidence(event: Event) -> Evidence:
    """Whose session it is, and where."""
    # Not ``workspace``: the project that the client's environment names is the one that its
    # server works in, and a session may have gone into any folder since.
    return Evidence(
        surface=Surface.HOOK,
        client=event.client,
        roots=(event.cwd,) if event.cwd else (),
        session_id=event.session_id or None,
        writes_as=Author.DERIVED,
    )


def keep(memory: Sessions, caller: Caller, event: Event) -> None:
    """Archive the turns that are new; what a hook has no time for, another process archives.

    That is a long transcript, and one that its client may not have finished yet.
    """
    allowed = memory.switches.now(caller)
    # Where nothing may be archived, a transcript is not even looked at.
    if not (allowed.spans or allowed.checkpoints is not None):
        return
    path = event.transcript
    if path is None:
        return
    # Clients name the file of a session before there is one.
    size = path.stat().st_size if path.is_file() else 0
    if size and memory.archive.waiting(path) <= AT_ONCE:
        told = memory.archive.capture(path, event.client, caller)
        # A new turn is the last one: when that stopped, those before it were archived.
        if not event.late or told.seen > told.known:
            return
    if size or event.late:
        # Few hooks need it, and it takes a while to load.
        from memex_mcp.hooks import handing_over

        handing_over.begin(memory.settings.home, event, size)


def quietly(memory: Sessions, caller: Caller, event: Event, _say: Callable[[str], None]) -> None:
    """All that is done at an event of which nothing may be said."""
    keep(memory, caller, event)
