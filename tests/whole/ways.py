"""Every way by which words reach a store without a tool: what clients and people bring along."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.capture.homes import BEGAN, Exchange, write_conversation
from tests.hooks.payloads import context, payload
from tests.process import at_terminal, memex
from tests.whole.using import Place

CLIENT = "claude"


def said(text: str, number: int = 1) -> Exchange:
    """A turn that states something on a line of its own, between others."""
    words = f"Listen, for the {number}. time:\n{text}\nWhat do you make of it?"
    return Exchange(words, f"notes.txt says\n{text}", f"As you say.\n{text}\nNoted, then.")


def session_file(place: Place, name: str, turns: Sequence[Exchange], *, now: bool) -> Path:
    """A conversation as its client keeps it, of this moment or of long ago."""
    at = datetime.now(UTC) + timedelta(seconds=1) if now else BEGAN
    home = place.root.parent / f"home-{name}"
    return write_conversation(home, CLIENT, place.project, turns, session_id=name, at=at)


def hook(place: Place, event: str, name: str, **over: Any) -> str:
    """Run a hook of a session; returns what reaches its model."""
    typed = payload(CLIENT, event, cwd=place.project, session=name, **over)
    options = ["--client", CLIENT, "--root", str(place.root), "--timeout", "30"]
    ran = memex("hook", event, *options, typed=json.dumps(typed), cwd=place.project)
    assert (ran.code, ran.err) == (0, ""), ran
    return context(CLIENT, event, ran.out)


def by_hook(place: Place, name: str, turns: Sequence[Exchange]) -> None:
    """A session says something and stops."""
    hook(place, "stop", name, transcript=session_file(place, name, turns, now=True))


def by_compaction(place: Place, name: str, turns: Sequence[Exchange]) -> None:
    """A session says something and is compacted."""
    hook(place, "pre-compact", name, transcript=session_file(place, name, turns, now=True))


def by_backfill(place: Place, name: str, turns: Sequence[Exchange]) -> None:
    """Somebody has the conversations on disk archived."""
    session_file(place, name, turns, now=False)
    home = place.root.parent / f"home-{name}"
    ran = memex("backfill", CLIENT, "--home", str(home), "--root", str(place.root), "--json")
    assert ran.code == 0, ran


def _file(place: Place, name: str, turns: Sequence[Exchange]) -> str:
    lines = [f"- {line}" for turn in turns for line in turn.asked.splitlines()]
    path = place.project / f"{name}.md"
    path.write_text("# Rules\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def by_import(place: Place, name: str, turns: Sequence[Exchange]) -> None:
    """A program imports a file."""
    ran = memex("import", _file(place, name, turns), *place.arguments, "--json")
    assert ran.code == 0, ran


def by_persons_import(place: Place, name: str, turns: Sequence[Exchange]) -> None:
    """A person imports a file and stands behind it."""
    ran = at_terminal("import", _file(place, name, turns), "--accept", *place.arguments)
    assert ran.code == 0, ran


Way = Callable[[Place, str, Sequence[Exchange]], None]

EVIDENCE: dict[str, Way] = {
    "stop": by_hook,
    "pre-compact": by_compaction,
    "backfill": by_backfill,
}
"""Those that archive what was said."""

WAYS: dict[str, Way] = {
    **EVIDENCE,
    "import": by_import,
    "import at a terminal": by_persons_import,
}

SURFACES = {"stop": "hook", "pre-compact": "hook", "backfill": "import"}
"""The surface that stands on record for it; that of the command line where none is named."""
