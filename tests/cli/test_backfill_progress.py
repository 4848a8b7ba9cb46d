"""A backfill that a person watches, or breaks off."""

import contextlib
import re
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from memex_mcp.backfill import Asked, Report
from memex_mcp.memory import Memory
from tests.capture.homes import Exchange, write_conversation
from tests.cli.using import posix, until
from tests.process import COMMAND, DEADLINE, at_terminal, memex

TURN = Exchange("Which port does staging use?", "listen 6543", "Staging listens on port 6543.")


def conversations(home: Path, project: Path, count: int) -> None:
    for number in range(count):
        write_conversation(home, "claude", project, [TURN], session_id=f"s-{number}")


def archived(root: Path) -> int:
    """Turns that the store knows; 0 while there is no store."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{root}/memex.db?mode=ro", uri=True)) as db:
            return int(db.execute("SELECT count(*) FROM capture_turn").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@posix
def test_a_terminal_shows_how_far_it_is_and_a_pipe_does_not(
    root: Path, project: Path, tmp_path: Path
) -> None:
    conversations(tmp_path / "people", project, 4)
    where = ("--root", str(root), "--home", str(tmp_path / "people"))

    ran = at_terminal("backfill", *where)

    shown = re.findall(r"\r\[([#.]{20})\] (\d) of 4 sessions, (\d) new turns? +", ran.out)
    assert [(int(done), int(new)) for _, done, new in shown] == [(n, n) for n in range(5)]
    assert (shown[0][0], shown[-1][0]) == ("." * 20, "#" * 20)
    assert "Archived 4 turns of 4 sessions." in ran.out
    assert memex("backfill", *where).err == ""


def test_what_was_done_before_a_run_broke_off_is_known_to_the_next(
    memory: Memory, project: Path, tmp_path: Path
) -> None:
    conversations(tmp_path / "people", project, 5)
    asked = Asked(clients=["claude", "codex"], home=tmp_path / "people")

    def breaks(report: Report) -> None:
        if report.left == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.backfill.run(asked, breaks)

    assert archived(memory.settings.home) == 3
    total = memory.backfill.run(asked).total
    assert (total.new, total.known, total.turns.new, total.turns.known) == (2, 3, 2, 3)


@posix
def test_an_interrupt_says_what_was_done(root: Path, project: Path, tmp_path: Path) -> None:
    conversations(tmp_path / "people", project, 150)
    where = ("--root", str(root), "--home", str(tmp_path / "people"))

    with subprocess.Popen(
        [*COMMAND, "backfill", *where], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        until(process, lambda: archived(root) >= 5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=DEADLINE)

    assert process.returncode == 130
    told = re.search(rb"Broken off after (\d+) sessions with (\d+) new turns; run it again", said)
    assert told
    assert 4 <= int(told[1]) == int(told[2]) < 150
    rest = memex("backfill", *where, "--json").json["total"]["turns"]
    assert rest["new"] + rest["known"] == 150
    assert rest["known"] >= int(told[2])
