"""The switches of automatic memory: which archives are on, and what a session may do now."""

from datetime import datetime
from enum import StrEnum

from memex_mcp.model.kinds import Scope
from memex_mcp.values import dataclass


class Level(StrEnum):
    """An archive that can be switched on, and never off again."""

    L2 = "l2"
    L3 = "l3"


CHOICES = {"none": (), "l2": (Level.L2,), "l3": (Level.L3,), "both": tuple(Level)}
"""What people call some of the levels, on a command line or in the environment."""


class Mode(StrEnum):
    """What one session, or every session of a workspace, may do now."""

    AUTO = "auto"
    CHAT = "chat"
    WORK = "work"
    READ_ONLY = "read-only"
    WRITE_ONLY = "write-only"
    OFF = "off"


class Previews(StrEnum):
    """What a prompt may bring back by itself."""

    PREVIEWS = "previews"
    STRICT = "strict"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Which archives are on for a caller; None means off.

    Attributes:
        l2: Since when the session's private archive is on.
        l3: Since when the workspace's shared archive is on.
    """

    l2: datetime | None = None
    l3: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What may happen by itself for one caller at one moment.

    Attributes:
        spans: Turns are archived verbatim in L2.
        checkpoints: Scope in which what was asked and answered is kept; None for nowhere.
        recall: Something may be recalled without being asked for.
        read: Reading on request answers.
        write: Writing on request is taken.
        family: ``chat`` or ``work`` in those modes; what is captured carries it.
        why: What holds something back, in words; empty when nothing does.
    """

    spans: bool = False
    checkpoints: Scope | None = None
    recall: bool = False
    read: bool = True
    write: bool = True
    family: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How every switch stands for one caller.

    Attributes:
        l2: Since when the private archive is on; None means off.
        l3: Since when the shared archive is on.
        max_levels: ``none``, ``l2``, ``l3`` or ``both``: what the environment lets be on.
        mode: What counts for the caller.
        mode_of: Whose mode that is: ``session``, ``workspace``, or ``default``.
        paused: The whole store is switched off.
        allowed: What follows from all this.
    """

    l2: datetime | None
    l3: datetime | None
    max_levels: str
    mode: Mode
    mode_of: str
    paused: bool
    allowed: Allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """What hooks put into the context of one session since it began or was compacted.

    Attributes:
        tokens: At most so many, as the budgets of hooks count.
        blocks: Texts that were put there.
    """

    tokens: int = 0
    blocks: int = 0
