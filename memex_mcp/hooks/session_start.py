"""A session begins, goes on, or lost its context: say what is on record, archive what is left.

What is left are turns that the end of an earlier process kept from the archive.
"""

from collections.abc import Callable

from memex_mcp.capture.events import Event, Start
from memex_mcp.hooks.archiving import keep
from memex_mcp.model.caller import Caller
from memex_mcp.sessions import Sessions


def handle(memory: Sessions, caller: Caller, event: Event, say: Callable[[str], None]) -> None:
    """Put the brief before the model, then archive: a model waits, an archive can."""
    brief = memory.injection.start(caller, source=event.start or Start.STARTUP)
    say(brief)
    memory.injection.began(caller, brief)
    keep(memory, caller, event)
