import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memex_mcp.errors import Unavailable
from memex_mcp.store.lock import FileLock

HOLD = """
import sys, pathlib
from memex_mcp.store.lock import FileLock
with FileLock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""

COUNT = """
import sys, pathlib, threading
from memex_mcp.store.lock import FileLock
path = pathlib.Path(sys.argv[1])
shared = FileLock(path / "lock")

def count():
    for _ in range(25):
        with shared:
            number = int((path / "count").read_text(encoding="utf-8"))
            (path / "count").write_text(str(number + 1), encoding="utf-8")

threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_a_second_lock_on_the_same_file_waits_in_vain_until_the_first_is_released(
    tmp_path: Path,
) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock", timeout=0.02)

    with first, pytest.raises(Unavailable, match="another program"):
        second.acquire()
    with second:
        pass


def test_two_threads_that_share_one_lock_take_turns(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    told: list[str] = []

    def other() -> None:
        try:
            lock.acquire(timeout=0.02)
        except Unavailable:
            told.append("refused")
        else:
            lock.release()
            told.append("let in")

    with lock:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()

    assert told == ["refused", "let in"]


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Unavailable):
            FileLock(path).acquire(timeout=0.02)

        holder.kill()
        holder.wait()

        with FileLock(path):
            pass


def test_threads_of_many_processes_never_overlap(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0", encoding="utf-8")

    crowd = [subprocess.Popen([sys.executable, "-c", COUNT, str(tmp_path)]) for _ in range(4)]

    assert [process.wait() for process in crowd] == [0] * 4
    assert (tmp_path / "count").read_text(encoding="utf-8") == "200"


def test_a_lock_on_a_removed_file_keeps_no_newcomer_out_and_the_new_file_does(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lock"
    with FileLock(path):
        path.unlink()

        with FileLock(path, timeout=0.02), pytest.raises(Unavailable):
            FileLock(path).acquire(timeout=0.02)


def test_a_path_that_cannot_be_opened_is_unavailable_and_names_no_path(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    with pytest.raises(Unavailable) as caught:
        FileLock(tmp_path / "folder").acquire()

    assert str(tmp_path) not in caught.value.told()
    with FileLock(tmp_path / "file"):
        pass


def test_an_error_inside_the_block_releases_and_an_extra_release_is_harmless(
    tmp_path: Path,
) -> None:
    lock = FileLock(tmp_path / "lock", timeout=0.02)

    with pytest.raises(KeyError), lock:
        raise KeyError
    lock.release()

    with lock:
        pass


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_the_lock_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with FileLock(tmp_path / "lock"):
            pass
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600
