"""Stores that can only be read, also by root."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534


def freeze(home: Path) -> None:
    """Take the right to write away; root keeps it unless it acts as ``nobody``."""
    for path in (*home.rglob("*"), home):
        if os.geteuid() == 0:
            os.chown(path, _NOBODY, _NOBODY)
        path.chmod(0o500 if path.is_dir() else 0o400)


@contextmanager
def nobody() -> Iterator[None]:
    """Act as a user without rights, where this one is root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@contextmanager
def frozen(home: Path) -> Iterator[None]:
    """A store that can only be read for as long as the block runs."""
    freeze(home)
    try:
        with nobody():
            yield
    finally:
        for path in (home, *home.rglob("*")):
            path.chmod(0o700)
