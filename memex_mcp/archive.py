"""Turns of a conversation go into the archive, each of them once.

A transcript is read on from where the ledger says.  What is new in it is decided before the
write lock is taken, and decided again if somebody else captured of it meanwhile.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memex_mcp.capture import ignore, reading
from memex_mcp.capture.verdicts import Judged, Known, Ruling, judge
from memex_mcp.errors import Unavailable
from memex_mcp.model.caller import Caller
from memex_mcp.model.counts import plus
from memex_mcp.model.kinds import Scope
from memex_mcp.model.record import owner_of
from memex_mcp.model.times import now
from memex_mcp.model.turn import Captured, Source, Turn
from memex_mcp.settings import Settings
from memex_mcp.store import events
from memex_mcp.store.database import Database
from memex_mcp.store.ledger import Fate, Ledger, Place
from memex_mcp.switches import Switches
from memex_mcp.writing import Batch, Kept, Writer

_BATCH = 50
_PIECE = 256 * 1024
_EDGE = 4_096
# Whoever comes first gets its turns in; nobody comes first this often.
_TRIES = 50
_SESSION_CHARACTERS = 200


class Archive:
    """Puts transcripts of sessions into one store.

    Args:
        settings: What is captured of what is said.
        database: The store.
        writer: Commits what is archived.
        switches: Say when which level was on.
    """

    def __init__(
        self, settings: Settings, database: Database, writer: Writer, switches: Switches
    ) -> None:
        self._settings = settings
        self._database = database
        self._writer = writer
        self._switches = switches

    def capture(
        self,
        path: Path,
        client: str,
        caller: Caller,
        *,
        explicit: bool = False,
        at: datetime | None = None,
        checkpoints: Scope = Scope.WORKSPACE,
    ) -> Captured:
        """Archive the closed turns of a transcript that are not archived yet.

        Args:
            path: The transcript.
            client: Whose it is, by the name of its reader.
            caller: Whose session it is.  Where a person asks, the session is the one that the
                transcript names.
            explicit: A person asks for it: no level has to be on, and turns from before one
                was are taken too; not those from while memory was off.
            at: The time of turns that have none; now when left out.
            checkpoints: Where those of an explicit capture go.

        Raises:
            Unavailable: The transcript cannot be read, or the store cannot be written.
            Denied: There is no workspace or no session to archive into.
            Disabled: Memory is off for the caller.
        """
        if explicit:
            with self._database.read() as db:
                self._switches.check_writing(db, caller)
        elif not self._wanted(caller):
            return Captured()
        name = str(path.absolute())
        try:
            start = 0 if explicit else self._start(path, name)
            source, caller = _named(reading.source(path, client), caller, explicit=explicit)
            ruling = Ruling(
                settings=self._settings,
                history=self._switches.history(caller),
                withheld=_withheld(caller, source),
                explicit=explicit,
                now=at or now(),
                checkpoints=checkpoints,
            )
            told = Captured()
            # A hook may be ended at any moment, and the next one goes on from the last piece.
            for read in reading.pieces(path, client, start, _PIECE):
                told = plus(told, Captured(lines=read.skipped))
                closed = [turn for turn in read.turns if turn.closed]
                for first in range(0, len(closed), _BATCH):
                    turns = closed[first : first + _BATCH]
                    place = _place(path, name, turns[-1].stop)
                    told = plus(told, self._archive(turns, source, place, caller, ruling))
        except OSError as error:
            raise Unavailable(
                "the transcript cannot be read", "Check that it is there and yours."
            ) from error
        return told

    def waiting(self, path: Path) -> int:
        """About how many bytes of a transcript were not read yet; below 0 if it is another file.

        Raises:
            OSError: It cannot be read.
        """
        with self._database.read() as db:
            place = Ledger(db).place(str(path.absolute()))
        return path.stat().st_size - (place.stop if place else 0)

    def receipt(self, caller: Caller, most: int = 20) -> str:
        """What is archived of the caller's session, in numbers and then a line each.

        Args:
            caller: The session.
            most: Of so many records the id and the title are told, the newest.
        """
        with self._database.read() as db:
            counts, newest = Ledger(db).archived(caller, most)
        if not newest:
            return ""
        what = ", ".join(f"{number} {kind}s" for kind, number in counts.items())
        lines = [f"- {record_id} {title}" for record_id, title in newest]
        left = sum(counts.values()) - len(newest)
        more = [f"and {left} earlier"] if left else []
        return "\n".join([f"Archived of this session: {what}.", *lines, *more])

    def _wanted(self, caller: Caller) -> bool:
        allowed = self._switches.now(caller)
        return allowed.spans or allowed.checkpoints is not None

    def _start(self, path: Path, name: str) -> int:
        """Where the reading goes on; from the start where the file is not what was read."""
        with self._database.read() as db:
            place = Ledger(db).place(name)
        if place is None or path.stat().st_size < place.size:
            return 0
        return place.stop if fingerprint(path, place.stop) == place.head_sha256 else 0

    def _archive(
        self,
        turns: Sequence[Turn],
        source: Source,
        place: Place,
        caller: Caller,
        ruling: Ruling,
    ) -> Captured:
        for _ in range(_TRIES):
            known = self._look(turns, source, place, caller)
            judged = [judge(turn, source, ruling, known) for turn in turns]
            fresh = tuple(one.taken for one in judged if one.taken is not None)
            batch = Batch(
                source=source, known=known.state, place=_further(known.place, place), turns=fresh
            )
            if not fresh and batch.place == known.place:
                return _told(judged, None)
            kept = self._writer.capture(batch, caller)
            if kept is not None:
                return _told(judged, kept)
        raise Unavailable("others keep archiving this transcript", "Try again in a moment.")

    def _look(self, turns: Sequence[Turn], source: Source, place: Place, caller: Caller) -> Known:
        workspace_id = caller.workspace.id if caller.workspace else ""
        owner = owner_of(Scope.SESSION, workspace_id, caller.session_id or "")
        lines = [step.envelope.sha256 for turn in turns for step in turn.steps]
        with self._database.read() as db:
            ledger = Ledger(db)
            return Known(
                state=ledger.state(source.key),
                fates=ledger.fates(source.key, [turn.key for turn in turns]),
                lines=events.known(db, owner, lines),
                place=ledger.place(place.path),
            )


def fingerprint(path: Path, stop: int) -> str:
    """Hash of the beginning and the end of what was read of a file, as far as ``stop``.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(min(_EDGE, stop))
        file.seek(max(0, stop - _EDGE))
        tail = file.read(stop - file.tell())
    return hashlib.sha256(head + tail).hexdigest()


def _further(known: Place | None, place: Place) -> Place:
    """Where the reading goes on: never before where it stood in the same file."""
    if known is None or known.size > place.size or known.stop <= place.stop:
        return place
    same = fingerprint(Path(place.path), known.stop) == known.head_sha256
    return known if same else place


def _withheld(caller: Caller, source: Source) -> ignore.Ignore | None:
    workspace = caller.workspace
    if workspace is None or not workspace.path:
        return None
    return ignore.for_workspace(
        Path(workspace.path),
        worktree=Path(workspace.worktree) if workspace.worktree else None,
        cwd=Path(source.cwd) if source.cwd else None,
    )


def _named(source: Source, caller: Caller, *, explicit: bool) -> tuple[Source, Caller]:
    """Source and caller with the session that is archived: one of the two may not know it."""
    told, own = source.session_id, caller.session_id
    sound = bool(told) and told.isprintable() and len(told) <= _SESSION_CHARACTERS
    if sound and (explicit or own is None or not _is_of(source.path, own)):
        # Nobody's turns become another's by being handed in for them.
        caller = replace(caller, session_id=told)
    if not sound:
        source = replace(source, session_id=caller.session_id or "")
    return source, caller


def _is_of(path: Path, session_id: str) -> bool:
    """Whether a transcript bears the name of a session, as files with copied turns do."""
    return session_id in (*path.parts, path.stem) or path.stem.endswith(f"-{session_id}")


def _place(path: Path, name: str, stop: int) -> Place:
    head = fingerprint(path, stop)
    return Place(path=name, stop=stop, head_sha256=head, size=path.stat().st_size)


def _told(judged: Sequence[Judged], kept: Kept | None) -> Captured:
    """What became of some turns; nothing was kept of those that nothing was to be kept of."""
    left_out = kept.left_out if kept else {}
    fates = [
        left_out.get(one.taken.mark.key if one.taken else "", one.fate)
        for one in judged
        if not one.known
    ]
    skipped = Counter(str(fate) for fate in fates if fate is not Fate.CAPTURED)
    ids = kept.ids if kept else ()
    return Captured(
        seen=len(judged),
        new=len(fates) - skipped.total(),
        known=len(judged) - len(fates),
        records=len(ids),
        masked=kept.masked if kept else 0,
        refused=kept.refused if kept else 0,
        skipped=skipped,
        ids=ids,
    )
