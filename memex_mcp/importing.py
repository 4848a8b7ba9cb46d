"""Notes from Markdown files that people keep for their agents, again and again without doubles.

A statement is known by its words.  One that was edited in its file revises the note that it
was; one that is gone from it leaves its note alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from memex_mcp.capture import found, ignore, markdown_notes
from memex_mcp.capture.edited import Said, edited
from memex_mcp.capture.markdown_notes import Statement
from memex_mcp.errors import Denied, Refused
from memex_mcp.model.caller import Caller, Workspace
from memex_mcp.model.counts import plus
from memex_mcp.model.kinds import Author, Status, Trust
from memex_mcp.model.record import Draft, Record
from memex_mcp.policy.admission import admit
from memex_mcp.policy.authorise import check_enabled, check_writer
from memex_mcp.policy.keys import value_key
from memex_mcp.settings import Settings
from memex_mcp.store import records, sources
from memex_mcp.store.database import Database
from memex_mcp.switches import Switches
from memex_mcp.text.card import SUMMARY
from memex_mcp.values import dataclass
from memex_mcp.writing import Writer

_SETTLED = {Status.SUPERSEDED, Status.ARCHIVED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of the statements of some files; all counts.

    Attributes:
        files: Files that were read.
        statements: What they say.
        new: Statements that became a note.
        revised: Statements that changed since they were imported.
        known: Statements that are on record already.
        refused: Statements that were withdrawn here.
        masked: Secrets that were replaced.
        gone: Notes whose statement is in their file no more; they stay as they are.
        left_out: Parts of the files that are no statements, by reason.
        skipped: Files that were not read, by reason.
        ids: Notes that were created or changed.
    """

    files: int = 0
    statements: int = 0
    new: int = 0
    revised: int = 0
    known: int = 0
    refused: int = 0
    masked: int = 0
    gone: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    ids: tuple[str, ...] = ()


class Importing:
    """Takes Markdown files into one store."""

    def __init__(
        self, settings: Settings, database: Database, writer: Writer, switches: Switches
    ) -> None:
        self._settings = settings
        self._database = database
        self._writer = writer
        self._switches = switches

    def run(self, paths: Sequence[Path], caller: Caller) -> Imported:
        """Import files and the Markdown files in folders.

        Where a person imports, the notes are theirs; else they are candidates for a person.

        Args:
            paths: Files, and folders in which hidden ones are passed over.
            caller: Into whose workspace.

        Raises:
            Invalid: A path leads nowhere.
            Denied: There is no workspace, or it may not be written to.
            Disabled: Memory is off for the caller.
        """
        check_enabled(self._settings)
        check_writer(caller)
        if caller.workspace is None:
            raise Denied(
                "there is no workspace to import into",
                "Go to a project folder, or pass --workspace.",
            )
        return self._import(found.files(paths), caller, caller.workspace)

    def _import(self, chosen: Sequence[Path], caller: Caller, workspace: Workspace) -> Imported:
        # A hand edit of a file in the store passes every mode; an import is somebody's deed.
        deed = replace(caller, writes_as=Author.AGENT)
        with self._database.read() as db:
            self._switches.check_writing(db, deed)
        root = Path(workspace.path)
        tree = Path(workspace.worktree) if workspace.worktree else None
        withheld = ignore.for_workspace(root, worktree=tree)
        told = Imported()
        for path in chosen:
            text, reason = ("", "ignored") if withheld.withholds(str(path)) else found.text(path)
            if reason:
                told = plus(told, Imported(skipped={reason: 1}))
                continue
            said = markdown_notes.read(text)
            name = found.named(path, [root, tree or root], Path.home())
            taken = self._take(name, said.statements, caller)
            told = plus(told, replace(taken, left_out=said.left_out))
        return told

    def _take(self, name: str, statements: Sequence[Statement], caller: Caller) -> Imported:
        """Bring the notes of one file up to date."""
        lines = [self._line(each, name, caller) for each in statements]
        owner = f"w:{caller.workspace.id}" if caller.workspace else ""
        with self._database.read() as db:
            old = sources.from_file(db, owner, name)
            there = {line.key: records.find_by_value(db, line.key, owner) for line in lines}
        old = [each for each in old if each.value_key not in there]
        # What is said twice in one file is one note.
        first: dict[str, _Line] = {}
        for line in lines:
            first.setdefault(line.key, line)
        fresh = [line for line in first.values() if not _is_known(there[line.key], caller)]
        came = [line for line in fresh if not there[line.key]]
        pairs = edited(
            [_said(each) for each in old],
            [Said(line.statement.heading, line.text) for line in came],
        )
        revised = {came[at].key: old[was].id for at, was in pairs.items()}
        drafts = [replace(line.draft, id=revised.get(line.key)) for line in fresh]
        written = self._writer.write(drafts, caller) if drafts else []
        done = [
            (line, outcome.id)
            for line, outcome in zip(fresh, written, strict=True)
            if not isinstance(outcome, Refused)
        ]
        changed = sum(line.key in revised for line, _ in done)
        return Imported(
            files=1,
            statements=len(statements),
            new=len(done) - changed,
            revised=changed,
            known=len(lines) - len(fresh),
            refused=len(fresh) - len(done),
            masked=sum(line.masked for line, _ in done),
            gone=len(old) - len(pairs),
            ids=tuple(record_id for _, record_id in done),
        )

    def _line(self, statement: Statement, name: str, caller: Caller) -> "_Line":
        draft = Draft(
            text=statement.text,
            type=statement.type,
            title=statement.title,
            summary=_bare(statement),
            source=f"{name}:{statement.line}",
            propose=not caller.human,
        )
        # Title and summary say what the text says; a secret in all of them is one.
        bare = replace(draft, title="", summary="")
        admitted = admit(bare, caller, secrets=self._settings.secrets)
        return _Line(
            statement=statement,
            draft=draft,
            text=admitted.draft.text,
            key=value_key(admitted.owner, admitted.draft.text),
            masked=len(admitted.masked),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A statement on its way: as it would be stored, and by what it is known."""

    statement: Statement
    draft: Draft
    text: str
    key: str
    masked: int


def _is_known(there: Sequence[Record], caller: Caller) -> bool:
    """Whether nothing is left to do about a value: for a person, one of them stands behind it."""
    for record in there:
        if record.status in _SETTLED:
            return True
        if record.status is Status.RETRACTED:
            continue
        if not caller.human or (
            record.trust is Trust.VERIFIED and record.status is not Status.CANDIDATE
        ):
            return True
    return False


def _bare(statement: Statement) -> str:
    """The statement by itself: what was withdrawn without a heading is refused below one."""
    bare = " ".join(statement.text.removeprefix(statement.heading).lstrip(" :\n").split())
    return bare if len(bare) <= SUMMARY else ""


def _said(record: Record) -> Said:
    """A note as the file said it: its title begins with the heading."""
    heading, separator, _ = record.card.title.partition(": ")
    return Said(heading if separator else "", record.body)
