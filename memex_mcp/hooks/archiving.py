"""Archive what a transcript holds and the store does not."""

from memex_mcp.capture.events import Event
from memex_mcp.model.caller import Caller
from memex_mcp.sessions import Sessions


def keep(memory: Sessions, caller: Caller, event: Event) -> None:
    """Archive the turns that are new; where nothing may be, a transcript is not even opened."""
    allowed = memory.switches.now(caller)
    if not (allowed.spans or allowed.checkpoints is not None):
        return
    # Clients name the file of a session before there is one.
    if event.transcript is not None and event.transcript.is_file():
        memory.archive.capture(event.transcript, event.client, caller)
