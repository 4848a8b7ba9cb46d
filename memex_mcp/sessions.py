"""The part of Memory that the hooks of a session call.

A hook has a tenth of a second from its first to its last instruction, so nothing is loaded
here before somebody asks for it.
"""

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.settings import Settings
from memex_mcp.store import callers
from memex_mcp.store.database import Database
from memex_mcp.switches import Switches

if TYPE_CHECKING:
    from memex_mcp.archive import Archive
    from memex_mcp.injection import Injection
    from memex_mcp.writing import Writer


class Sessions:
    """What goes from a session into one store, and back.

    Args:
        settings: What the outside decides.
        patience: Seconds to wait for others who write.

    Attributes:
        settings: As given.
        switches: Which levels are on, and what a session may do.
    """

    def __init__(self, settings: Settings, *, patience: float = 10.0) -> None:
        self.settings = settings
        self._database = Database(settings.home, timeout=patience)
        self.switches = Switches(settings, self._database)

    @cached_property
    def archive(self) -> "Archive":
        """Keeps what was said in sessions."""
        from memex_mcp.archive import Archive

        return Archive(self.settings, self._database, self._writer, self.switches)

    @cached_property
    def injection(self) -> "Injection":
        """What hooks tell a session."""
        from memex_mcp.injection import Injection

        return Injection(self.settings, self._database, self.switches, self._receipt)

    @cached_property
    def _writer(self) -> "Writer":
        from memex_mcp.writing import Writer

        return Writer(
            self._database,
            secrets=self.settings.secrets,
            check=self.switches.check_writing,
        )

    def caller(self, evidence: Evidence) -> Caller:
        """Make out who asks, and from where.

        Raises:
            Invalid: A workspace was given and does not exist.
            Denied: A workspace was given and can never be one.
        """
        return callers.identify(self.settings, evidence)

    def ended(self, caller: Caller) -> None:
        """Let what a session noted for itself alone end some days from now.

        Raises:
            Unavailable: The store cannot be written.
        """
        if self.switches.now(caller).write:
            self._writer.end_session(caller, timedelta(days=self.settings.scratch_days))

    def _receipt(self, caller: Caller) -> str:
        # Asked after a compaction only: the archive need not be loaded for any other start.
        return self.archive.receipt(caller)

    def close(self) -> None:
        """Fold the log into the database and close it."""
        self._database.close()
