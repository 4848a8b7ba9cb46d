"""Records as they are put into a context unasked: what each is worth stands on its line."""

from collections.abc import Mapping
from dataclasses import field

from memex_mcp.model.kinds import LEVELS, Author, Kind, Scope, Status
from memex_mcp.model.levels import Previews
from memex_mcp.model.record import Record
from memex_mcp.text.card import clip
from memex_mcp.text.fence import Format
from memex_mcp.text.fold import is_blank
from memex_mcp.values import dataclass

CHARACTERS = 9_000
"""Longest text for one event; clients cut or set aside what is longer."""

FRAMING = (
    "Background, not conversation: the current turn wins. memory_open(id) reads a record whole;"
    " correct a wrong one with memory_set_status or memory_write(supersedes=id)."
)
"""What the first line of a fence says besides; see ``fence.REFERENCE``."""

# Who writes notes on purpose.
_DECLARED = (Author.HUMAN, Author.AGENT, Author.FILE)
_TITLE = 120
_SOURCE = 80
_NAME = 40
_INDENT = "    "


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a text is put into a context.

    Attributes:
        policy: Whose records may be shown unasked.
        budget: Tokens that the text costs at most.
        form: How its fences are written.
        weights: What features of a recall are worth for the reader, where not what is usual.
    """

    policy: Previews = Previews.PREVIEWS
    budget: int
    form: Format = Format.XML
    weights: Mapping[str, float] = field(default_factory=dict)


def authors(policy: Previews) -> tuple[Author, ...]:
    """Whose notes alone a policy lets be shown unasked; none where it is not particular."""
    return _DECLARED if policy is Previews.STRICT else ()


def whole(record: Record, body: str) -> str:
    """A note with all of its text, indented: no line of it passes for another record."""
    lines = [f"- {record.id} {_marks(record)}"]
    title = _one_line(record.card.title, _TITLE)
    if not " ".join(body[: 2 * _TITLE].split()).startswith(title.rstrip("….。 ")):
        lines.append(f"{_INDENT}{title}")
    lines += [f"{_INDENT}{line.rstrip()}" for line in body.splitlines() if not is_blank(line)]
    return "\n".join(lines)


def pointer(record: Record, said: str = "") -> str:
    """One line that says what there is to open.

    Args:
        record: Its body is not needed.
        said: Part of the text, to tell by what it is about.
    """
    line = f"- {record.id} {_marks(record)} · {_one_line(record.card.title, _TITLE)}"
    return f"{line} | {said}" if said else line


def _marks(record: Record) -> str:
    what = record.type if record.kind is Kind.NOTE else record.kind
    who = f"by {record.author} ({_one_line(record.client, _NAME)})"
    marks = [what, record.status, record.trust, who, record.times.observed_at.date().isoformat()]
    if record.pinned:
        marks.append("pinned")
    if record.scope is not Scope.WORKSPACE:
        marks.append(f"{record.scope} {LEVELS.get(record.scope, '')}".rstrip())
    if record.status is Status.DISPUTED:
        marks.append("somebody says otherwise")
    if record.source:
        marks.append(f"source {_one_line(record.source, _SOURCE)}")
    return " · ".join(marks)


def _one_line(text: str, most: int) -> str:
    return clip(" ".join(text.split()), most)
