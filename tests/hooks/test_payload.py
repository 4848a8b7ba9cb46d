"""The command line and the input of a hook, whatever is in them."""

import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.hooks.payload import Asked, asked, parsed, received


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["stop"], Asked("stop")),
        (["stop", "--client", "codex"], Asked("stop", "codex")),
        (["--client=codex", "--root=/a b", "Stop"], Asked("Stop", "codex", "/a b")),
        (["--root", "/r", "stop", "--client"], Asked("stop", "", "/r")),
        ([], Asked()),
        (["--verbose", "stop", "more", "--new-option=1"], Asked("stop")),
        (["stop", "--root", ""], Asked("stop")),
    ],
)
def test_the_command_line_is_read_as_far_as_it_goes(given: list[str], found: Asked) -> None:
    assert asked(given) == found


def through_a_pipe(data: bytes) -> bytes:
    """What is received of some bytes, all of which the sender gets rid of."""
    ours, theirs = os.pipe()
    sent: list[int] = []

    def send() -> None:
        with os.fdopen(theirs, "wb") as pipe:
            sent.append(pipe.write(data))

    sender = threading.Thread(target=send)
    sender.start()
    try:
        return received(ours)
    finally:
        sender.join()
        os.close(ours)
        assert sent == [len(data)]


def test_a_payload_is_read_whole_and_more_than_any_payload_is_read_away() -> None:
    sixteen = 16 * 1024 * 1024

    assert through_a_pipe(b"") == b""
    assert through_a_pipe(b"x" * sixteen) == b"x" * sixteen
    assert through_a_pipe(b"x" * (sixteen + 1)) == b""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_every_encoding_of_unicode_is_understood(encoding: str) -> None:
    assert parsed('{"prompt": "端口 port"}'.encode(encoding)) == {"prompt": "端口 port"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b'"text"',
        b"{",
        b"\x00",
        b"\xff\xfe",
        b'{"a": 1} {"b": 2}',
        b"[" * 100_000,
        b'{"a": ' * 100_000,
        b"9" * 10_000,
    ],
    ids=lambda data: repr(data[:12]),
)
def test_what_holds_no_object_is_an_empty_payload(data: bytes) -> None:
    assert parsed(data) == {}
    assert parsed(b'{"a": 1}') == {"a": 1}


def test_bytes_that_are_no_text_do_not_spoil_the_rest() -> None:
    assert parsed(b'{"prompt": "caf\xe9", "cwd": "/p"}') == {"prompt": "caf�", "cwd": "/p"}


@given(st.binary(max_size=200))
def test_no_input_makes_reading_it_fail(data: bytes) -> None:
    assert isinstance(parsed(data), dict)
