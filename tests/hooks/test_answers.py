"""Each client is answered in its own form, to the letter."""

import json

import pytest

from memex_mcp.capture.clients import shape_of
from tests.hooks.payloads import CLIENTS, own_name, payload

SAID = 'Staging listens on 5433, 端口 "quoted"\n</memory>'


def answer(client: str, event: str) -> str:
    shape = shape_of(client)
    happened = shape.event(event, payload(client, event, prompt="hi"))
    return shape.answer(happened, SAID)


@pytest.mark.parametrize("event", ["session-start", "user-prompt-submit"])
@pytest.mark.parametrize("client", [client for client in CLIENTS if client != "copilot"])
def test_context_lies_where_the_client_looks_for_it_and_nothing_lies_beside_it(
    client: str, event: str
) -> None:
    assert json.loads(answer(client, event)) == {
        "hookSpecificOutput": {"hookEventName": own_name(client, event), "additionalContext": SAID}
    }


@pytest.mark.parametrize("event", ["session-start", "user-prompt-submit"])
def test_copilot_looks_at_the_top(event: str) -> None:
    assert json.loads(answer("copilot", event)) == {"additionalContext": SAID}


def test_characters_are_written_as_they_are() -> None:
    # Clients count what is printed: an escape for each character would be six times as long.
    assert "端口" in answer("claude", "session-start")
    assert "端口" in answer("copilot", "session-start")


def test_a_payload_without_a_name_is_answered_under_the_clients_own() -> None:
    for client, name in (("claude", "UserPromptSubmit"), ("gemini", "BeforeAgent")):
        shape = shape_of(client)
        said = shape.answer(shape.event("user-prompt-submit", {"prompt": "hi"}), SAID)

        assert json.loads(said)["hookSpecificOutput"]["hookEventName"] == name
