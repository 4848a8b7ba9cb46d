"""The thread on which a server embeds what is new, while nobody waits for it."""

import threading

from memex_mcp.errors import Unavailable
from memex_mcp.memory import Memory
from memex_mcp.model.query import Change
from memex_mcp.server.app import survived

CALM = 3.0
"""Seconds that a new server leaves to its client's first requests."""

RETRY = 15.0
"""Seconds until a model that did not answer is asked again."""

IDLE = 60.0
"""Seconds after which to look for what other processes wrote."""


class Embedder:
    """Embeds after the start, after each change, and now and then.

    A server that only reads has its model loaded and embeds nothing.
    """

    def __init__(self, memory: Memory, *, readonly: bool) -> None:
        self._memory = memory
        self._embedding = memory.embedding
        self._readonly = readonly
        self._is_warm = False
        self._pause = CALM
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name="embedder", daemon=True)

    def start(self) -> None:
        """Begin; where no model is configured, or memory is off, nothing begins."""
        if self._embedding is not None and not self._memory.settings.disabled:
            self._memory.on_change(self.note)
            self._thread.start()

    def note(self, _change: Change) -> None:
        """Look for what is new at once."""
        self._woken.set()

    def stop(self) -> None:
        """Begin nothing more; a model that is being asked is not waited for."""
        if self._embedding is not None:
            self._embedding.close()
            self._woken.set()

    def _run(self) -> None:
        while True:
            self._woken.wait(self._pause)
            self._woken.clear()
            if self._embedding is None or self._embedding.is_closed:
                return
            self._pause = IDLE
            survived(self._work)

    def _work(self) -> None:
        # Where nothing was ever remembered there is nothing to embed.
        if self._embedding is None or not (self._memory.settings.home / "memex.db").exists():
            return
        self._memory.switches.check_running()
        try:
            if not self._is_warm:
                self._embedding.warm_up()
                self._is_warm = True
            while not self._readonly and self._embedding.embed_pending():
                pass
        except Unavailable:
            # The model is down, or another process embeds.
            self._pause = RETRY
