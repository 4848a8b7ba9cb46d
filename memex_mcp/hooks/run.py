"""One call of a hook, from its payload to its end.

A hook is a guest in somebody's session.  Whatever happens it ends by itself within two
seconds, with exit code 0 and nothing on standard error, and prints nothing or an answer that
its client takes.  What went wrong is a line in the store's log.
"""

import gc
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from memex_mcp import settings
from memex_mcp.capture.clients import recognised, shape_of
from memex_mcp.capture.events import Event, Moment
from memex_mcp.hooks import log
from memex_mcp.hooks.payload import Asked, asked, parsed, received
from memex_mcp.values import dataclass

if TYPE_CHECKING:
    from memex_mcp.model.caller import Caller
    from memex_mcp.sessions import Sessions

CHARACTERS = 9_000
"""Of longer context, clients show the model only a part."""

_MODULES = {
    Moment.SESSION_START: "session_start",
    Moment.PROMPT: "user_prompt",
    Moment.BEFORE_COMPACT: "pre_compact",
    Moment.STOP: "stop",
    Moment.SESSION_END: "session_end",
}
_ANSWERED = (Moment.SESSION_START, Moment.PROMPT)

Say = Callable[[str], None]


class Handler(Protocol):
    """The module of one event."""

    def handle(self, memory: "Sessions", caller: "Caller", event: Event, say: Say) -> None:
        """Do what the event calls for; ``say`` puts context before the model."""


@dataclass(slots=True)
class Progress:
    """How far a call got, for the log."""

    home: Path | None = None
    event: Event | None = None


def process(given: Sequence[str]) -> NoReturn:
    """Carry out one hook and end the process."""
    # The collector would look again and again at modules that never go away.
    gc.disable()
    began, progress = time.monotonic(), Progress()
    try:
        call = asked(given)
        end = began + call.timeout
        threading.Thread(target=_end_in_time, args=(began, end, progress), daemon=True).start()
        out = _output()
        attend(call, received(0), lambda said: _write(out, said), progress)
    except KeyboardInterrupt:
        # The user stopped the client.
        pass
    except Exception as error:  # noqa: BLE001  # the last boundary: no client can act on it
        _log(progress, began, error)
    # The interpreter's own way out takes longer, and may complain on its way.
    os._exit(0)


def attend(call: Asked, data: bytes, write: Callable[[str], None], progress: Progress) -> None:
    """Do what an event calls for; what is written, at most once, is the answer to the client."""
    found = settings.load(call.root)
    # Without a database there is nothing to recall, and nothing was switched on to archive.
    if found.disabled or not (found.home / "memex.db").is_file():
        return
    progress.home = found.home
    payload = parsed(data)
    shape = shape_of(call.client or recognised(payload))
    event = progress.event = shape.event(call.event, payload)
    if event.moment is Moment.OTHER:
        return

    def say(context: str) -> None:
        if context and event.moment in _ANSWERED and _length(context) <= CHARACTERS:
            write(shape.answer(event, context))

    # All that is below takes longer to load than everything else takes together.
    from memex_mcp.hooks import archiving
    from memex_mcp.sessions import Sessions

    handler: Handler = import_module(f"memex_mcp.hooks.{_MODULES[event.moment]}")
    memory = Sessions(found, patience=call.timeout / 2)
    try:
        caller = memory.caller(archiving.evidence(event))
        handler.handle(memory, caller, event, say)
    finally:
        memory.close()


def _length(context: str) -> int:
    """Characters as the clients count them: most are written in JavaScript."""
    return len(context) + sum(letter > "\uffff" for letter in context)


def _output() -> int:
    """Standard output for the answer alone: what else is printed, or warned of, goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    out = nowhere
    with suppress(OSError):
        out = os.dup(1)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return out


def _write(out: int, said: str) -> None:
    rest = said.encode("utf-8", "replace")
    while rest:
        rest = rest[os.write(out, rest) :]


def _end_in_time(began: float, end: float, progress: Progress) -> None:
    time.sleep(max(0.0, end - time.monotonic()))
    # A disk that hangs may be the reason, and would hang the log too.
    telling = threading.Thread(target=_log, args=(progress, began, TimeoutError()), daemon=True)
    telling.start()
    telling.join(0.1)
    os._exit(0)


def _log(progress: Progress, began: float, error: Exception) -> None:
    if progress.home is None:
        return
    event = progress.event
    facts = {
        "event": event.moment if event else "none",
        "client": event.client if event else "none",
        "session": (event.session_id if event else "") or "none",
        "error": type(error).__name__,
        "code": getattr(error, "code", "none"),
        "at": _place(error),
        "ms": round((time.monotonic() - began) * 1000),
    }
    log.note(progress.home, facts)


def _place(error: Exception) -> str:
    """Module and line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "none"
    return f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}"
