"""What hooks put into a context, and when they put nothing there."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import Unavailable
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind, Scope
from memex_mcp.model.levels import Mode
from memex_mcp.model.record import Draft
from memex_mcp.settings import Settings
from tests.using import rows
from tests.whole.injected import PORT, PROMPT, checkpoint, hook


@contextmanager
def other(memory: Memory, **over: object) -> Generator[Memory]:
    """The same store under other settings."""
    opened = Memory(replace(memory.settings, **over))  # type: ignore[arg-type]  # fields of it
    yield opened
    opened.close()


def opens(memory: Memory) -> list[tuple[int, int]]:
    with rows(memory) as db:
        return [tuple(row) for row in db.execute("SELECT n, opened_count FROM record")]


def shown_ids(memory: Memory) -> set[str]:
    with rows(memory) as db:
        return {row[0] for row in db.execute("SELECT record_id FROM recall_seen")}


def test_a_prompt_brings_a_record_back_once_until_the_context_is_new(
    memory: Memory, agent: Caller, project: Path
) -> None:
    note = memory.write(Draft(text=PORT), agent).id
    memory.write(Draft(text="The release branch is cut on Thursdays."), agent)
    session, sibling = hook(memory, project), hook(memory, project, "s-sibling")
    before = opens(memory)

    first = memory.injection.prompt(session, PROMPT)

    assert PORT in first and "Thursdays" not in first
    assert shown_ids(memory) == {note}
    assert memory.injection.prompt(session, PROMPT) == ""
    assert memory.injection.prompt(sibling, PROMPT) == first
    memory.injection.start(session, source="resume")
    assert memory.injection.prompt(session, PROMPT) == ""
    memory.injection.start(session, source="compact")
    assert memory.injection.prompt(session, PROMPT) == first
    memory.injection.forget(session)
    assert memory.injection.prompt(session, PROMPT) == first
    assert opens(memory) == before


def test_an_unrelated_prompt_with_the_same_small_words_brings_nothing(
    memory: Memory, agent: Caller, project: Path
) -> None:
    memory.write(Draft(text="Which of the ports is it on? The staging one is on 5433."), agent)
    session = hook(memory, project)

    assert memory.injection.prompt(session, "which of the songs is it that she is on about") == ""
    assert memory.injection.prompt(session, "/compact which port is staging on") == ""
    assert shown_ids(memory) == set()
    assert "5433" in memory.injection.prompt(session, "which port is staging on?")


def test_the_own_session_is_left_out_and_a_sibling_is_not(memory: Memory, project: Path) -> None:
    own, sibling = hook(memory, project), hook(memory, project, "s-sibling")
    text = "Asked on which port the staging database in {} listens; answered 5433."
    for number in range(12):
        memory.write(checkpoint(text.format(f"Town{number}")), own)
    span = Draft(text=text.format("Span"), kind=Kind.SPAN, scope=Scope.SESSION)
    memory.write(span, own)
    theirs = memory.write(checkpoint(text.format("Oslo")), sibling).id

    found = memory.injection.prompt(own, PROMPT)

    assert theirs in found and "Town" not in found and "Span" not in found
    assert "Town" in memory.injection.prompt(sibling, PROMPT)


def test_what_the_user_switched_off_is_not_told(
    memory: Memory, agent: Caller, person: Caller, project: Path
) -> None:
    note = memory.write(Draft(text=PORT), agent).id
    session, sibling = hook(memory, project), hook(memory, project, "s-sibling")
    turn = "Asked on which port the staging database listens; answered 5433."
    turn_id = memory.write(checkpoint(turn), hook(memory, project, "s-old")).id

    with other(memory, recall="off") as quiet:
        assert quiet.injection.start(session, source="startup") == ""
        assert quiet.injection.prompt(session, PROMPT) == ""
    with other(memory, recall="strict") as strict:
        told = strict.injection.prompt(session, PROMPT)
        assert note in told and turn_id not in told
        assert turn_id not in strict.injection.start(session, source="startup")
    with other(memory, disabled="MEMEX_DISABLED is set") as off:
        assert off.injection.start(session, source="compact") == ""
        assert off.injection.prompt(session, PROMPT) == ""
    only = replace(person, session_id=session.session_id)
    memory.switches.set_mode(Mode.WRITE_ONLY, only, for_session=True)
    memory.injection.forget(session)
    blind = memory.injection.prompt(session, PROMPT)

    assert blind == "" and memory.injection.start(session, source="startup") == ""
    usual = memory.injection.prompt(sibling, PROMPT)
    assert note in usual and turn_id in usual


def test_a_client_is_told_in_the_format_that_reaches_its_model(
    memory: Memory, agent: Caller, project: Path
) -> None:
    memory.write(Draft(text=PORT), agent)
    heads = {
        client: memory.injection.start(hook(memory, project, client=client), source="startup")[:1]
        for client in ("claude", "codex", "copilot", "gemini", "qwen", "another")
    }

    assert heads == {
        "claude": "<",
        "codex": "*",
        "copilot": "*",
        "gemini": "[",
        "qwen": "[",
        "another": "<",
    }
    with other(memory, recall_format="plain") as plain:
        assert plain.injection.start(hook(memory, project), source="startup").startswith("[")


def test_asking_makes_no_store_and_a_busy_one_tells_nothing_it_cannot_note(
    tmp_path: Path, memory: Memory, agent: Caller, project: Path
) -> None:
    absent = Memory(Settings(home=tmp_path / "absent"))
    nobody = hook(absent, project)
    assert absent.injection.start(nobody, source="compact") == ""
    assert absent.injection.prompt(nobody, PROMPT) == ""
    assert not (tmp_path / "absent").exists()

    memory.write(Draft(text=PORT), agent)
    session = hook(memory, project)
    with other(memory) as second:
        with memory._database.write(), pytest.raises(Unavailable):
            second.injection.prompt(session, PROMPT)
        assert PORT in second.injection.prompt(session, PROMPT)
    assert memory.injection.prompt(replace(session, session_id=None), PROMPT) == ""
    assert memory.injection.prompt(replace(session, workspace=None), PROMPT) == ""


def test_odd_prompts_raise_nothing(memory: Memory, agent: Caller, project: Path) -> None:
    memory.write(Draft(text=PORT), agent)
    session = hook(memory, project)
    odd = [
        "\ud800 port",
        "\0\0\0",
        '"',
        "tag:",
        "((((((",
        "a" * 100_000,
        "端" * 50_000,
        "* OR NEAR(",
    ]

    for prompt in [*odd, "a" * 100_000, "端" * 50_000]:
        memory.injection.prompt(session, prompt, last_answer="\ud800" + prompt)

    sibling = hook(memory, project, "s-sibling")
    assert PORT in memory.injection.prompt(sibling, f"\ud800 {PROMPT}", "\ud800")
