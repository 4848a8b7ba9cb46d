"""The ends that do not come through stdin."""

import os
import signal
import sys
from pathlib import Path

import pytest

from memex_mcp.server.watchdog import SIGNALS, guarded
from tests.card import card
from tests.server.wire import TOY, Wire, call, initialize, line, request, told

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")

STOPPING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", STOPPING, ids=lambda number: number.name)
@pytest.mark.parametrize("tool", ["echo", "sleeps"], ids=["idle", "busy"])
def test_signal_ends_the_process_after_its_clean_up(
    tmp_path: Path, number: signal.Signals, tool: str
) -> None:
    mark = tmp_path / "mark"
    with Wire((*TOY, "--mark", mark)) as wire:
        wire.shake_hands()
        wire.send(call(1, tool, text="x"), request(2, "ping"))
        wire.answer(2)
        assert not mark.exists()

        wire.process.send_signal(number)

        assert wire.wait() == 128 + number
        assert mark.read_text(encoding="utf-8") == "cleaned up"


def test_signal_ends_the_process_while_threads_are_blocked(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    with Wire(TOY) as wire:
        wire.shake_hands()
        wire.send(*(call(n, "waits_for", path=str(gate)) for n in range(20)))
        wire.send(request("ping", "ping"))
        wire.answer("ping")

        wire.process.send_signal(signal.SIGTERM)

        assert wire.wait() == 128 + signal.SIGTERM


def test_clean_up_that_hangs_is_given_up() -> None:
    with Wire((*TOY, "--hang")) as wire:
        wire.shake_hands()

        wire.process.send_signal(signal.SIGINT)

        assert wire.wait() == 128 + signal.SIGINT


def test_second_signal_does_not_wait_for_the_clean_up(tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    with Wire((*TOY, "--hang", "--mark", started)) as wire:
        wire.shake_hands()
        wire.process.send_signal(signal.SIGINT)
        # Opening the pipe waits until the clean-up writes into it.
        assert started.read_text(encoding="utf-8") == "cleaned up"

        wire.process.send_signal(signal.SIGTERM)

        assert wire.wait() == 128 + signal.SIGTERM


@card("server.ends")
def test_server_ends_with_its_parent_though_somebody_holds_the_pipe_open(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    launcher = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    ours_to_read, held_open = os.pipe()
    try:
        with Wire(
            (sys.executable, "-c", launcher, *TOY, "--mark", mark), stdin=ours_to_read
        ) as wire:
            os.write(held_open, line(initialize()) + line(call(1, "echo", text="alive")))
            assert told(wire.answer(1)) == "alive"
            assert not mark.exists()

            wire.process.kill()

            # The server held the last write end of stdout, so it has ended.
            assert wire.rest() == []
            assert mark.read_text(encoding="utf-8") == "cleaned up"
    finally:
        os.close(ours_to_read)
        os.close(held_open)


def test_server_ends_by_end_of_input_when_only_its_parent_held_the_pipe() -> None:
    launcher = (
        "import subprocess, sys; child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE);"
        "child.stdin.write(sys.stdin.buffer.read()); child.stdin.flush(); child.wait()"
    )
    with Wire((sys.executable, "-c", launcher, *TOY)) as wire:
        wire.send(initialize(), call(1, "echo", text="alive"))
        wire.close_input()
        assert told(wire.answer(1)) == "alive"

        wire.process.kill()

        assert wire.rest() == []


async def test_leaving_restores_the_earlier_signal_handlers() -> None:
    earlier = [signal.getsignal(number) for number in SIGNALS]

    async with guarded(lambda: None):
        within = [signal.getsignal(number) for number in SIGNALS]

    assert set(within).isdisjoint(earlier)
    assert [signal.getsignal(number) for number in SIGNALS] == earlier
