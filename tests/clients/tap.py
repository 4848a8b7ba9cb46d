"""Run a stdio server and keep a copy of what its client sends: ``tap.py FILE COMMAND ARGUMENT…``.

The server takes over this process, so signals, exit codes, its output and its parent are those
of a server that the client started directly.  Only its input passes through a child that copies.
"""

import os
import sys

BLOCK = 65536


def copy(source: int, target: int, log: int) -> None:
    """Pass on every byte until either side closes."""
    while block := os.read(source, BLOCK):
        os.write(log, block)
        rest = memoryview(block)
        while rest:
            rest = rest[os.write(target, rest) :]


def main() -> None:
    """Split the input off, then become the server."""
    path, *command = sys.argv[1:]
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        os.close(read_end)
        # The client waits for the server's output to close: the copier must not hold it.
        for inherited in (1, 2):
            os.close(inherited)
        try:
            copy(0, write_end, log)
        except BrokenPipeError:
            pass
        finally:
            os._exit(0)
    os.close(write_end)
    os.close(log)
    os.dup2(read_end, 0)
    os.close(read_end)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
