"""How levels, mode and master switch look to a person."""

import argparse
from datetime import datetime

from memex_mcp.cli import look
from memex_mcp.cli.common import put
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Scope
from memex_mcp.model.levels import Level, Mode, Standing
from memex_mcp.retrieval.plain import plain

_WHOSE = {"session": "for this session", "workspace": "for this workspace", "default": "by default"}
_NAMES = {Level.L2: "L2 session", Level.L3: "L3 workspace"}


def report(args: argparse.Namespace, standing: Standing, caller: Caller) -> int:
    """Tell how the switches stand, as JSON or for people; returns the exit code."""
    if args.json:
        put(plain(standing))
    else:
        _show(standing, caller)
    return 0


def _show(standing: Standing, caller: Caller) -> None:
    """Print how the switches stand, and what holds something back."""
    levels = [(name, f"archive {turned(standing, level)}") for level, name in _NAMES.items()]
    look.show_table([*levels, *rows(standing)])
    if standing.allowed.why:
        look.show_dim(f"Held back: {standing.allowed.why}.{_next(standing)}")
    if caller.workspace is None:
        look.show(look.NOWHERE)


def rows(standing: Standing) -> list[tuple[str, str]]:
    """Mode, master switch and what follows, as rows of a table."""
    return [
        ("mode", f"{standing.mode} {_WHOSE[standing.mode_of]}"),
        ("memory", _memory(standing)),
        ("captures", _captures(standing)),
        ("recalls", _recalls(standing)),
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
    if allowed.read or allowed.write:
        return "on"
    return "off by its mode" if standing.mode is Mode.OFF else f"off: {allowed.why}"


def _captures(standing: Standing) -> str:
    parts = ["turns into L2"] if standing.allowed.spans else []
    if standing.allowed.checkpoints is not None:
        level = "L2" if standing.allowed.checkpoints is Scope.SESSION else "L3"
        parts.append(f"checkpoints into {level}")
    return ", ".join(parts) or "nothing"


def _recalls(standing: Standing) -> str:
    if standing.allowed.recall:
        return "by itself and when asked"
    return "only when asked" if standing.allowed.read else "nothing"


def _next(standing: Standing) -> str:
    """The command that ends what holds most back, after a space; none for what no command ends."""
    if standing.paused:
        return " `memex-mcp on` ends the pause."
    if standing.mode in (Mode.OFF, Mode.READ_ONLY, Mode.WRITE_ONLY):
        one = " --session ID" if standing.mode_of == "session" else ""
        return f" `memex-mcp mode auto{one}` ends the mode."
    if standing.l2 is None and standing.l3 is None and standing.allowed.write:
        return " `memex-mcp level on both`, at a terminal, turns the archives on."
    return ""


def _minute(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
