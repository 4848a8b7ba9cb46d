"""What a hook has no time for, a process of its own archives.

It outlives the hook and the client, sees to nothing but one transcript, and ends when that is
done or a minute is over; a later hook goes on from there.  Of a client that writes its last lines
after its last hook it waits for these lines, some seconds at most.
"""

import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NoReturn

from memex_mcp import settings
from memex_mcp.capture.events import Event, Moment
from memex_mcp.hooks import archiving, log
from memex_mcp.sessions import Sessions

_SECONDS = 60.0
_PATIENCE = 20.0
# How long a transcript is waited for, how often it is looked at, and how often it has to be the
# same in a row: clients write it a part at a time.
_LATE = 10.0
_LOOK = 0.25
_RESTS = 8


def main(given: Sequence[str]) -> NoReturn:
    """Archive a transcript and end the process.

    Args:
        given: Store folder, client, session, working directory, transcript; of one that is
            late also the bytes that it had.
    """
    home, client, session, cwd, name, *late = given
    threading.Thread(target=_end_in_time, daemon=True).start()
    transcript = Path(name)
    # Before the store is opened: meanwhile it may be switched off, or removed.
    for size in late:
        _let_grow(transcript, int(size))
    event = Event(
        moment=Moment.STOP,
        client=client,
        name=Moment.STOP,
        session_id=session,
        cwd=cwd,
    )
    found = settings.load(home)
    try:
        with closing(Sessions(found, patience=_PATIENCE)) as memory:
            if transcript.is_file():
                caller = memory.caller(archiving.evidence(event))
                memory.archive.capture(transcript, client, caller)
    except Exception as error:  # noqa: BLE001  # the last boundary: nobody waits for this process
        facts = {"event": "catching-up", "client": client, "error": type(error).__name__}
        log.note(found.home, facts)
    os._exit(0)


def _let_grow(transcript: Path, size: int) -> None:
    """Wait until a transcript is another one than at first and rests, or for long enough."""
    found, rests = size, 0
    for _ in range(int(_LATE / _LOOK)):
        time.sleep(_LOOK)
        before, found = found, _size(transcript)
        rests = rests + 1 if found == before else 0
        if found != size and rests >= _RESTS:
            return


def _size(transcript: Path) -> int:
    try:
        return transcript.stat().st_size
    except OSError:
        return 0


def _end_in_time() -> None:
    threading.Event().wait(_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
