"""The pipe, from the client's end: every line is answered and nothing else comes out."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.card import card
from tests.server.wire import (
    DEADLINE,
    ROOT,
    TOY,
    Message,
    Wire,
    call,
    initialize,
    line,
    notification,
    request,
    told,
)

needs_posix = pytest.mark.skipif(os.name == "nt", reason="named pipes and shells of POSIX")


@pytest.fixture
def toy() -> Iterator[Wire]:
    with Wire(TOY) as wire:
        wire.shake_hands()
        yield wire


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "gate"
    os.mkfifo(path)
    return path


@card("server.stdout")
@pytest.mark.parametrize(
    ("tool", "stray"),
    [
        pytest.param("prints", "printed, flushed", id="print"),
        pytest.param("prints", "printed, left in the buffer", id="print without a flush"),
        pytest.param("writes_raw", "raw", id="file descriptor 1"),
        pytest.param("spawns", "from a child", id="child process"),
    ],
)
def test_stray_output_goes_to_stderr_and_the_answer_to_stdout(
    toy: Wire, tool: str, stray: str
) -> None:
    toy.send(call(1, tool), call(2, "echo", text="on the wire"))
    toy.close_input()
    answers = {message["id"]: message for message in toy.rest()}

    assert answers.keys() == {1, 2}
    assert told(answers[2]) == "on the wire"
    assert toy.wait() == 0
    assert stray in toy.stderr()


def test_child_process_cannot_read_the_clients_messages(toy: Wire) -> None:
    toy.send(call(1, "spawns"), call(2, "echo", text="still mine"))

    answers = {message["id"]: told(message) for message in (toy.read(), toy.read())}

    assert answers == {1: "the child read 0 characters", 2: "still mine"}


def test_bug_in_a_tool_is_an_error_and_not_the_end(toy: Wire) -> None:
    toy.send(call(1, "raises"), call(2, "echo", text="alive"))

    assert "error" in toy.answer(1)
    assert told(toy.answer(2)) == "alive"


def test_cancelled_call_stops_and_the_server_goes_on(toy: Wire) -> None:
    toy.send(call(1, "sleeps"))
    assert sleepers(toy, expected="1") == "1"

    toy.send(notification("notifications/cancelled", {"requestId": 1, "reason": "enough"}))

    assert sleepers(toy, expected="0") == "0"


def sleepers(wire: Wire, *, expected: str) -> str:
    """Ask how many calls sleep until it is as expected, or for long enough."""
    count = ""
    for step in range(1000):
        wire.send(call(f"ask {step}", "sleepers"))
        count = told(wire.answer(f"ask {step}"))
        if count == expected:
            break
    return count


def test_twenty_megabytes_come_in_and_five_go_out(toy: Wire) -> None:
    toy.send(call(1, "size", text="x" * 20_000_000))
    toy.send(call(2, "large", size=5_000_000))

    assert told(toy.answer(1)) == "20000000"
    assert len(told(toy.answer(2))) == 5_000_000


def test_client_that_writes_everything_before_it_reads_is_not_stuck() -> None:
    calls = [call(number, "large", size=2_000) for number in range(2_000)]
    conversation = b"".join(map(line, [initialize(), *calls]))
    with subprocess.Popen(
        TOY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        view = memoryview(conversation)
        while view:
            view = view[process.stdin.write(view) :]

        output, _ = process.communicate(timeout=DEADLINE)

    assert output.count(b"\n") == 2_001


@needs_posix
def test_sixty_blocked_calls_do_not_delay_a_ping(toy: Wire, fifo: Path) -> None:
    toy.send(*(call(number, "waits_for", path=str(fifo)) for number in range(60)))
    toy.send(request("ping", "ping"))

    first = toy.read()
    with fifo.open("wb"):
        rest = [toy.read() for _ in range(60)]

    assert first["id"] == "ping"
    assert sorted(message["id"] for message in rest) == list(range(60))


@pytest.mark.parametrize(
    "env",
    [
        pytest.param({"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"}, id="C locale"),
        pytest.param({"PYTHONIOENCODING": "cp1252"}, id="code page"),
        pytest.param({"PYTHONIOENCODING": "ascii:strict", "PYTHONUNBUFFERED": "1"}, id="ASCII"),
    ],
)
def test_wire_is_utf8_whatever_the_locale(env: dict[str, str]) -> None:
    with Wire(TOY, env=env) as wire:
        wire.shake_hands()
        wire.send(
            json.dumps(call(1, "echo", text="咖啡 é \U0001f600"), ensure_ascii=False).encode()
            + b"\n"
        )

        assert told(wire.answer(1)) == "咖啡 é \U0001f600"
        assert "咖啡 é \U0001f600".encode() in wire.raw[-1]
        assert not any(b"\r" in raw for raw in wire.raw)


def test_nothing_a_client_sends_is_worth_a_line_on_stderr(toy: Wire) -> None:
    silent: list[Message | bytes] = [
        b"{broken\n",
        b"[]\n",
        request("x", "no/such/method"),
        notification("no/such/note"),
    ]
    toy.send(*silent * 500, request("last", "ping"))
    assert toy.answer("last")["result"] == {}
    assert toy.stderr() == ""

    toy.send(call(1, "prints"))
    assert told(toy.answer(1)) == "printed"
    assert toy.stderr() != ""


def test_client_that_never_reads_stderr_is_served() -> None:
    with Wire(TOY, undrained_stderr=True) as wire:
        wire.shake_hands()
        for number in range(1_000):
            wire.send(b"{broken\n", request(number, "no/such/method"))

        wire.send(call("last", "echo", text="served"))

        assert told(wire.answer("last")) == "served"
