"""The client is about to forget most of a conversation: archive it first.

Nothing is said here: Claude would take it for an instruction about its summary.
"""

from collections.abc import Callable

from memex_mcp.capture.events import Event
from memex_mcp.hooks.archiving import keep
from memex_mcp.model.caller import Caller
from memex_mcp.sessions import Sessions


def handle(memory: Sessions, caller: Caller, event: Event, _say: Callable[[str], None]) -> None:
    """Archive what is new."""
    keep(memory, caller, event)
