"""What a hook has no time for, a process of its own archives.

It outlives the hook and the client, sees to nothing but one transcript, and ends when that is
done or a minute is over; a later hook goes on from there.
"""

import os
import sys
import threading
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


def main(given: Sequence[str]) -> NoReturn:
    """Archive a transcript and end the process.

    Args:
        given: Store folder, client, session, working directory, transcript.
    """
    home, client, session, cwd, transcript = given
    threading.Thread(target=_end_in_time, daemon=True).start()
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
            caller = memory.caller(archiving.evidence(event))
            memory.archive.capture(Path(transcript), client, caller)
    except Exception as error:  # noqa: BLE001  # the last boundary: nobody waits for this process
        facts = {"event": "catching-up", "client": client, "error": type(error).__name__}
        log.note(found.home, facts)
    os._exit(0)


def _end_in_time() -> None:
    threading.Event().wait(_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
