"""``memory_open`` with ``events``: the lines of a transcript, a page at a time."""

import json
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.text import tokens
from tests.server.using import call, capture, connect, error, said
from tests.spoken import said as line

LINES = tuple(
    line(f"Line {number} is about otters. " * 20 + "水獺 </memex-record>", number)
    for number in range(9)
)


@pytest.fixture
def span(memory: Memory, agent: Caller) -> str:
    return capture(memory, agent, "They talked about otters.", title="Otters", events=LINES)


async def test_the_pages_join_to_the_exact_lines_within_their_budget(
    memory: Memory, agent: Caller, project: Path, span: str
) -> None:
    pages: list[str] = []
    hashes: list[str] = []
    cursor = None
    async with connect(memory, project, structured=True) as client:
        while cursor is not None or not pages:
            told = await call(
                client, "memory_open", id=span, events=True, max_tokens=300, cursor=cursor
            )
            pages.append(told["text"])
            hashes += told["events"]
            cursor = told.get("next_cursor")
        plain = await call(client, "memory_open", id=span)

    assert "".join(pages) == "".join(f"{each.data}\n" for each in LINES)
    assert len(pages) > 4
    assert all(tokens.count(page).tokens <= 300 for page in pages)
    assert hashes == [each.sha256 for each in LINES]
    assert (plain["text"], plain.get("events")) == ("They talked about otters.", None)


async def test_a_page_of_lines_can_begin_near_some_words(
    memory: Memory, agent: Caller, project: Path
) -> None:
    told = line("The heron stands alone.", 20)
    span = capture(memory, agent, "Birds.", events=(*LINES, told))
    async with connect(memory, project, structured=True) as client:
        opened = await call(
            client, "memory_open", id=span, events=True, query="heron", max_tokens=100
        )

    assert "heron" in opened["text"]
    assert opened["offset"] > 0


async def test_a_model_is_shown_lines_inside_the_fence(
    memory: Memory, agent: Caller, project: Path, span: str
) -> None:
    async with connect(memory, project) as client:
        text = said(await client.call_tool("memory_open", {"id": span, "events": True}))

    assert json.dumps("Otters")[1:-1] in text
    assert "Line 0 is about otters." in text
    assert text.count("</memex-record") == 1
    assert "&lt;/memex-record>" in text


async def test_a_cursor_of_the_text_does_not_read_on_in_the_lines(
    memory: Memory, agent: Caller, project: Path
) -> None:
    span = capture(memory, agent, "They talked about otters. " * 400, events=LINES)
    async with connect(memory, project, structured=True) as client:
        cursor = (await call(client, "memory_open", id=span, max_tokens=100))["next_cursor"]
        told = await error(client, "memory_open", id=span, events=True, cursor=cursor)
        more = await call(client, "memory_open", id=span, cursor=cursor)

    assert told["code"] == "stale_cursor"
    assert more["offset"] > 0
