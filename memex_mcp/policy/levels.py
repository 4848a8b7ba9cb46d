"""What may happen by itself, and on request, for one caller at one moment.

Levels are off until a person turns one on, and on from then on.  A mode says what a session
may do meanwhile, the master switch speaks for the whole store.  What cannot be read counts as
off: a slip must never widen what is captured or recalled.
"""

from collections.abc import Iterable
from datetime import datetime

from memex_mcp.model.kinds import Scope
from memex_mcp.model.levels import CHOICES, Allowed, Level, Levels, Mode, Previews, Standing
from memex_mcp.settings import Settings
from memex_mcp.values import dataclass

ON, OFF = "on", "off"

UNSET = "unset"
"""What the mode of a session is once it is forgotten: the workspace's counts again."""

L2, L3, MODE, MASTER = "l2", "l3", "mode", "master switch"

_MODES = frozenset(mode.value for mode in Mode)

KNOWN = {
    L2: frozenset({ON}),
    L3: frozenset({ON}),
    MODE: _MODES | {UNSET},
    MASTER: frozenset({ON, OFF}),
}
"""What each switch can be put to."""

_MUTE = frozenset({Mode.READ_ONLY, Mode.OFF})
_BLIND = frozenset({Mode.WRITE_ONLY, Mode.OFF})
_FAMILIES = frozenset({Mode.CHAT, Mode.WORK})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """A switch that was put to a value."""

    at: datetime
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What was switched for one caller; every switch in the order of its changes.

    Attributes:
        l2: The private archive, for every session of the workspace.
        l2_session: The private archive of the caller's session alone.
        l3: The shared archive of the workspace.
        mode: What the sessions of the workspace may do.
        mode_session: What the caller's session may do; wins over the workspace's unless it is
            ``unset``.
        master: The whole store, ``on`` or ``off``.
        unreadable: What of this cannot be read, in words; empty when all can.
    """

    l2: tuple[Turned, ...] = ()
    l2_session: tuple[Turned, ...] = ()
    l3: tuple[Turned, ...] = ()
    mode: tuple[Turned, ...] = ()
    mode_session: tuple[Turned, ...] = ()
    master: tuple[Turned, ...] = ()
    unreadable: str = ""

    def present(self, at: datetime) -> datetime:
        """``at``, or the time of the last change if a clock that went wrong made it later."""
        return max([at, *(turned.at for turned in self._all())])

    def flaw(self) -> str:
        """What cannot be read, in words, whatever was the cause; empty when all can."""
        if self.unreadable:
            return self.unreadable
        for switch, turns in (
            (L2, (*self.l2, *self.l2_session)),
            (L3, self.l3),
            (MODE, (*self.mode, *self.mode_session)),
            (MASTER, self.master),
        ):
            if any(turned.value not in KNOWN[switch] for turned in turns):
                return f"the {switch} on record cannot be read"
        return ""

    def _all(self) -> Iterable[Turned]:
        return (
            *(*self.l2, *self.l2_session, *self.l3),
            *(*self.mode, *self.mode_session, *self.master),
        )


def levels(history: History, at: datetime) -> Levels:
    """Which levels are on at a moment, and since when; for one session or all of them."""
    return Levels(
        l2=_since((*history.l2, *history.l2_session), at),
        l3=_since(history.l3, at),
    )


def mode(history: History, at: datetime) -> Mode:
    """The mode at a moment; ``off`` when what is on record is none."""
    value = _own_mode(history, at) or _value(history.mode, at) or Mode.AUTO
    return Mode(value) if value in _MODES else Mode.OFF


def paused(history: History, at: datetime) -> bool:
    """Whether the master switch is off at a moment, or cannot be read."""
    return _value(history.master, at) not in (None, ON)


def capped(level: Level, settings: Settings) -> bool:
    """Whether the environment keeps a level off, whatever its switch says."""
    return level not in CHOICES[settings.max_levels]


def allowed(history: History, at: datetime, settings: Settings) -> Allowed:
    """What one caller may do at a moment, and what holds the rest back.

    Settings count as they are now: only switches have a history.
    """
    stopped = _stopped(history, at, settings)
    if stopped:
        return Allowed(read=False, write=False, why=stopped)
    current = mode(history, at)
    on = effective(levels(history, at), settings)
    captures = current not in _MUTE and settings.capture
    return Allowed(
        spans=captures and on.l2 is not None,
        checkpoints=_checkpoints(on, settings) if captures else None,
        recall=current not in _BLIND and Previews(settings.recall) is not Previews.OFF,
        read=current not in _BLIND,
        write=current not in _MUTE,
        family=current.value if current in _FAMILIES else None,
        why="; ".join(_reasons(current, levels(history, at), settings)),
    )


def standing(history: History, at: datetime, settings: Settings) -> Standing:
    """How every switch stands at a moment, and what follows from that."""
    on = levels(history, at)
    workspace = "workspace" if _value(history.mode, at) else "default"
    return Standing(
        l2=on.l2,
        l3=on.l3,
        max_levels=settings.max_levels,
        mode=mode(history, at),
        mode_of="session" if _own_mode(history, at) else workspace,
        paused=paused(history, at),
        allowed=allowed(history, at, settings),
    )


def _stopped(history: History, at: datetime, settings: Settings) -> str:
    """Why nothing at all may happen, in words; empty when something may."""
    if settings.disabled:
        return settings.disabled
    if flaw := history.flaw():
        return flaw
    if paused(history, at):
        return "memory is paused"
    if mode(history, at) is Mode.OFF:
        return f"the mode of this {'session' if _own_mode(history, at) else 'workspace'} is off"
    return ""


def _own_mode(history: History, at: datetime) -> str | None:
    value = _value(history.mode_session, at)
    return None if value == UNSET else value


def _reasons(current: Mode, on: Levels, settings: Settings) -> Iterable[str]:
    if current in (Mode.READ_ONLY, Mode.WRITE_ONLY):
        yield f"the mode is {current}"
    if not settings.capture:
        yield "config.toml says capture.enabled = false"
    if Previews(settings.recall) is Previews.OFF:
        yield 'config.toml says recall.policy = "off"'
    held = [level for level in Level if _of(on, level) and capped(level, settings)]
    if held:
        yield f"MEMEX_MAX_LEVELS keeps {' and '.join(held)} off"
    left = effective(on, settings)
    if left == Levels() and not held:
        yield "no level is on"
    elif settings.capture_level == "l2" and left.l2 is None and left.l3 is not None:
        yield 'config.toml says capture.level = "l2", and l2 is off'


def effective(on: Levels, settings: Settings) -> Levels:
    """The levels that are on and may be."""
    return Levels(
        l2=None if capped(Level.L2, settings) else on.l2,
        l3=None if capped(Level.L3, settings) else on.l3,
    )


def _checkpoints(on: Levels, settings: Settings) -> Scope | None:
    """The deepest level that is on, or L2 at most; what is off takes nothing in its place."""
    if on.l3 is not None and settings.capture_level == "deepest":
        return Scope.WORKSPACE
    return Scope.SESSION if on.l2 is not None else None


def _of(on: Levels, level: Level) -> datetime | None:
    return on.l2 if level is Level.L2 else on.l3


def _since(turns: Iterable[Turned], at: datetime) -> datetime | None:
    """The first time a level was turned on, if it was by then; nothing turns it off."""
    times = (turned.at for turned in turns if turned.at <= at and turned.value == ON)
    return min(times, default=None)


def _value(turns: Iterable[Turned], at: datetime) -> str | None:
    """What a switch was last put to by then; the order of the changes counts, not their times."""
    last = None
    for turned in turns:
        last = turned.value if turned.at <= at else last
    return last
