"""The switches of one store: levels that a person turns on for good, modes, the master switch."""

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from typing import NoReturn

from memex_mcp.errors import Damaged, Denied, Disabled, Invalid, Unavailable
from memex_mcp.model.caller import NOBODY, Caller
from memex_mcp.model.kinds import Author, Scope
from memex_mcp.model.levels import Allowed, Level, Levels, Mode, Standing
from memex_mcp.model.record import GLOBAL_OWNER, owner_of
from memex_mcp.model.times import now
from memex_mcp.policy import levels as rules
from memex_mcp.policy.authorise import check_enabled, check_person, check_writer
from memex_mcp.policy.levels import History
from memex_mcp.settings import Settings
from memex_mcp.store import seen, switches, workspaces
from memex_mcp.store.database import Database
from memex_mcp.store.home import DATABASE
from memex_mcp.store.switches import Switch

_AGAIN = "The user switches memory on again."
_MODE = "The user changes it with `memex-mcp mode`."
_STICKY = "a level that was turned on stays on"
_INSTEAD = "`memex-mcp mode off` stops one workspace or session, `memex-mcp off` all of them."
_MASTER = Switch(owner=GLOBAL_OWNER, key=rules.MASTER)


class Switches:
    """Says what a caller may do, and takes what people decide about it."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings = settings
        self._database = database

    def history(self, caller: Caller) -> History:
        """Everything that was ever switched for a caller; asking makes no store."""
        if not (self._database.home / DATABASE).exists():
            return History()
        try:
            with self._database.read() as db:
                return switches.history(db, caller)
        except (Damaged, Unavailable) as error:
            return History(unreadable=str(error))

    def levels(self, caller: Caller) -> Levels:
        """The levels that are on for a caller, those left out that the environment keeps off."""
        history = self.history(caller)
        return rules.effective(rules.levels(history, history.present(now())), self._settings)

    def mode(self, caller: Caller) -> Mode:
        """What the caller's session may do as far as its mode goes."""
        history = self.history(caller)
        return rules.mode(history, history.present(now()))

    def now(self, caller: Caller) -> Allowed:
        """What a caller may do now; nothing where that cannot be read."""
        return self._ruling(History() if self._settings.disabled else self.history(caller))

    def check_reading(self, db: sqlite3.Connection, caller: Caller) -> None:
        """Let a caller that may read pass.

        Raises:
            Disabled: Its mode or the master switch allows no reading.
        """
        ruling = self._ruling(switches.latest(db, caller))
        if not ruling.read:
            raise _held(ruling)

    def writes(self, db: sqlite3.Connection, caller: Caller) -> bool:
        """Whether a caller's mode lets it change anything."""
        return self._ruling(switches.latest(db, caller)).write

    def check_writing(self, db: sqlite3.Connection, caller: Caller) -> None:
        """Let a caller that may write pass.

        What a person did to a file is no session's doing, so no mode holds it back.

        Raises:
            Disabled: Its mode or the master switch allows nothing.
            Denied: Its mode only allows reading.
        """
        if caller.writes_as is Author.FILE:
            return
        ruling = self._ruling(switches.latest(db, caller))
        if ruling.write:
            return
        if ruling.read:
            raise Denied("the mode is read-only", _MODE)
        raise _held(ruling)

    def check_running(self) -> None:
        """Stop what nobody asked for while the whole store is off.

        Raises:
            Disabled: It is, or whether it is cannot be read.
        """
        if (self._database.home / DATABASE).exists():
            with self._database.read() as db:
                self.check_reading(db, NOBODY)

    def standing(self, caller: Caller) -> Standing:
        """How every switch stands for a caller, and what follows from that."""
        history = self.history(caller)
        return rules.standing(history, history.present(now()), self._settings)

    def turn_on(self, level: Level, caller: Caller, *, for_session: bool = False) -> bool:
        """Turn a level on for the workspace, or L2 for one session; returns whether it was off.

        Raises:
            Denied: The caller is no person, or the environment keeps the level off.
            Disabled: Memory is switched off from outside.
            Invalid: L3 has no session.
        """
        with self._denials(caller):
            check_person(caller, "turns a level on")
            return self._turn_on(level, caller, for_session=for_session, reason="")

    def start_with(self, levels: Iterable[Level], caller: Caller) -> None:
        """Turn on for the workspace what a person wrote on the command line of a server.

        Raises:
            MemexError: As :meth:`turn_on`; nobody has to be a person.
        """
        with self._denials(caller):
            # What the environment keeps off is refused after the rest was turned on.
            for level in sorted(levels, key=lambda each: rules.capped(each, self._settings)):
                self._turn_on(level, caller, for_session=False, reason="serve --levels")

    def turn_off(self, level: Level) -> NoReturn:
        """Refuse: what is archived must not depend on who remembers to turn it on again.

        Raises:
            Denied: Always.
        """
        raise Denied(f"{level} is sticky: {_STICKY}", _INSTEAD)

    def set_mode(self, mode: Mode, caller: Caller, *, for_session: bool = False) -> bool:
        """Say what the sessions of the workspace may do, or one of them; returns whether it is new.

        Raises:
            Denied: The caller may change nothing, or has no workspace or session.
        """
        check_writer(caller)
        owner = _owner(caller, for_session=for_session)
        return self._put(Switch(owner=owner, key=rules.MODE), mode.value, caller)

    def pause(self, caller: Caller) -> bool:
        """Switch memory off in the whole store; returns whether it was on."""
        check_writer(caller)
        return self._put(_MASTER, rules.OFF, caller)

    def resume(self, caller: Caller) -> bool:
        """Switch memory on again in the whole store; returns whether it was off."""
        check_writer(caller)
        history = self.history(caller)
        if not (history.master or history.unreadable):
            return False
        return self._put(_MASTER, rules.ON, caller)

    def prune(self) -> int:
        """Forget what was put for sessions that are long gone, and what they were shown.

        Returns:
            How many settings.
        """
        at = now()
        with self._database.read() as db:
            stale = bool(switches.stale(db, at)) or seen.stale(db, at)
        if stale:
            with suppress(Unavailable), self._database.write() as db:
                seen.prune(db, at)
                return switches.prune(db, at)
        return 0

    def _ruling(self, history: History) -> Allowed:
        return rules.allowed(history, history.present(now()), self._settings)

    def _turn_on(self, level: Level, caller: Caller, *, for_session: bool, reason: str) -> bool:
        check_writer(caller)
        check_enabled(self._settings)
        if rules.capped(level, self._settings):
            raise Denied(
                f"MEMEX_MAX_LEVELS keeps {level} off here", "Whoever set that variable changes it."
            )
        if for_session and level is Level.L3:
            raise Invalid("l3 is the archive of a whole workspace", "Leave the session out.")
        owner = _owner(caller, for_session=for_session)
        return self._put(Switch(owner=owner, key=level.value), rules.ON, caller, reason)

    def _put(self, switch: Switch, value: str, caller: Caller, reason: str = "") -> bool:
        at = now()
        with self._database.write() as db:
            if switches.value(db, switch) == value:
                return False
            workspaces.note_seen(db, caller, at)
            switches.put(db, caller, switch, value, at, reason)
        return True

    @contextmanager
    def _denials(self, caller: Caller) -> Generator[None]:
        """What is denied leaves an audit row; a read-only caller is not expected to try."""
        try:
            yield
        except Denied:
            if not caller.readonly:
                with suppress(Unavailable), self._database.write() as db:
                    switches.note_denied(db, caller, now())
            raise


def _owner(caller: Caller, *, for_session: bool) -> str:
    if caller.workspace is None:
        raise Denied("there is no workspace to switch", "Go to a project, or pass --workspace.")
    if not for_session:
        return owner_of(Scope.WORKSPACE, caller.workspace.id, "")
    if caller.session_id is None:
        raise Denied("there is no session to switch", "Pass --session.")
    return owner_of(Scope.SESSION, caller.workspace.id, caller.session_id)


def _held(ruling: Allowed) -> Disabled:
    if ruling.write:
        return Disabled("the mode is write-only", _MODE)
    return Disabled(ruling.why, _AGAIN)
