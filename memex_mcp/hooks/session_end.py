"""The session ends: a last sweep, since some clients end without a last stop.

What the session noted for itself alone has an end from now on.
"""

from collections.abc import Callable

from memex_mcp.capture.events import Event
from memex_mcp.hooks.archiving import keep
from memex_mcp.model.caller import Caller
from memex_mcp.sessions import Sessions


def handle(memory: Sessions, caller: Caller, event: Event, _say: Callable[[str], None]) -> None:
    """Archive what is new, then let scratch notes end."""
    keep(memory, caller, event)
    memory.ended(caller)
