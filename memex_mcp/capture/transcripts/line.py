"""What one line of a session file says, in the same shape for every client."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import IntEnum

from memex_mcp.errors import Invalid
from memex_mcp.model.times import parse_time
from memex_mcp.model.turn import Role
from memex_mcp.values import dataclass

Entry = Mapping[str, object]


class Ending(IntEnum):
    """Whether a line ends its turn."""

    NO = 0
    MAYBE = 1
    """It answers, and only what follows shows whether more was to come."""
    YES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one line says.

    Attributes:
        type: The client's own name for it; what skipped lines are counted under.
        role: None where the line is no conversation.
        begins: A turn begins with it.
        ends: A call that waits for its result outweighs a ``MAYBE`` and, unless ``cuts``, a
            ``YES``.
        cuts: It ends the turn even though a call has no result.
        message: Id of the message that it is a piece of; pieces of one message stay together.
    """

    type: str
    role: Role | None = None
    at: datetime | None = None
    text: str = ""
    prompt: bool = False
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    tool: str = ""
    files: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    begins: bool = False
    ends: Ending = Ending.NO
    cuts: bool = False
    message: str = ""


@dataclass(slots=True)
class SoFar:
    """What the current turn has said, for the lines that refer to it.

    Attributes:
        part: Of a sub-agent's transcript its id, else empty.
        turn: The client's own id of the turn, where it has one.
        tools: Names of the tools that were called, by the id of the call.
        said: What was put into words already, under keys that its client chooses.
    """

    part: str = ""
    turn: str = ""
    tools: dict[str, str] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)

    def anew(self) -> None:
        """Forget the turn: another one begins."""
        self.turn = ""
        self.tools.clear()
        self.said.clear()

    def first(self, key: str) -> bool:
        """Whether something is said for the first time in this turn; from now on it is not."""
        if key in self.said:
            return False
        self.said.add(key)
        return True

    def name_of(self, ids: tuple[str, ...]) -> str:
        """Names of the tools that these calls are for, each once."""
        names = dict.fromkeys(self.tools[each] for each in ids if each in self.tools)
        return ", ".join(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a session file says about itself, as far as it has been looked at."""

    session_id: str = ""
    part: str = ""
    cwd: str = ""
    branch: str = ""
    version: str = ""

    @property
    def complete(self) -> bool:
        """Whether looking further would tell nothing more that is needed."""
        return bool(self.session_id and self.cwd)


def table(value: object, *keys: str) -> Entry:
    """The object below these keys; an empty one where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """A list as it is; nothing, where the value is none."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """A text as it is; empty, where the value is none."""
    return value if isinstance(value, str) else ""


def moment(value: object) -> datetime | None:
    """A time as clients write it; None where it is missing or cannot be read."""
    try:
        return parse_time(value) if isinstance(value, str) and value else None
    except Invalid:
        return None
