"""The page of context that is assembled for one question."""

from datetime import datetime

from memex_mcp.model.kinds import Author, Kind, NoteType, Scope, State, Status, Trust
from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Part of one record, with what a reader needs to judge it.

    Attributes:
        text: The body from character ``start`` to ``stop``, as it is.
        more: The body goes on behind it.
        why: ``pinned``, ``stable`` (holds whatever is asked) or ``hit``.
        expired: The record's time had run out at the moment of the question.
        replaced_by: Set on superseded records.
    """

    id: str
    title: str
    text: str
    start: int
    stop: int
    more: bool
    why: str
    kind: Kind
    type: NoteType
    status: Status
    trust: Trust
    author: Author
    client: str
    scope: Scope
    source: str
    recorded_at: datetime
    expired: bool = False
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What is worth reading before a question is answered, within a budget.

    Attributes:
        state: As of the search; without a question, whether there is anything to show.
        text: The whole page as a model reads it: fenced, every excerpt with its id.
        tokens: What ``text`` costs, counted with ``token_method``; never more than the budget.
        excerpts: In the order of the page: pinned and stable records, then hits, best first.
        left_out: Hits that did not fit.
        skipped: Steps that could not run; the page is poorer, not wrong.
    """

    state: State
    text: str
    tokens: int
    token_method: str
    excerpts: tuple[Excerpt, ...] = ()
    left_out: int = 0
    hint: str | None = None
    skipped: tuple[str, ...] = ()
