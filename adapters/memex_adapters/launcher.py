"""A command that stays where it is when the installation behind it moves.

Clients keep the path that they are given, and Codex asks its user anew when a hook's command line
changes.  So where the running command lies in a virtual environment, a cache or a folder named
after a version, clients get the path of a small script that runs it; an upgrade rewrites the
script alone.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from memex_adapters.errors import Unclear
from memex_adapters.pieces import Whole
from memex_adapters.place import Place

_MARK = "# memex launcher: "
_RUNS = re.compile(r"^\[ -x (.+) \] && exec ", re.MULTILINE)
_BINS = ("/usr/local/bin", "/usr/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin")
_THROWN_AWAY = ("archive-v0", "environments-v2", ".cache", "tmp", "temp", ".tox", ".nox")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What clients are told to start.

    Attributes:
        command: Absolute path for every entry.
        script: The launcher to be written there; ``None`` when the command is stable itself.
        warning: What may go wrong with it, for people; empty when nothing.
    """

    command: str
    script: Whole | None = None
    warning: str = ""


def choose(running: Path, place: Place) -> Chosen:
    """The path that clients get for the command that runs now.

    Args:
        running: Absolute path of the installed command, its links not followed.
        place: Whose home it is.

    Raises:
        Unclear: Something else lies where the launcher belongs.
    """
    if place.system == "win32" or is_stable(running, place):
        # Windows programs cannot start a script as if it were a program.
        return Chosen(command=str(running))
    path = _path(place)
    if path.is_symlink() or path.exists():
        if path.resolve() == running.resolve():
            return Chosen(command=str(path))
        if not path.exists():
            raise Unclear(f"{path} is a link to a program that is gone", "Remove the link first.")
        if not is_launcher(path):
            raise Unclear(
                f"{path} is another installation of memex, or another program",
                "Run that one, or name the command for your clients with --command.",
            )
    warning = ""
    if not set(_THROWN_AWAY).isdisjoint(part.lower() for part in running.parts):
        warning = f"{running} lies in a place that is cleaned up; install memex to stay."
    return Chosen(command=str(path), script=script(place, running), warning=warning)


def script(place: Place, running: Path | None = None) -> Whole:
    """The launcher as a piece; without a command it is one to be taken out."""
    return Whole(
        path=_path(place),
        body=_script(running) if running else "",
        mark=_MARK,
        what="launcher",
        mode=0o755,
    )


def is_stable(running: Path, place: Place) -> bool:
    """Whether a command lies in a folder for commands, which upgrades leave in place."""
    folders = [*map(Path, _BINS), place.home / ".local" / "bin", place.home / "bin"]
    return running.parent in folders and not is_launcher(running)


def is_launcher(path: Path) -> bool:
    """Whether a file is a launcher of ours."""
    try:
        with path.open("rb") as file:
            return _MARK.encode() in file.read(200)
    except OSError:
        return False


def missing(command: str) -> str:
    """What is not there of a command and, for a launcher, of the program that it runs.

    Returns:
        Its path; empty when all is there, or the command is no path.
    """
    path = Path(command)
    if path.name == command:
        return ""
    if not path.exists():
        return command
    text = path.read_text(encoding="utf-8") if is_launcher(path) else ""
    program = "".join(shlex.split(found[1])) if (found := _RUNS.search(text)) else ""
    return program if program and not Path(program).exists() else ""


def _path(place: Place) -> Path:
    return place.home / ".local" / "bin" / "memex-mcp"


def _script(running: Path) -> str:
    command = shlex.quote(str(running))
    return (
        "#!/bin/sh\n"
        f"{_MARK}runs the installed command; `memex-mcp init` rewrites it.\n"
        f'[ -x {command} ] && exec {command} "$@"\n'
        "# A hook whose program is gone must not disturb the session.\n"
        '[ "$1" = hook ] && exit 0\n'
        'echo "memex-mcp is no longer installed; install it and run memex-mcp init" >&2\n'
        "exit 127\n"
    )
