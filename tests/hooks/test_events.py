"""Every payload becomes one event, whatever is in it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.capture.clients import recognised, shape_of
from memex_mcp.capture.events import Event, Moment, Start, moment_of
from tests.hooks.payloads import CLIENTS, EVENTS, NAMES, SESSION, own_name, payload

FOLDERS = {
    "claude": "/home/u/.claude/projects/-home-u-proj/a.jsonl",
    "codex": "/home/u/.codex/sessions/2026/11/30/rollout-a.jsonl",
    "gemini": "/home/u/.gemini/tmp/proj/chats/session-a.jsonl",
    "qwen": "/home/u/.qwen/projects/-home-u-proj/chats/a.jsonl",
    "copilot": "/home/u/.copilot/session-state/a/events.jsonl",
}


def happened(client: str, event: str, **over: Any) -> Event:
    return shape_of(client).event(event, payload(client, event, **over))


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("event", EVENTS)
def test_every_client_says_what_happened_where_and_in_which_session(
    client: str, event: str
) -> None:
    found = happened(client, event, cwd="/home/u/proj", transcript=FOLDERS[client], prompt="hi")

    assert found.moment == event
    assert found.client == client
    assert found.name == own_name(client, event)
    assert found.session_id == SESSION
    assert found.transcript == Path(FOLDERS[client])
    assert found.cwd == "/home/u/proj"
    assert found.prompt == ("hi" if event == "user-prompt-submit" else "")
    assert not found.stop_active


@pytest.mark.parametrize("client", CLIENTS)
def test_every_spelling_of_an_event_on_the_command_line_means_the_same(client: str) -> None:
    for event, own in zip(EVENTS, NAMES[client], strict=True):
        spellings = {event, own, own.upper(), event.replace("-", "_")}

        told = {shape_of(client).event(each, {"prompt": "hi"}).moment for each in spellings}
        assert told == {event}
        assert moment_of("post-tool-use") is Moment.OTHER


def test_what_the_payload_says_goes_before_the_command_line() -> None:
    told = payload("claude", "stop")

    assert shape_of("claude").event("session-start", told).moment is Moment.STOP
    assert shape_of("claude").event("session-start", {}).moment is Moment.SESSION_START
    assert (
        shape_of("claude").event("stop", {"hook_event_name": "PostCompact"}).moment is Moment.OTHER
    )


@pytest.mark.parametrize(
    ("source", "start"),
    [
        ("startup", Start.STARTUP),
        ("new", Start.STARTUP),
        ("resume", Start.RESUME),
        ("fork", Start.RESUME),
        ("clear", Start.CLEAR),
        ("compact", Start.COMPACT),
        ("something else", Start.STARTUP),
    ],
)
def test_a_session_start_says_why(source: str, start: Start) -> None:
    assert happened("claude", "session-start", source=source).start is start
    assert happened("copilot", "session-start", source=source).start is start
    assert happened("claude", "stop").start is None


def test_the_agent_that_writes_the_summary_of_a_compaction_is_no_event() -> None:
    told = payload("claude", "stop", transcript="/t/main.jsonl") | {
        "hook_event_name": "SubagentStop",
        "agent_id": "a1",
        "agent_type": "explore",
        "agent_transcript_path": "/t/main/subagents/agent-a1.jsonl",
    }
    worked = shape_of("claude").event("stop", told)
    summed_up = shape_of("claude").event("stop", told | {"agent_type": ""})

    assert (worked.moment, worked.agent_id) == (Moment.STOP, "a1")
    assert worked.transcript == Path("/t/main/subagents/agent-a1.jsonl")
    assert summed_up.moment is Moment.OTHER


def test_copilot_tells_of_an_agent_in_camel_case() -> None:
    told = payload("copilot", "stop", transcript="/t/events.jsonl") | {
        "agentId": "a1",
        "agentTranscriptPath": "/t/agents/a1.jsonl",
        "lastAssistantMessage": "Found it.",
    }

    session, agent = (shape_of("copilot").event(asked, told) for asked in ("stop", "SubagentStop"))

    assert (session.agent_id, session.transcript) == ("", Path("/t/events.jsonl"))
    assert (agent.agent_id, agent.transcript) == ("a1", Path("/t/agents/a1.jsonl"))
    assert agent.last_answer == "Found it."
    bare = {key: told[key] for key in told if not key.endswith("Path")}
    assert shape_of("copilot").event("SubagentStop", bare).transcript is None


@pytest.mark.parametrize("event", EVENTS)
def test_a_transcript_that_copilot_does_not_name_lies_where_copilot_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("COPILOT_HOME", raising=False)
    below = Path("session-state", SESSION, "events.jsonl")

    usual = happened("copilot", event)
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path / "elsewhere"))
    elsewhere = happened("copilot", event)

    assert usual.transcript == tmp_path / ".copilot" / below
    assert elsewhere.transcript == tmp_path / "elsewhere" / below
    assert happened("copilot", event, session="").transcript is None
    named = happened("copilot", event, transcript="/t/events.jsonl")
    assert named.transcript == Path("/t/events.jsonl")


def test_only_at_the_end_of_copilots_session_is_the_transcript_late() -> None:
    late = {
        (client, event) for client in CLIENTS for event in EVENTS if happened(client, event).late
    }

    assert late == {("copilot", "session-end")}


def test_an_agent_without_a_transcript_of_its_own_has_none() -> None:
    told = payload("claude", "stop", transcript="/t/main.jsonl") | {
        "hook_event_name": "SubagentStop",
        "agent_type": "explore",
    }

    assert shape_of("claude").event("stop", told).transcript is None


def test_a_prompt_that_nobody_wrote_is_no_event_in_qwen() -> None:
    assert happened("qwen", "user-prompt-submit", prompt="hello").moment is Moment.PROMPT
    assert happened("qwen", "user-prompt-submit", prompt=" ").moment is Moment.OTHER


def test_the_last_answer_is_taken_where_the_client_tells_it() -> None:
    told = {client: happened(client, "stop").last_answer for client in CLIENTS}

    assert told.pop("copilot") == ""
    assert set(told.values()) == {"It is done."}


def test_a_stop_that_another_hook_forbade_is_told() -> None:
    told = payload("claude", "stop") | {"stop_hook_active": True}

    assert shape_of("claude").event("stop", told).stop_active


@pytest.mark.parametrize("client", CLIENTS)
def test_a_payload_shows_which_client_wrote_it(client: str) -> None:
    for event in EVENTS:
        told = payload(client, event, transcript=FOLDERS[client])

        assert recognised(told) == client


def test_a_payload_that_shows_nothing_is_taken_for_claudes() -> None:
    assert recognised({}) == "claude"
    assert recognised({"transcript_path": 3, "hook_event_name": ["BeforeAgent"]}) == "claude"
    assert recognised({"turn_id": "t"}) == "codex"
    assert recognised({"hook_event_name": "BeforeAgent"}) == "gemini"
    assert shape_of("an editor").event("stop", {}).client == "claude"


@pytest.mark.parametrize(
    ("name", "client"),
    [
        ("claude-code", "claude"),
        ("Codex", "codex"),
        ("gemini-cli", "gemini"),
        ("qwen_code", "qwen"),
    ],
)
def test_a_client_is_known_by_its_other_names(name: str, client: str) -> None:
    assert shape_of(name).event("stop", {}).client == client


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = sorted(
    {
        key
        for client in CLIENTS
        for event in EVENTS
        for key in payload(client, event, transcript="/")
    }
    | {"agent_id", "agent_type", "agent_transcript_path", "agentId", "agentTranscriptPath"}
)


@given(
    st.dictionaries(st.sampled_from(KEYS), ANYTHING),
    st.sampled_from(CLIENTS),
    st.sampled_from(EVENTS) | st.text(),
)
def test_no_payload_makes_reading_it_fail(told: dict[str, Any], client: str, event: str) -> None:
    found = shape_of(client).event(event, told)

    assert recognised(told) in CLIENTS
    assert isinstance(found.moment, Moment)
    for text in (found.prompt, found.session_id, found.cwd, found.agent_id, found.last_answer):
        text.encode("utf-8")
    assert found.transcript is None or found.transcript.is_absolute()


def test_text_is_capped_and_a_name_that_is_too_long_is_none() -> None:
    told = payload("claude", "user-prompt-submit", prompt="x" * 300_000, session="s" * 300)
    found = shape_of("claude").event("user-prompt-submit", told)

    assert len(found.prompt) == 100_000
    assert found.session_id == ""


def test_half_a_surrogate_pair_becomes_text_that_can_be_written() -> None:
    found = happened("claude", "user-prompt-submit", prompt="port \ud83d of staging")

    assert found.prompt == "port ? of staging"


@pytest.mark.parametrize("where", ["relative/a.jsonl", "", "/a\0b", "/" + "x" * 5_000, "~/a.jsonl"])
def test_a_transcript_is_named_by_an_absolute_path_or_not_at_all(where: str) -> None:
    assert happened("codex", "stop", transcript=where).transcript is None
    assert happened("codex", "stop", transcript="/t/a.jsonl").transcript == Path("/t/a.jsonl")
