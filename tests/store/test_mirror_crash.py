"""What a killed or a second drain leaves behind."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from datetime import timedelta

import pytest

from memex_mcp.store import sheet
from tests.make import NOON, make_record
from tests.store.shelf import Shelf

LATER = NOON + timedelta(hours=1)


_KILLED = """
import os, signal, sys
from pathlib import Path
from memex_mcp.store import mirror
from memex_mcp.store.database import Database

home, point, nth = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
seen = 0
def watch(event, args):
    # Audit events of the interpreter name the points: a file opened, renamed, its time set.
    global seen
    if event == point and any(".tmp" in str(a) for a in args):
        seen += 1
        if seen == nth:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
mirror.drain(Database(home))
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
@pytest.mark.parametrize("point", ["open", "os.utime", "os.rename"])
@pytest.mark.parametrize("nth", [1, 2, 3, 5])
def test_killed_drain_leaves_whole_files_and_converges(shelf: Shelf, point: str, nth: int) -> None:
    kept = [shelf.put(make_record(body=f"body {number}\n" * 500)) for number in range(3)]
    shelf.drain()
    for record in kept:
        shelf.revise(record, make_record(id=record.id, version=2, body=f"new {record.body}"))
    shelf.database.close()

    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(shelf.home), point, str(nth)], check=False
    )

    assert done.returncode == -signal.SIGKILL
    assert len(shelf.queue()) == 3  # the batch commits as one
    for record in kept:
        assert sheet.parse(shelf.file(record).read_bytes()).record.version in (1, 2)
    # A change after the crash must not mistake the crash for a person's edit.
    last = shelf.revise(
        make_record(id=kept[0].id, version=2, body=f"new {kept[0].body}"),
        make_record(id=kept[0].id, version=3, body="last"),
    )
    assert shelf.drain() == 3
    assert sheet.parse(shelf.file(last).read_bytes()).record == last
    assert shelf.take() == []
    assert shelf.quarantine() == []
    assert not list(shelf.home.rglob("*.tmp"))


def test_two_processes_that_drain_at_once_do_no_harm(shelf: Shelf) -> None:
    made = [shelf.put(make_record(body=f"body {number}")) for number in range(60)]
    code = textwrap.dedent("""
        import sys
        from pathlib import Path
        from memex_mcp.store import mirror
        from memex_mcp.store.database import Database
        sys.stdin.readline()
        print(mirror.drain(Database(Path(sys.argv[1]))))
    """)
    with contextlib.ExitStack() as held:
        both = [
            held.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", code, str(shelf.home)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    encoding="utf-8",
                )
            )
            for _ in range(2)
        ]
        for process in both:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        done = [int(process.communicate(timeout=30)[0]) for process in both]

    assert sum(done) == 60
    assert shelf.queue() == []
    for record in made:
        assert sheet.parse(shelf.file(record).read_bytes()).record == record
    assert shelf.take() == []
