"""Arguments as models get them wrong: every slip is named in a tool error, none is guessed at."""

import re
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from memex_mcp.memory import Memory
from tests.card import card
from tests.server.using import BRANCH, ERAS, NEW_PORT, PORT, connect, error, found, said, write

NOWHERE = "0" * 26
SOMEWHERE = "01M8P3NDYYCEES8JZJVJV4VKAX"


async def refused(client: Client, tool: str, given: dict[str, Any]) -> str:
    result = await client.call_tool(tool, given)
    assert result.is_error, said(result)
    return said(result)


@card("server.arguments")
@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("tool", "given", "named"),
    [
        pytest.param("memory_search", {}, "query", id="search without query"),
        pytest.param("memory_open", {}, "id", id="open without id"),
        pytest.param("memory_write", {"title": "T"}, "text", id="write without text"),
        pytest.param("memory_set_status", {"id": NOWHERE, "reason": "r"}, "status", id="no status"),
        pytest.param("memory_search", {"query": None}, "query", id="query is null"),
        pytest.param("memory_search", {"query": "x", "qurey": "x"}, "qurey", id="misspelled"),
        pytest.param("memory_search", {"query": 3}, "query", id="query is a number"),
        pytest.param("memory_search", {"query": ["x"]}, "query", id="query is a list"),
        pytest.param("memory_search", {"query": "x", "limit": 0}, "limit", id="limit 0"),
        pytest.param("memory_search", {"query": "x", "limit": 51}, "limit", id="limit 51"),
        pytest.param("memory_search", {"query": "x", "limit": "many"}, "limit", id="limit a word"),
        pytest.param("memory_search", {"query": "x", "limit": 2.5}, "limit", id="limit a fraction"),
        pytest.param("memory_search", {"query": "x", "limit": {}}, "limit", id="limit an object"),
        pytest.param(
            "memory_search", {"query": "x", "max_tokens": 10**30}, "max_tokens", id="huge budget"
        ),
        pytest.param(
            "memory_search", {"query": "x", "variants": ["y"] * 7}, "variants", id="7 variants"
        ),
        pytest.param("memory_search", {"query": "x", "variants": "y"}, "variants", id="no list"),
        pytest.param("memory_search", {"query": "x", "kinds": ["memo"]}, "kinds", id="kind"),
        pytest.param("memory_search", {"query": "x", "types": ["lore"]}, "types", id="type"),
        pytest.param("memory_search", {"query": "x", "tags": [1]}, "tags", id="tag a number"),
        pytest.param("memory_search", {"query": "x", "scope": "all"}, "scope", id="scope"),
        pytest.param("memory_search", {"query": "x", "scope": "*"}, "scope", id="scope a star"),
        pytest.param("memory_search", {"query": "x", "include": ["all"]}, "include", id="include"),
        pytest.param("memory_search", {"query": "x", "as_of": "soon"}, "as_of", id="as_of"),
        pytest.param(
            "memory_search", {"query": "x", "believed_at": "2026-13-01"}, "believed_at", id="month"
        ),
        pytest.param("memory_search", {"query": "x", "cursor": "abc"}, "cursor", id="cursor"),
        pytest.param("memory_search", {"query": " \t\n"}, "query", id="blank query"),
        pytest.param("memory_open", {"id": "../../etc/passwd"}, "id", id="id a path"),
        pytest.param("memory_open", {"id": "*"}, "id", id="id a star"),
        pytest.param("memory_open", {"id": ""}, "id", id="id empty"),
        pytest.param("memory_open", {"id": NOWHERE, "revision": 0}, "revision", id="revision 0"),
        pytest.param(
            "memory_open", {"id": NOWHERE, "revision": 10**30}, "revision", id="huge revision"
        ),
        pytest.param("memory_write", {"text": " "}, "text", id="blank text"),
        pytest.param("memory_write", {"text": PORT, "salience": 1.5}, "salience", id="salience"),
        pytest.param("memory_write", {"text": PORT, "dedupe_key": ""}, "dedupe_key", id="no key"),
        pytest.param("memory_write", {"text": PORT, "expires_at": "x"}, "expires_at", id="expiry"),
        pytest.param("memory_write", {"text": PORT, "supersedes": "x"}, "supersedes", id="old id"),
        pytest.param("memory_write", {"text": PORT, "title": "x" * 121}, "title", id="long title"),
        pytest.param("memory_write", {"text": PORT, "tags": ["t"] * 13}, "tags", id="13 tags"),
        pytest.param(
            "memory_set_status",
            {"id": NOWHERE, "status": "verified", "reason": "r"},
            "status",
            id="status verified",
        ),
        pytest.param(
            "memory_set_status", {"id": NOWHERE, "status": "disputed"}, "reason", id="no reason"
        ),
        pytest.param(
            "memory_set_status",
            {"id": NOWHERE, "status": "disputed", "reason": "r", "superseded_by": "x"},
            "superseded_by",
            id="successor",
        ),
    ],
)
async def test_what_is_wrong_is_a_tool_error_that_names_the_argument(
    memory: Memory, project: Path, mode: str, tool: str, given: dict[str, Any], named: str
) -> None:
    async with connect(memory, project, mode) as client:
        text = await refused(client, tool, given)

    assert text.startswith("invalid: ")
    assert re.search(rf"\b{named}\b", text.partition(". ")[0])


@card("server.stamps")
@pytest.mark.parametrize(
    "stamp",
    [
        *("author", "trust", "verified", "status", "surface", "client", "workspace"),
        *("workspace_id", "session", "session_id", "recorded_at", "updated_at", "owner"),
        *("level", "pinned"),
    ],
)
async def test_what_the_server_stamps_cannot_be_given(
    memory: Memory, project: Path, stamp: str
) -> None:
    async with connect(memory, project) as client:
        text = await refused(client, "memory_write", {"text": PORT, stamp: "human"})
        fine = await client.call_tool("memory_write", {"text": PORT})
        opened = said(await client.call_tool("memory_open", {"id": said(fine).split()[1]}))

    assert text == f"invalid: argument {stamp} is set by the server. Leave it out."
    assert "untrusted · by agent (agent-a)" in opened


@pytest.mark.parametrize("tool", ["memory_search", "memory_open", "memory_set_status"])
async def test_stamps_are_refused_where_nothing_is_written_too(
    memory: Memory, project: Path, tool: str
) -> None:
    given = {"query": "x", "id": NOWHERE, "status": "disputed", "reason": "r"}
    async with connect(memory, project) as client:
        listed = {
            one.name: one.input_schema["properties"] for one in (await client.list_tools()).tools
        }
        fitting = {name: value for name, value in given.items() if name in listed[tool]}
        text = await refused(client, tool, {**fitting, "workspace": "/somewhere/else"})

    assert text == "invalid: argument workspace is set by the server. Leave it out."


async def test_null_stands_for_an_argument_left_out(memory: Memory, project: Path) -> None:
    async with connect(memory, project, structured=True) as client:
        listed = {one.name: one.input_schema for one in (await client.list_tools()).tools}
        nulls = {
            name: dict.fromkeys(set(schema["properties"]) - set(schema["required"]))
            for name, schema in listed.items()
        }
        old = await write(client, PORT, **nulls["memory_write"])
        new = await write(client, NEW_PORT)
        hits = await found(client, "staging database", **nulls["memory_search"])
        opened = await client.call_tool("memory_open", {"id": old, **nulls["memory_open"]})
        moved = await client.call_tool(
            "memory_set_status",
            {"id": old, "status": "disputed", "reason": "r", **nulls["memory_set_status"]},
        )

    assert set(hits) == {old, new}
    assert not opened.is_error
    assert not moved.is_error


async def test_numbers_come_as_text_and_ids_in_small_letters(memory: Memory, project: Path) -> None:
    async with connect(memory, project, structured=True) as client:
        record_id = await write(client, PORT, salience="0.9")
        hits = await found(client, "staging database", limit="3", open_top="true")
        opened = await client.call_tool("memory_open", {"id": f" {record_id.lower()} "})

    assert hits == [record_id]
    assert not opened.is_error


async def test_an_unknown_id_is_not_found_and_says_where_ids_come_from(
    memory: Memory, project: Path
) -> None:
    async with connect(memory, project, structured=True) as client:
        record_id = await write(client, PORT)
        reads = await error(client, "memory_open", id=SOMEWHERE)
        writes = await error(client, "memory_write", text=BRANCH, id=SOMEWHERE)
        moves = await error(
            client, "memory_set_status", id=SOMEWHERE, status="disputed", reason="r"
        )
        revision = await error(client, "memory_open", id=record_id, revision=2)

    assert reads == {
        "code": "not_found",
        "message": f"no record {SOMEWHERE}",
        "hint": "Use an id that a search returned.",
    }
    assert (writes, moves) == (reads, reads)
    assert revision["code"] == "not_found"


async def test_one_call_takes_a_hundred_thousand_characters_and_no_more(
    memory: Memory, project: Path
) -> None:
    async with connect(memory, project) as client:
        await client.call_tool("memory_write", {"text": PORT})
        most = "staging " * 12_499
        fits = await client.call_tool("memory_search", {"query": most})
        over = await client.call_tool("memory_search", {"query": most, "variants": ["x" * 9]})
        note = await client.call_tool("memory_write", {"text": most})

    assert said(fits).startswith("ok: ")
    assert said(over).startswith("invalid: the arguments have 100,001 characters.")
    assert said(note).startswith("invalid: the note has ")
