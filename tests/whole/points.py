"""Names the points of a process's work from outside, and ends the process at one of them.

Nothing in the product knows of this: the interpreter tells of every file that is touched,
SQLite of every statement that begins.
"""

import os
import re
import signal
import sqlite3
import sys
from pathlib import Path
from types import FrameType

_FILES = {
    *("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.utime"),
    *("os.link", "os.symlink", "os.truncate", "shutil.rmtree", "shutil.copyfile"),
}
_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_NUMBER = re.compile(r"[0-9]{5,}\w*|(?<=/)\d+(?=\.md)|\d{4}-\d\d|[0-9a-f]{16}")
_VERB = re.compile(r"\s*(?P<inner>-- )?(?P<verb>[A-Z]+)", re.IGNORECASE)
_TABLE = re.compile(
    r"\b(?:INTO|UPDATE|FROM|TABLE|INDEX|TRIGGER|PRAGMA)\s+(?:IF NOT EXISTS )?"
    r"(?:'?main'?\.)?'?(\w+)",
    re.IGNORECASE,
)

COMMITTED = "COMMITTED"
"""The point right after the statement that commits."""


class Watch:
    """Watches this process from ``start`` on; there is no end to it.

    Args:
        home: Files below it are points.
        name: Point at which the process kills itself; empty to list the points only.
        nth: Which passing of that point, from 1.
    """

    def __init__(self, home: Path, name: str = "", nth: int = 0) -> None:
        self._home = str(home)
        self._name = name
        self._left = nth
        self._new: list[sqlite3.Connection] = []
        self.passed: list[str] = []

    def start(self) -> None:
        """Begin."""
        sys.addaudithook(self._heard)

    def _pass(self, name: str) -> None:
        self.passed.append(name)
        if name == self._name:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def _heard(self, event: str, args: tuple[object, ...]) -> None:
        if event == "sqlite3.connect/handle":
            # Told from within the constructor; the handle takes a callback only after it.
            self._new += [one for one in args if isinstance(one, sqlite3.Connection)]
            sys.setprofile(self._attach)
        elif event in _FILES and isinstance(args[0], str | os.PathLike):
            path = os.fspath(args[0])
            if isinstance(path, str) and path.startswith(self._home):
                relative = _ID.sub("ID", path[len(self._home) :].lstrip("/"))
                self._pass(f"{event} {_NUMBER.sub('N', relative) or '.'}")

    def _attach(self, frame: FrameType, event: str, argument: object) -> None:
        try:
            while self._new:
                self._new[-1].set_trace_callback(self._statement)
                self._new.pop()
        except sqlite3.ProgrammingError:
            return
        sys.setprofile(None)

    def _statement(self, sql: str) -> None:
        # Only functions in C and of this module may run here: see _after_commit.
        verb, table = _VERB.match(sql), _TABLE.search(sql)
        if verb is None:
            return
        inner = "inner " if verb["inner"] else ""
        name = verb["verb"].upper()
        if name == "COMMIT":
            self._pass(name)
            sys.setprofile(self._after_commit)
        else:
            self._pass(f"{inner}{name} {table[1] if table else ''}".strip())

    def _after_commit(self, frame: FrameType, event: str, argument: object) -> None:
        """The first thing that Python does outside this module comes after the statement."""
        if frame.f_globals is globals():
            return
        sys.setprofile(None)
        self._pass(COMMITTED)
