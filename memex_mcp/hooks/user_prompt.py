"""The user said something: recall what was said about it in earlier sessions."""

from collections.abc import Callable

from memex_mcp.capture.events import Event
from memex_mcp.model.caller import Caller
from memex_mcp.sessions import Sessions
from memex_mcp.text import clean

# A prompt that is longer says by itself what it is about.
_LEANING = 400


def handle(memory: Sessions, caller: Caller, event: Event, say: Callable[[str], None]) -> None:
    """Put previews before the model, if anything fits what was said."""
    if not event.prompt.strip() or not memory.switches.now(caller).recall:
        return
    said = clean.said(event.prompt, event.client)
    last = ""
    if event.transcript is not None and len(said) <= _LEANING:
        from memex_mcp.capture import reading

        last = reading.last_answer(event.transcript, event.client)
    say(memory.injection.prompt(caller, said, last))
