"""Care of one store: bringing it up to date, looking for faults, building parts of it anew."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from memex_mcp.errors import Damaged, Denied, Invalid, MemexError, Unavailable
from memex_mcp.gate import Gate
from memex_mcp.llm.configured import missing
from memex_mcp.model.caller import Caller
from memex_mcp.model.holdings import Holdings, Purged
from memex_mcp.model.times import now
from memex_mcp.policy.authorise import check_enabled, check_person
from memex_mcp.sessions import Sessions
from memex_mcp.store import edits, index, inspect, purge, rebuild, workspaces
from memex_mcp.store.home import DATABASE
from memex_mcp.store.rehearsal import rehearsal
from memex_mcp.store.vectors import Space

if TYPE_CHECKING:
    from memex_mcp.backfill import Backfill
    from memex_mcp.importing import Importing

_LEAST_OF_SESSION = 4
_SESSIONS_TOLD = 5


class Care(Sessions):
    """The part of ``Memory`` that concerns the store as a whole, whoever asks."""

    _space: Space | None

    @property
    def backfill(self) -> "Backfill":
        """Archives the conversations that clients have on disk."""
        # A hook has no time for what only a command needs.
        from memex_mcp.backfill import Backfill

        return Backfill(self.settings, self._database, self._writer, self.switches)

    @property
    def importing(self) -> "Importing":
        """Takes Markdown files in as notes."""
        from memex_mcp.importing import Importing

        return Importing(self.settings, self._database, self._writer, self.switches)

    def recognised(self, caller: Caller) -> Caller:
        """A person with the session whose id begins as they gave it, where one does.

        Whoever can name a session reads what is private to it, so that a program has to give all
        of the id: it could try beginnings until one fits.

        Raises:
            Invalid: Several sessions begin so.
        """
        given = caller.session_id or ""
        if not caller.human or len(given) < _LEAST_OF_SESSION or self.settings.disabled:
            return caller
        found: list[tuple[str, str]] = []
        # Asking makes no store, and what is wrong with one is told by what comes next.
        if (self.settings.home / DATABASE).exists():
            with suppress(Damaged, Unavailable), self._database.read() as db:
                found = workspaces.sessions_like(db, caller, _SESSIONS_TOLD)
        if len(found) > 1:
            told = ", ".join(f"{name} ({client})" for name, client in found)
            raise Invalid(f"several sessions begin with {given!r}: {told}", "Give more of the id.")
        return replace(caller, session_id=found[0][0]) if found else caller

    @contextmanager
    def rehearsed(self) -> Generator["Care"]:
        """The same on a copy of the store that is thrown away: to see what something would do.

        Raises:
            Unavailable: There is no room for the copy.
        """
        with rehearsal(self.settings.home) as home:
            copy = Care(replace(self.settings, home=home))
            try:
                yield copy
            finally:
                copy.close()

    def refresh(self) -> list[edits.Edit]:
        """Bring index and files up to date.

        Re-indexes after an upgrade, takes in hand edits, and writes the files that an
        earlier process could not.

        Returns:
            What people did to the files; empty in the ordinary case.

        Raises:
            Disabled: Memory is switched off in the whole store.
        """
        self._awake()
        self.switches.check_running()
        taken = self._writer.refresh()
        self.switches.prune()
        return taken

    def examine(self) -> list[inspect.Finding]:
        """Check the store without changing a byte of it."""
        return inspect.examine(self.settings.home, self._space, missing(self.settings))

    def rebuild_index(self) -> int:
        """Build the search index anew from the records; returns how many."""
        with self._database.write() as db:
            return index.rebuild(db)

    def rebuild_files(self) -> int:
        """Write every Markdown file anew from the database; returns how many."""
        self.refresh()
        return rebuild.files(self._database)

    def rebuild_from_files(self) -> rebuild.Report:
        """Build the database anew from the Markdown files."""
        self._database.close()
        return rebuild.from_files(self.settings.home, secrets=self.settings.secrets)

    def holdings(self) -> Holdings:
        """What the store holds, whoever it belongs to, without changing a byte of it.

        Raises:
            Invalid: A part of it lies elsewhere, behind a link.
        """
        return purge.holdings(self.settings.home)

    def check_purger(self, caller: Caller) -> None:
        """Let a caller that may remove the store pass; switched off or not, it is theirs.

        Raises:
            Denied: The caller is no person.
        """
        try:
            check_person(caller, "removes the memory")
        except Denied:
            if (self.settings.home / DATABASE).exists():
                with suppress(MemexError), self._database.write() as db:
                    Gate(db, caller, now()).denied(None)
            raise

    def purge(self, caller: Caller, *, keep: Iterable[str] = ()) -> Purged:
        """Remove the store, its folder too when nothing else is in it.

        Args:
            caller: Who wants it.
            keep: Names in the folder that stay.

        Raises:
            Denied: The caller is no person.
            Invalid: A part of the store lies elsewhere, behind a link.
            Unavailable: Others use the store.
        """
        self.check_purger(caller)
        self.close()
        return purge.remove(self.settings.home, keep=keep)

    def _awake(self) -> None:
        """Touch nothing at all where the environment or the settings say so."""
        check_enabled(self.settings)
