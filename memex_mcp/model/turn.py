"""A conversation as its client wrote it down: lines, and the turns that they make up."""

import hashlib
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from memex_mcp.values import dataclass


class Role(StrEnum):
    """Who speaks in a line of a transcript."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One line of a transcript, verbatim, and what it says.

    Attributes:
        type: The client's own name for the record (``user``, ``response_item/message`` …).
        at: When the client wrote it; None where it does not say.
        start: Byte offset of the line in its file.
        stop: Byte offset after it, its newline not counted.
        data: The line, decoded as UTF-8 with ``surrogateescape``, newline not included.
        sha256: Hexadecimal digest of the line's original bytes; stays when ``data`` is masked.
        masked: Something in ``data`` was replaced before it was stored.
    """

    role: Role
    type: str
    at: datetime | None = None
    start: int
    stop: int
    data: str
    sha256: str
    masked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one envelope contributes to a turn, in words.

    Attributes:
        envelope: The line that it comes from.
        text: What was said, called or returned, cleaned of what the client put around it.
        prompt: The text is the user's own words, which begin a turn.
        calls: Ids of tool calls that this step opens.
        results: Ids of tool calls that this step answers.
        tool: Name of the tool that is called or answers; empty in other steps.
        files: Paths that the call reads or changes.
        attachments: ``<media type> <bytes> bytes sha256:<digest> <reference>``, one for each;
            their bytes are kept nowhere else.
    """

    envelope: Envelope
    text: str = ""
    prompt: bool = False
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    tool: str = ""
    files: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a user asked and everything that followed until the next question.

    Attributes:
        steps: In the order of the file; never empty.
        closed: Nothing more will be added: every call has its result and there is an answer,
            or the next turn has begun.
    """

    steps: tuple[Step, ...]
    closed: bool

    @property
    def start(self) -> int:
        """Byte offset of the first line."""
        return self.steps[0].envelope.start

    @property
    def stop(self) -> int:
        """Byte offset after the last line."""
        return self.steps[-1].envelope.stop

    @property
    def key(self) -> str:
        """Hexadecimal digest over the digests of the lines: what makes a turn the same turn."""
        digests = "".join(step.envelope.sha256 for step in self.steps)
        return hashlib.sha256(digests.encode("ascii")).hexdigest()

    @property
    def began_at(self) -> datetime | None:
        """Time of the first line that has one."""
        return next((at for step in self.steps if (at := step.envelope.at)), None)

    @property
    def ended_at(self) -> datetime | None:
        """Time of the last line that has one."""
        return next((at for step in reversed(self.steps) if (at := step.envelope.at)), None)

    @property
    def asked(self) -> str:
        """The user's own words."""
        return "\n\n".join(step.text for step in self.steps if step.prompt and step.text)

    @property
    def answered(self) -> str:
        """The last thing that the assistant said in words."""
        said = (
            step.text
            for step in reversed(self.steps)
            if step.envelope.role is Role.ASSISTANT and step.text and not step.tool
        )
        return next(said, "")

    @property
    def files(self) -> tuple[str, ...]:
        """Paths that its tools touched, in order, each once."""
        return tuple(dict.fromkeys(path for step in self.steps for path in step.files))


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Which conversation a transcript holds.

    Attributes:
        client: ``claude``, ``codex``, ``gemini``, ``qwen`` or ``copilot``.
        session_id: The client's own id of the session.
        part: Empty for the session itself; the agent's id for a sub-agent's transcript.
        path: The file it was read from.
        cwd: Working directory that the transcript names; empty when it names none.
        branch: Git branch that it names, if any.
        version: Version of the client that wrote it, if it says.
    """

    client: str
    session_id: str
    part: str = ""
    path: Path
    cwd: str = ""
    branch: str = ""
    version: str = ""

    @property
    def key(self) -> str:
        """What the ledger knows it by; the same wherever the file lies."""
        return ":".join(filter(None, (self.client, self.session_id, self.part)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read of a transcript.

    Attributes:
        turns: Complete turns first, at most one open turn last.
        stop: Byte offset after the last line that was read whole.
        skipped: Lines that are no conversation, by record type; ``unreadable`` counts those
            that are no JSON object.
    """

    source: Source
    turns: tuple[Turn, ...]
    stop: int
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What became of the turns of one transcript or of many; all counts.

    Attributes:
        seen: Closed turns that were looked at.
        new: Turns that were archived now.
        known: Turns that had been archived before.
        records: Records that were created.
        masked: Secrets that were replaced, in lines, bodies and cards.
        refused: Drafts that carried a withdrawn value.
        skipped: Turns left out, by reason: ``before`` the level was on, ``parked`` while
            memory was off, ``ignored`` by .memexignore, ``empty``.
        lines: Transcript lines that are no conversation, by record type.
        ids: Records that were created, oldest first.
    """

    seen: int = 0
    new: int = 0
    known: int = 0
    records: int = 0
    masked: int = 0
    refused: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
