"""What each client is instructed, and in which form it is answered."""

import re
from pathlib import Path

import pytest
from mcp.types import TextResourceContents

from memex_manuals.clients import CLIENTS
from memex_manuals.families import FAMILIES
from memex_mcp.memory import Memory
from memex_mcp.settings import Settings
from memex_mcp.text import tokens
from tests.card import card
from tests.server.using import ERAS, PORT, call, connect, said

FENCES = {
    "claude-code": re.compile(r"<memex-(\w+) nonce=(\w{8})> .*</memex-\1 nonce=\2>", re.DOTALL),
    "codex-mcp-client": re.compile(
        r"\*\*memex-(\w+) nonce=(\w{8})\*\* .*\n\n\*\*/memex-\1 nonce=\2\*\*", re.DOTALL
    ),
    "gemini-cli-mcp-client": re.compile(
        r"\[memex-(\w+) nonce=(\w{8})\] .*\n\[/memex-\1 nonce=\2\]", re.DOTALL
    ),
}


async def instructed(memory: Memory, project: Path, mode: str = "auto", **over: str) -> str:
    async with connect(memory, project, mode, **over) as client:
        told = client.instructions
    assert told is not None
    return told


def with_settings(memory: Memory, **over: object) -> Memory:
    """The same store as a user with other settings has it."""
    return Memory(Settings(home=memory.settings.home, **over))  # type: ignore[arg-type]  # by name


@card("manual.form")
@pytest.mark.parametrize("mode", ERAS)
async def test_each_client_is_instructed_in_its_form_in_both_eras(
    memory: Memory, project: Path, mode: str
) -> None:
    claude = await instructed(memory, project, mode, name="claude-code")
    codex = await instructed(memory, project, mode, name="codex-mcp-client")
    gemini = await instructed(memory, project, mode, name="gemini-cli-mcp-client")
    other = await instructed(memory, project, mode, name="somebody")

    assert "<example>\nmemory_search(" in claude
    assert "ToolSearch" in claude
    assert "## When to search\n" in codex
    assert "<" not in codex
    assert "WHEN TO SEARCH\n" in gemini
    assert "<example>\nmemory_search(" in other
    assert "ToolSearch" not in other


@card("manual.budget")
@pytest.mark.parametrize("mode", ERAS)
async def test_the_instructions_stay_within_their_budget_whoever_reads(
    memory: Memory, project: Path, mode: str
) -> None:
    tokens.load_vocabulary(None)
    names = [client.called[0] for client in CLIENTS.values() if client.called]
    for name in (*names, "somebody"):
        told = await instructed(memory, project, mode, name=name)
        assert 200 < tokens.count(told).tokens <= 400
    for family in FAMILIES:
        told = await instructed(memory, project, mode, name="qwen", model=family)
        assert 200 < tokens.count(told).tokens <= 400


@card("manual.same")
@pytest.mark.parametrize("mode", ERAS)
async def test_the_instructions_are_the_same_bytes_whatever_is_written(
    memory: Memory, project: Path, mode: str
) -> None:
    first = await instructed(memory, project, mode, name="claude-code")
    async with connect(memory, project, mode, name="claude-code", structured=True) as client:
        await call(client, "memory_write", text=PORT)

    assert await instructed(memory, project, mode, name="claude-code") == first
    assert await instructed(memory, project, mode, name="codex-mcp-client") != first


@card("profile.order")
@pytest.mark.parametrize("mode", ERAS)
async def test_the_model_of_the_command_line_goes_before_settings_and_client(
    memory: Memory, project: Path, mode: str
) -> None:
    settled = with_settings(memory, model="llama-4", language="zh")

    by_client = await instructed(memory, project, mode, name="codex-mcp-client")
    by_file = await instructed(settled, project, mode, name="codex-mcp-client")
    by_command = await instructed(
        settled, project, mode, name="codex-mcp-client", model="claude-opus-5-5"
    )

    assert by_client.startswith("## Memory\n")
    assert by_file.startswith("记忆\n")
    assert by_command.startswith("<memory-manual>\n")
    assert "记忆" in by_command
    settled.close()


@pytest.mark.parametrize("name", FENCES)
async def test_answers_are_fenced_in_the_form_of_the_reader(
    memory: Memory, project: Path, name: str
) -> None:
    async with connect(memory, project, name=name, all_tools=True) as client:
        wrote = said(await client.call_tool("memory_write", {"text": PORT}))
        record = wrote.split()[1]
        second = await client.call_tool("memory_write", {"text": PORT.replace("5433", "6543")})
        answers = [
            said(await client.call_tool("memory_search", {"query": "staging port"})),
            said(await client.call_tool("memory_search", {"query": "kind:note", "open_top": True})),
            said(await client.call_tool("memory_open", {"id": record})),
            said(await client.call_tool("memory_index", {})),
            said(await client.call_tool("memory_grep", {"pattern": "5433"})),
        ]
        for uri in ("memory://catalog", f"memory://record/{record}"):
            [contents] = (await client.read_resource(uri)).contents
            assert isinstance(contents, TextResourceContents)
            answers.append(contents.text)

    for answer in (*answers, said(second)):
        assert FENCES[name].search(answer), answer
        assert "Staging" in answer or "staging" in answer
        others = [fence for other, fence in FENCES.items() if other != name]
        assert not any(fence.search(answer) for fence in others)


@card("recall.budget")
@pytest.mark.parametrize("name", FENCES)
@pytest.mark.parametrize("open_top", [False, True])
async def test_no_form_takes_an_answer_beyond_its_budget(
    memory: Memory, project: Path, name: str, open_top: bool
) -> None:
    tokens.load_vocabulary(None)
    asked: dict[str, object] = {"query": "shard migration", "open_top": open_top}
    async with connect(memory, project, name=name) as client:
        for number in range(12):
            lines = "\n".join(f"shard {number}.{line} of the migration" for line in range(60))
            await client.call_tool("memory_write", {"text": lines, "title": f"Migration {number}"})
        # With the text of the best hit below it, a hit needs more room than 300.
        for budget in (600 if open_top else 300, 1_000, 2_000):
            for query in ("shard migration", "kind:note"):
                asked |= {"query": query, "max_tokens": budget, "limit": 12}
                answer = said(await client.call_tool("memory_search", asked))
                assert FENCES[name].search(answer)
                assert tokens.count(answer).tokens <= budget
                assert len(answer) <= 10_000


async def test_the_catalog_is_as_long_as_the_reader_wants(memory: Memory, project: Path) -> None:
    async def catalog(served: Memory, name: str) -> str:
        async with connect(served, project, name=name) as client:
            [contents] = (await client.read_resource("memory://catalog")).contents
        assert isinstance(contents, TextResourceContents)
        return contents.text

    async with connect(memory, project) as client:
        for number in range(60):
            text = f"Rule {number}: the {number}th harbour crane is greased before every shift."
            await client.call_tool("memory_write", {"text": text})
    brief = with_settings(memory, catalog_tokens=200)

    usual, claude = await catalog(memory, "somebody"), await catalog(memory, "claude-code")
    short = await catalog(brief, "somebody")

    assert 3_500 < len(usual) < 4_200
    assert 2_700 < len(claude) < 3_300
    assert len(short) < 1_000
    assert usual.count("harbour crane") > short.count("harbour crane") > 0
    assert await catalog(memory, "claude-code") == claude
    brief.close()
