"""How a conversation ends: whatever was asked is answered, then the process exits with 0."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.card import card
from tests.server.wire import (
    DEADLINE,
    ROOT,
    TOY,
    Wire,
    call,
    initialize,
    line,
    modern,
    notification,
    request,
    told,
)

needs_posix = pytest.mark.skipif(os.name == "nt", reason="named pipes and shells of POSIX")

# Longer than any test waits: whoever ends earlier did not wait for the drain.
PATIENT = (*TOY, "--drain", "600")


@card("server.last_request")
@pytest.mark.parametrize("newline", [b"\n", b""], ids=["newline", "no newline"])
def test_last_piped_request_is_answered_and_the_exit_is_clean(newline: bytes) -> None:
    opening = line(initialize()) + line(notification("notifications/initialized"))
    last = line(call(1, "echo", text="last words")).rstrip(b"\n") + newline

    done = subprocess.run(
        TOY, input=opening + last, capture_output=True, cwd=ROOT, timeout=DEADLINE, check=False
    )

    assert done.stdout.count(b"\n") == 2
    assert b"last words" in done.stdout.splitlines()[-1]
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_input_at_all_is_a_clean_exit() -> None:
    done = subprocess.run(
        TOY, input=b"", capture_output=True, cwd=ROOT, timeout=DEADLINE, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@needs_posix
def test_call_in_flight_at_end_of_input_is_answered(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    with Wire(PATIENT) as wire:
        wire.shake_hands()
        wire.send(call(1, "waits_for", path=str(gate)))
        wire.close_input()

        with gate.open("wb"):
            answer = wire.answer(1)

        assert told(answer) == "opened"
        assert wire.wait() == 0


@needs_posix
def test_two_calls_of_one_id_are_both_waited_for(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    with Wire(PATIENT) as wire:
        wire.shake_hands()
        wire.send(call(7, "waits_for", path=str(gate)), call(7, "echo", text="first"))
        wire.close_input()
        first = wire.answer(7)

        with gate.open("wb"):
            second = wire.answer(7)

        assert (told(first), told(second)) == ("first", "opened")
        assert wire.wait() == 0


@needs_posix
@pytest.mark.parametrize("tool", ["sleeps", "waits_for"], ids=["asleep", "in a thread"])
def test_call_that_never_ends_is_given_up_after_the_drain(tmp_path: Path, tool: str) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    with Wire((*TOY, "--drain", "0.1")) as wire:
        wire.shake_hands()
        wire.send(call(1, tool, path=str(gate)), call(2, "echo", text="quick"))
        wire.close_input()
        answers = {message["id"]: message for message in wire.rest()}

        assert answers[1]["error"]["code"] == -32000
        assert told(answers[2]) == "quick"
        assert wire.wait() == 0


def test_cancelled_call_does_not_hold_up_the_end() -> None:
    with Wire(PATIENT) as wire:
        wire.shake_hands()
        wire.send(call(1, "sleeps"), notification("notifications/cancelled", {"requestId": 1}))
        wire.send(call(2, "echo", text="x"))
        wire.close_input()

        assert [message["id"] for message in wire.rest()] == [2]
        assert wire.wait() == 0


def test_open_subscription_does_not_hold_up_the_end() -> None:
    listen = request(1, "subscriptions/listen", {"notifications": {"resourcesListChanged": True}})
    with Wire(PATIENT) as wire:
        wire.send(modern(listen))
        assert wire.read()["method"] == "notifications/subscriptions/acknowledged"
        wire.close_input()

        assert wire.wait() == 0


def test_client_that_closes_only_stdout_causes_no_trace_and_a_clean_exit() -> None:
    with subprocess.Popen(
        PATIENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=ROOT,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(line(initialize()))
        assert b'"toy"' in process.stdout.readline()

        process.stdout.close()
        process.stdin.write(b"".join(line(call(n, "echo", text="x")) for n in range(5)))
        process.stdin.close()

        assert process.wait(DEADLINE) == 0
        assert process.stderr.read() == b""


def test_client_that_reads_nothing_does_not_keep_the_server_alive() -> None:
    never_read, theirs = os.pipe()
    with subprocess.Popen(
        (*TOY, "--drain", "0.1"), stdin=subprocess.PIPE, stdout=theirs, bufsize=0, cwd=ROOT
    ) as process:
        os.close(theirs)
        assert process.stdin is not None
        process.stdin.write(line(initialize()) + line(call(1, "large", size=1_000_000)))
        process.stdin.close()

        code = process.wait(DEADLINE)
        with os.fdopen(never_read, "rb") as unread:
            opening = unread.readline()

    assert b'"toy"' in opening
    assert code == 0


@needs_posix
@pytest.mark.parametrize(
    ("redirection", "lines"),
    [
        pytest.param("<&-", 0, id="no stdin"),
        pytest.param(">&-", 0, id="no stdout"),
        pytest.param("2>&-", 2, id="no stderr"),
    ],
)
def test_closed_standard_stream_does_not_let_strays_onto_the_wire(
    redirection: str, lines: int
) -> None:
    opening = line(initialize()) + line(call(1, "prints"))

    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *TOY],
        input=opening,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        timeout=DEADLINE,
        check=False,
    )

    assert done.stdout.count(b"\n") == lines
    assert done.stdout.count(b'"text":"printed"') == lines // 2
    assert b"printed, flushed" not in done.stdout
    assert done.returncode == 0
