"""``--structured``: the same facts as JSON that fits what the tools declare."""

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # comes with mcp
from mcp import Client

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.policy.stamp import sha256
from tests.card import card
from tests.server.using import (
    BRANCH,
    ERAS,
    NEW_PORT,
    PORT,
    call,
    capture,
    connect,
    error,
    said,
    structure,
    write,
)


class Checked:
    """Calls tools and holds every answer against what the tool declares."""

    def __init__(self, client: Client, declared: dict[str, Draft202012Validator]) -> None:
        self._client = client
        self._declared = declared
        self.tools: set[str] = set()

    async def call(self, tool: str, **arguments: object) -> dict[str, object]:
        answer = structure(await self._client.call_tool(tool, arguments))
        self._declared[tool].validate(answer)
        self.tools.add(tool)
        return answer


async def checked(client: Client) -> Checked:
    declared = {}
    for tool in (await client.list_tools()).tools:
        assert tool.output_schema is not None
        Draft202012Validator.check_schema(tool.output_schema)
        declared[tool.name] = Draft202012Validator(tool.output_schema)
    return Checked(client, declared)


@card("answers.schema")
@pytest.mark.parametrize("mode", ERAS)
async def test_every_answer_fits_the_schema_that_its_tool_declares(
    memory: Memory, agent: Caller, project: Path, mode: str
) -> None:
    span = capture(memory, agent, "They asked for the staging database. " * 400, title="A turn")
    async with connect(memory, project, mode, structured=True) as client:
        ask = await checked(client)
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        old = await ask.call("memory_write", text=PORT, tags=["ops"], valid_from="2026-01-01")
        close = await ask.call("memory_write", text=PORT.replace("5433", "6543"))
        masked = await ask.call("memory_write", text=f"The bot logs in with {secret}.")
        new = await ask.call("memory_write", text=NEW_PORT, supersedes=old["id"])
        again = await ask.call("memory_write", text=NEW_PORT)
        revised = await ask.call("memory_write", text=BRANCH, id=close["id"])
        found = await ask.call(
            "memory_search",
            query="staging database",
            include=["superseded", "expired"],
            explain=True,
            open_top=True,
        )
        one = await ask.call("memory_search", query="staging database", limit=1)
        nothing = await ask.call("memory_search", query="zebra crossing")
        hidden = await ask.call("memory_search", query="staging database", tags=["none"])
        opened = await ask.call("memory_open", id=new["id"], events=True)
        paged = await ask.call("memory_open", id=span, max_tokens=50)
        moved = await ask.call("memory_set_status", id=new["id"], status="disputed", reason="hm")
        gone = await ask.call(
            "memory_set_status",
            id=new["id"],
            status="superseded",
            reason="hm",
            superseded_by=revised["id"],
        )

    assert ask.tools == {"memory_search", "memory_open", "memory_write", "memory_set_status"}
    assert close["conflicts"]
    assert len(list(masked["masked"])) == 1  # type: ignore[call-overload]  # a list of kinds
    assert (again["outcome"], revised["outcome"]) == ("reinforced", "revised")
    assert (found["state"], nothing["state"], hidden["state"]) == ("ok", "no_match", "filtered")
    assert found["top"]
    assert one["next_cursor"]
    assert opened["links"]
    assert opened["events"] == []
    assert paged["next_cursor"]
    assert moved == {"id": new["id"], "from": "active", "to": "disputed"}
    assert gone["superseded_by"] == revised["id"]


@card("server.errors")
@pytest.mark.parametrize("mode", ERAS)
async def test_an_error_states_code_message_and_hint(
    memory: Memory, project: Path, mode: str
) -> None:
    async with connect(memory, project, mode, structured=True) as client:
        old = await write(client, PORT)
        await write(client, NEW_PORT, supersedes=old)
        errors = [
            await error(client, "memory_open", id="0" * 26),
            await error(client, "memory_search", query=""),
            await error(client, "memory_write", text=BRANCH, scope="global"),
            await error(client, "memory_write", text=BRANCH, supersedes=old),
        ]
        result = await client.call_tool("memory_open", {"id": "0" * 26})
        declared = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}

    # Clients refuse an answer that does not fit, and an error in structure is an answer.
    for schema in declared.values():
        assert schema is not None
        Draft202012Validator(schema).validate(result.structured_content)
        assert not Draft202012Validator(schema).is_valid({"error": "no"})
    assert [one["code"] for one in errors] == ["not_found", "invalid", "denied", "conflict"]
    assert all(set(one) == {"code", "message", "hint"} and all(one.values()) for one in errors)
    assert said(result) == "not_found: {message}. {hint}".format(**errors[0])


async def test_what_is_opened_has_the_declared_fields_and_the_newest_revisions_alone(
    memory: Memory, project: Path
) -> None:
    async with connect(memory, project, structured=True) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        record_id = await write(client, PORT)
        first = await call(client, "memory_open", id=record_id)
        for number in range(24):
            await write(client, f"Port {number}.", id=record_id)
        last = await call(client, "memory_open", id=record_id)
    either = tools["memory_open"].output_schema

    assert either is not None
    schema = either["anyOf"][0]
    assert schema["additionalProperties"] is False
    assert schema["properties"].keys() - first.keys() == {"next_cursor", "events"}
    assert [one["version"] for one in first["revisions"]] == [1]
    assert first["revisions_total"] == 1
    assert [one["version"] for one in last["revisions"]] == list(range(6, 26))
    assert last["revisions_total"] == 25


@card("surfaces.agree")
async def test_text_and_structure_tell_the_same(memory: Memory, project: Path) -> None:
    async with connect(memory, project, structured=True) as client:
        record_id = await write(client, PORT)
        result = await client.call_tool("memory_search", {"query": "staging database"})
        [hit] = structure(result)["hits"]

    assert hit["id"] == record_id
    assert all(hit[name] in said(result) for name in ("id", "title", "trust", "status", "type"))


async def pages(client: Client, record_id: str, max_tokens: int) -> list[str]:
    texts: list[str] = []
    cursor = None
    while True:
        page = await call(client, "memory_open", id=record_id, max_tokens=max_tokens, cursor=cursor)
        assert page["offset"] == sum(map(len, texts))
        texts.append(page["text"])
        cursor = page.get("next_cursor")
        if cursor is None:
            return texts


@card("open.pages")
@pytest.mark.parametrize("max_tokens", [200, 2_000, 20_000])
async def test_pages_of_sixty_kilobytes_join_to_the_exact_body(
    memory: Memory, agent: Caller, project: Path, max_tokens: int
) -> None:
    part = "第三步: run `make all`\r\n\r\n👩‍👩‍👧 e\u0301te\u0301 <memex-record> \x00\ttrailing  \n"
    body = "".join(f"{number}. {part}" for number in range(900))
    assert len(body.encode()) > 60_000
    record_id = capture(memory, agent, body, title="A long turn")

    async with connect(memory, project, structured=True) as client:
        texts = await pages(client, record_id, max_tokens)
        whole = await call(client, "memory_open", id=record_id)

    assert len(texts) > 5
    assert "".join(texts) == body
    assert whole["body_sha256"] == sha256(body)


@card("open.stale")
@pytest.mark.parametrize("mode", ERAS)
async def test_a_cursor_from_before_an_edit_is_stale(
    memory: Memory, project: Path, mode: str
) -> None:
    text = "The staging database listens on port 5433. " * 30
    async with connect(memory, project, mode, structured=True) as client:
        record_id, other = await write(client, text), await write(client, BRANCH)
        page = await call(client, "memory_open", id=record_id, max_tokens=100)
        given = {"id": record_id, "cursor": page["next_cursor"]}
        before = await call(client, "memory_open", **given)
        await write(client, text.replace("5433", "6543"), id=record_id)
        after = await error(client, "memory_open", **given)
        old = await call(client, "memory_open", revision=1, **given)
        swapped = await error(client, "memory_open", id=other, cursor=given["cursor"])

    assert before["text"]
    assert after["code"] == "stale_cursor"
    assert old["text"] == before["text"]
    assert swapped["code"] == "invalid"


async def test_a_search_is_paged_without_a_gap_or_a_double(memory: Memory, project: Path) -> None:
    async with connect(memory, project, structured=True) as client:
        written = {
            await write(client, f"Shard {name} of the staging database is {name}-east.")
            for name in ("amber", "basil", "cedar", "delta", "ember", "fjord", "grove")
        }
        seen: list[str] = []
        cursor = None
        while True:
            answer = await call(
                client, "memory_search", query="staging database", limit=3, cursor=cursor
            )
            seen += [hit["id"] for hit in answer["hits"]]
            cursor = answer.get("next_cursor")
            if cursor is None:
                break

    assert sorted(seen) == sorted(written)
