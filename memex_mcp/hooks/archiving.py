"""Archive what a transcript holds and the store does not."""

from memex_mcp.capture.events import Event, Moment
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


def may(memory: Sessions, caller: Caller, event: Event) -> bool:
    """Whether there is a transcript that may be archived; where not, it is not even opened."""
    allowed = memory.switches.now(caller)
    if not (allowed.spans or allowed.checkpoints is not None):
        return False
    # Clients name the file of a session before there is one.
    return event.transcript is not None and event.transcript.is_file()


def takes_long(memory: Sessions, caller: Caller, event: Event) -> bool:
    """Whether more waits to be archived than a hook has time for."""
    if event.moment is Moment.PROMPT or not may(memory, caller, event):
        return False
    return event.transcript is not None and memory.archive.waiting(event.transcript) > AT_ONCE


def keep(memory: Sessions, caller: Caller, event: Event) -> None:
    """Archive the turns that are new."""
    if event.transcript is not None and may(memory, caller, event):
        memory.archive.capture(event.transcript, event.client, caller)
