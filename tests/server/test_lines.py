"""One line at a time: odd ones are understood, bad ones answered, and the server goes on."""

from collections.abc import Iterator

import pytest

from tests.card import card
from tests.server.wire import (
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


@pytest.fixture(scope="module")
def sturdy() -> Iterator[Wire]:
    """Return one server that outlives everything these tests throw at it."""
    with Wire(TOY) as wire:
        wire.shake_hands()
        yield wire


def echo(text: bytes, *, request_id: bytes = b"1") -> bytes:
    """Return a call as bytes, so that the text can hold what no encoder would write."""
    head = b'{"jsonrpc":"2.0","id":' + request_id + b',"method":"tools/call","params":'
    return head + b'{"name":"echo","arguments":{"text":"' + text + b'"}}}'


def test_lone_surrogate_in_an_answer_is_replaced_and_the_server_lives(sturdy: Wire) -> None:
    sturdy.send(call(1, "surrogate"), request(2, "ping"))

    assert told(sturdy.answer(1)) == "a\ufffdb \U0001f600"
    assert sturdy.answer(2)["result"] == {}


@pytest.mark.parametrize(
    ("sent", "heard"),
    [
        pytest.param(rb"x\ud800y", "x\ufffdy", id="high half alone"),
        pytest.param(rb"x\uDFFFy", "x\ufffdy", id="low half alone"),
        pytest.param(rb"\ude00\ud83d", "\ufffd\ufffd", id="halves in the wrong order"),
        pytest.param(rb"\ud83d\ude00", "\U0001f600", id="whole pair"),
        pytest.param(rb"\ud83d\ud83d\ude00", "\ufffd\U0001f600", id="half before a pair"),
        pytest.param(rb"\\ud800", r"\ud800", id="backslash and letters"),
        pytest.param(b"x\xed\xa0\x80y", "x\ufffd\ufffd\ufffdy", id="surrogate in UTF-8"),
        pytest.param(b"x\xffy\xe5\x92", "x\ufffdy\ufffd", id="invalid UTF-8"),
        pytest.param("咖啡 \u2028\x85".encode(), "咖啡 \u2028\x85", id="Unicode line ends"),
        pytest.param(rb"nul \u0000 here", "nul \0 here", id="NUL"),
    ],
)
def test_text_arrives_whole_or_visibly_mended(sturdy: Wire, sent: bytes, heard: str) -> None:
    sturdy.send(echo(sent) + b"\n")

    assert told(sturdy.answer(1)) == heard


@pytest.mark.parametrize(
    "framed",
    [
        pytest.param(b"\xef\xbb\xbf%b\n", id="byte order mark"),
        pytest.param(b"%b\r\n", id="CRLF"),
        pytest.param(b"\n\r\n  \n%b\n\n", id="blank lines"),
        pytest.param(b"  \t%b  \n", id="spaces around"),
    ],
)
def test_odd_framing_is_understood(sturdy: Wire, framed: bytes) -> None:
    sturdy.send(framed % echo(b"heard"))

    assert told(sturdy.answer(1)) == "heard"


def test_byte_order_mark_before_the_first_message_is_stripped() -> None:
    with Wire(TOY) as wire:
        wire.send(b"\xef\xbb\xbf" + line(initialize()))

        assert wire.answer(0)["result"]["serverInfo"]["name"] == "toy"


@card("server.bad_lines")
@pytest.mark.parametrize(
    ("sent", "code", "request_id"),
    [
        pytest.param(b"{broken", -32700, None, id="no JSON"),
        pytest.param(b"Content-Length: 2\r", -32700, None, id="header of another protocol"),
        pytest.param(b'{"a": "\x01"}', -32700, None, id="control character in a string"),
        pytest.param(b"[" * 100_000, -32700, None, id="nested without end"),
        pytest.param(b"42", -32600, None, id="number"),
        pytest.param(b"null", -32600, None, id="null"),
        pytest.param(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None, id="batch"),
        pytest.param(b"[]", -32600, None, id="empty batch"),
        pytest.param(b"{}", -32600, None, id="empty object"),
        pytest.param(b'{"jsonrpc":"2.0","id":5}', -32600, 5, id="no method"),
        pytest.param(b'{"jsonrpc":"2.0","id":"a","method":3}', -32600, "a", id="method a number"),
        pytest.param(b'{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, 5, id="version 1.0"),
        pytest.param(b'{"id":5,"method":"ping"}', -32600, 5, id="no version"),
        pytest.param(
            b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', -32600, 5, id="params a list"
        ),
        pytest.param(b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None, id="id null"),
        pytest.param(b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None, id="id 1.5"),
        pytest.param(b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None, id="id true"),
    ],
)
def test_line_that_is_no_request_gets_an_error_and_the_next_one_its_answer(
    sturdy: Wire, sent: bytes, code: int, request_id: int | str | None
) -> None:
    sturdy.send(sent + b"\n", request("next", "ping"))
    refused, answered = sturdy.read(), sturdy.read()

    assert (refused["error"]["code"], refused["id"]) == (code, request_id)
    assert (answered["id"], answered["result"]) == ("next", {})


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(notification("notifications/unheard_of"), id="unknown notification"),
        pytest.param(b'{"jsonrpc":"2.0","method":"ping"}\n', id="request without an id"),
        pytest.param({"jsonrpc": "2.0", "id": 9, "result": {}}, id="answer to nothing"),
        pytest.param({"jsonrpc": "2.0", "id": 9, "result": 5}, id="malformed answer"),
        pytest.param(
            {"jsonrpc": "2.0", "id": None, "method": "notifications/initialized"},
            id="notification with id null",
        ),
    ],
)
def test_what_asks_for_nothing_gets_nothing(sturdy: Wire, sent: Message | bytes) -> None:
    sturdy.send(sent, request("next", "ping"))

    assert sturdy.read()["id"] == "next"


def test_ids_come_back_as_they_were(sturdy: Wire) -> None:
    ids: list[int | str] = [0, -1, 2**70, "", "7", "咖啡"]

    sturdy.send(*(request(one, "ping") for one in ids))

    assert [sturdy.read()["id"] for _ in ids] == ids


def test_line_separators_never_leave_unescaped(sturdy: Wire) -> None:
    sturdy.send(call(1, "echo", text="a\u2028b\u2029c"))

    assert told(sturdy.answer(1)) == "a\u2028b\u2029c"
    assert b"a\\u2028b\\u2029c" in sturdy.raw[-1]
