"""Conversations that clients have on disk already go into the archive, oldest first.

Whatever was captured before is known by the ledger, so that a run can be broken off anywhere
and started again, beside sessions that go on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path

from memex_mcp.archive import Archive
from memex_mcp.capture import places, reading
from memex_mcp.capture.places import Transcript
from memex_mcp.errors import Denied, Invalid, Unavailable
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.counts import plus
from memex_mcp.model.kinds import Author, Scope, Surface
from memex_mcp.model.turn import Captured
from memex_mcp.policy.authorise import check_enabled
from memex_mcp.settings import Settings
from memex_mcp.store import callers
from memex_mcp.store.database import Database
from memex_mcp.switches import Switches
from memex_mcp.values import dataclass
from memex_mcp.writing import Writer

_NOTHING = Captured()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which conversations to take.

    Attributes:
        clients: Names of ``places.CLIENTS``.
        home: The user's home folder.
        elsewhere: Those of ``places.VARIABLES`` that the environment holds.
        since: Leave out conversations that nothing was added to from then on.
        checkpoints: Scope of what was asked and answered; turns always stay with their session.
    """

    clients: Sequence[str]
    home: Path
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    since: datetime | None = None
    checkpoints: Scope = Scope.WORKSPACE


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What became of the conversations of one client, or of all.

    Attributes:
        sessions: Transcripts that were found; a sub-agent has its own.
        new: Those of which turns were archived now.
        known: Those with nothing new.
        left_out: Those that were not taken, by reason.
        turns: What became of their turns; no ids.
    """

    sessions: int = 0
    new: int = 0
    known: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    turns: Captured = _NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a backfill did, or would do.

    Attributes:
        clients: By name; those without a transcript are left out.
        days_kept: After how many days these clients delete their transcripts.
        left: Transcripts that are still to be looked at; 0 once it is done.
    """

    clients: Mapping[str, Filled] = field(default_factory=dict)
    days_kept: Mapping[str, int] = field(default_factory=dict)
    left: int = 0

    @property
    def total(self) -> Filled:
        """All clients together."""
        whole = Filled()
        for each in self.clients.values():
            whole = plus(whole, each)
        return whole


Progress = Callable[[Report], None]


class Backfill:
    """Takes what clients keep into one store."""

    def __init__(
        self, settings: Settings, database: Database, writer: Writer, switches: Switches
    ) -> None:
        # What the environment says of the present session is not so of earlier ones.
        self._settings = replace(settings, project=None, session_id=None)
        self._database = database
        self._switches = switches
        self._archive = Archive(settings, database, writer, switches)
        self._callers: dict[tuple[str, str], Caller | str] = {}

    def run(self, asked: Asked, progress: Progress = lambda _: None) -> Report:
        """Archive the turns that are not archived yet.

        Args:
            asked: Which conversations.
            progress: Told before every conversation what was done so far.

        Raises:
            Disabled: Memory is off in the whole store.
            Denied: The environment allows no archive.
            Unavailable: The store cannot be written.
        """
        check_enabled(self._settings)
        if self._settings.max_levels == "none":
            raise Denied("MEMEX_MAX_LEVELS keeps every archive off", "Set it to l2, l3 or both.")
        self._switches.check_running()
        found = {
            client: places.transcripts(client, asked.home, asked.elsewhere)
            for client in asked.clients
        }
        filled = {client: Filled() for client, some in found.items() if some}
        days = {client: places.days_kept(client, asked.home, asked.elsewhere) for client in filled}
        report = Report(
            clients=filled, days_kept={client: n for client, n in days.items() if n is not None}
        )
        todo = sorted(
            (each for some in found.values() for each in some),
            key=lambda each: (each.changed_at, str(each.path)),
        )
        for number, transcript in enumerate(todo):
            progress(replace(report, clients=dict(filled), left=len(todo) - number))
            taken = self._take(transcript, asked)
            filled[transcript.client] = plus(filled[transcript.client], taken)
        progress(replace(report, clients=dict(filled)))
        return replace(report, clients=filled)

    def _take(self, transcript: Transcript, asked: Asked) -> Filled:
        caller = self._taken_for(transcript, asked)
        if isinstance(caller, str):
            return _left_out(caller)
        try:
            done = self._archive.capture(
                transcript.path,
                transcript.client,
                caller,
                explicit=True,
                at=transcript.changed_at,
                checkpoints=asked.checkpoints,
            )
        except Unavailable:
            # Clients delete old sessions when they start, which may be now.
            if transcript.path.exists():
                raise
            return _left_out("unreadable")
        turns = replace(done, ids=())
        if not done.seen:
            return replace(_left_out("empty"), turns=turns)
        return Filled(sessions=1, new=done.new > 0, known=done.new == 0, turns=turns)

    def _taken_for(self, transcript: Transcript, asked: Asked) -> Caller | str:
        """Whose conversation it is; else why it is not taken, in words."""
        if asked.since is not None and transcript.changed_at < asked.since:
            return "older"
        if transcript.path.suffix != ".jsonl":
            return "another format"
        try:
            source = reading.source(transcript.path, transcript.client)
        except Unavailable:
            return "unreadable"
        caller = self._caller(transcript.client, source.cwd)
        if isinstance(caller, Caller) and not self._switches.now(caller).write:
            return "memory is off there"
        return caller

    def _caller(self, client: str, folder: str) -> Caller | str:
        """Whose conversation it was; else why nobody's, in words."""
        known = self._callers.get((client, folder))
        if known is None:
            known = self._identified(client, folder)
            self._callers[client, folder] = known
        return known

    def _identified(self, client: str, folder: str) -> Caller | str:
        if not folder:
            return "no folder named"
        evidence = Evidence(
            surface=Surface.IMPORT, client=client, workspace=folder, writes_as=Author.DERIVED
        )
        try:
            return callers.identify(self._settings, evidence)
        except Invalid:
            return "folder is gone"
        except Denied:
            return "no workspace"


def _left_out(reason: str) -> Filled:
    return Filled(sessions=1, left_out={reason: 1})
