"""One server, both protocol eras; the first request of the client decides."""

import pytest

from tests.card import card
from tests.server.wire import MODERN, TOY, Wire, call, initialize, modern, request, told


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ],
)
def test_initialize_agrees_on_a_version_and_serves_it(asked: str, agreed: str) -> None:
    with Wire(TOY) as wire:
        result = wire.shake_hands(asked)["result"]
        wire.send(call(1, "echo", text="served"))

        assert result["protocolVersion"] == agreed
        assert result["capabilities"]["resources"] == {"listChanged": True, "subscribe": True}
        assert told(wire.answer(1)) == "served"


@card("server.eras")
def test_discover_opens_an_era_without_handshake() -> None:
    with Wire(TOY) as wire:
        wire.send(modern(request("probe", "server/discover")), modern(call(1, "echo", text="hi")))
        discovered, answered = wire.answer("probe")["result"], wire.answer(1)

        assert discovered["supportedVersions"] == [MODERN]
        assert discovered["capabilities"]["resources"]["listChanged"] is True
        assert told(answered) == "hi"


def test_unknown_modern_version_is_refused_and_the_known_one_served() -> None:
    with Wire(TOY) as wire:
        wire.send(modern(request(1, "server/discover"), "2027-01-01"))
        wire.send(modern(request(2, "server/discover")))

        assert wire.answer(1)["error"]["code"] == -32022
        assert wire.answer(1 + 1)["result"]["supportedVersions"] == [MODERN]


def test_handshake_after_a_modern_request_is_refused() -> None:
    with Wire(TOY) as wire:
        wire.send(modern(request(1, "server/discover")), initialize(request_id=2))
        wire.send(modern(call(3, "echo", text="still modern")))

        assert wire.answer(2)["error"]["code"] == -32022
        assert told(wire.answer(3)) == "still modern"


def test_bad_lines_before_the_first_request_do_not_choose_the_era() -> None:
    with Wire(TOY) as wire:
        wire.send(*[b"{broken\n"] * 20, modern(call(1, "echo", text="modern")))

        assert told(wire.answer(1)) == "modern"


def test_call_before_the_handshake_is_refused_and_a_ping_is_not() -> None:
    with Wire(TOY) as wire:
        wire.send(call(1, "echo", text="too soon"), request(2, "ping"), initialize())

        assert wire.answer(1)["error"]["code"] == -32602
        assert wire.answer(2)["result"] == {}
        assert wire.answer(0)["result"]["serverInfo"]["name"] == "toy"


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_lone_surrogates_are_survived_in_both_eras(era: str) -> None:
    with Wire(TOY) as wire:
        if era == "handshake":
            wire.shake_hands()
            wire.send(call(1, "surrogate"), call(2, "echo", text="\ud800"))
        else:
            wire.send(modern(call(1, "surrogate")), modern(call(2, "echo", text="\ud800")))
        answers = {message["id"]: told(message) for message in (wire.read(), wire.read())}

        assert answers == {1: "a\ufffdb \U0001f600", 2: "\ufffd"}


def test_enveloped_call_on_a_connection_with_handshake_is_refused() -> None:
    with Wire(TOY) as wire:
        wire.shake_hands()
        wire.send(modern(call(1, "echo", text="x")), call(2, "echo", text="x"))

        assert wire.answer(1)["error"]["code"] == -32600
        assert told(wire.answer(2)) == "x"
