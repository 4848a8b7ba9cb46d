"""Failures of hooks, one line each: ids, codes and milliseconds, never what was said."""

import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_BYTES = 256 * 1024
_TOLD = re.compile(r"[\w.:@/+-]{1,80}")


def note(home: Path, facts: Mapping[str, object]) -> None:
    """Append a line to ``logs/hooks.log`` in the store, if the store can take it.

    Of a value that could be somebody's words only ``?`` is told.
    """
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    told = " ".join(f"{name}={_plain(str(value))}" for name, value in facts.items())
    with suppress(OSError):
        _append(home / "logs", f"{stamp} {told}\n".encode())


def _plain(value: str) -> str:
    return value if _TOLD.fullmatch(value) else "?"


def _append(folder: Path, line: bytes) -> None:
    # A store that is gone by now is not made again for the sake of its log.
    if not folder.is_dir():
        folder.mkdir(mode=0o700)
    file = folder / "hooks.log"
    if file.is_file() and file.stat().st_size > _BYTES:
        file.replace(folder / "hooks.log.1")
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(file, flags, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)
