"""A turn ended, of the session or of one of its agents: archive it.

Nothing is said here, ever: clients take that for a reason to go on, some of them for good.
"""

from collections.abc import Callable

from memex_mcp.capture.events import Event
from memex_mcp.hooks.archiving import keep
from memex_mcp.model.caller import Caller
from memex_mcp.sessions import Sessions


def handle(memory: Sessions, caller: Caller, event: Event, _say: Callable[[str], None]) -> None:
    """Archive what is new."""
    keep(memory, caller, event)
