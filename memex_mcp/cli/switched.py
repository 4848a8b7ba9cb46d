"""How levels, mode and master switch look to a person."""

from datetime import datetime

from memex_mcp.cli import look
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Scope
from memex_mcp.model.levels import Level, Mode, Standing

_WHOSE = {"session": "for this session", "workspace": "for this workspace", "default": "by default"}
_NAMES = {Level.L2: "L2 session", Level.L3: "L3 workspace"}


def show(standing: Standing, caller: Caller) -> None:
    """Print how the switches stand, and what holds something back."""
    levels = [(name, f"archive {turned(standing, level)}") for level, name in _NAMES.items()]
    look.show_table([*levels, *rows(standing)])
    if standing.allowed.why:
        look.show_dim(f"Held back: {standing.allowed.why}.")
    if caller.workspace is None:
        look.show(look.NOWHERE)


def rows(standing: Standing) -> list[tuple[str, str]]:
    """Mode, master switch and what follows, as rows of a table."""
    return [
        ("mode", f"{standing.mode} {_WHOSE[standing.mode_of]}"),
        ("memory", _memory(standing)),
        ("captures", _captures(standing)),
        ("recalls", "by itself, too" if standing.allowed.recall else "nothing by itself"),
    ]


def turned(standing: Standing, level: Level) -> str:
    """Whether a level is on, since when, and whether that counts."""
    since = standing.l2 if level is Level.L2 else standing.l3
    if since is None:
        return "off"
    held = "" if standing.max_levels in (level, "both") else ", but MEMEX_MAX_LEVELS keeps it off"
    return f"on since {_minute(since)}{held}"


def _memory(standing: Standing) -> str:
    if standing.paused:
        return "paused in the whole store"
    allowed = standing.allowed
    # The mode says so itself.
    stopped = not (allowed.read or allowed.write or standing.mode is Mode.OFF)
    return f"off: {allowed.why}" if stopped else "on"


def _captures(standing: Standing) -> str:
    parts = ["turns into L2"] if standing.allowed.spans else []
    if standing.allowed.checkpoints is not None:
        level = "L2" if standing.allowed.checkpoints is Scope.SESSION else "L3"
        parts.append(f"checkpoints into {level}")
    return ", ".join(parts) or "nothing"


def _minute(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
