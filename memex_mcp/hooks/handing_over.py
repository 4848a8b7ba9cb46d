"""Starts the process that archives what a hook has no time for."""

import subprocess
import sys
from pathlib import Path

from memex_mcp.capture.events import Event

_MODULE = "memex_mcp.hooks.catching_up"


def begin(home: Path, event: Event, size: int) -> None:
    """Start it, and leave it to itself.

    Args:
        home: The store folder.
        event: Whose transcript it is.
        size: Bytes that the transcript has; of one that is late the others are waited for.
    """
    # Without -P, a folder of the user's named like one of our modules would be run instead.
    command = [sys.executable, "-P", "-m", _MODULE, str(home)]
    told = (event.client, event.session_id, event.cwd, str(event.transcript))
    late = (str(size),) if event.late else ()
    subprocess.Popen(  # noqa: S603  # our own interpreter, and words that no shell sees
        [*command, *told, *late],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
