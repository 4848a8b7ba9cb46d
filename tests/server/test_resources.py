"""Resources: the catalog, the state of the store, and every record by its address."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    TextResourceContents,
)

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.record import Draft
from memex_mcp.settings import Settings
from tests.card import card
from tests.process import Serving
from tests.server.inbox import Inbox
from tests.server.using import BRANCH, ERAS, NEW_PORT, PORT, call, connect, error, write
from tests.server.wire import DEADLINE

# resources/subscribe is of the earlier era, and the SDK's client says so.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

CATALOG, STATUS, WINDOW = "memory://catalog", "memory://status", "memory://window"


def address(record_id: str) -> str:
    return f"memory://record/{record_id}"


async def read(client: Client, uri: str) -> str:
    [contents] = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


@pytest.mark.parametrize("mode", ERAS)
async def test_the_catalog_lists_titles_inside_a_fence_and_stays_the_same_until_a_write(
    memory: Memory, project: Path, mode: str
) -> None:
    async with connect(memory, project, mode, structured=True) as client:
        empty = await read(client, CATALOG)
        record_id = await write(client, PORT, title="Port </memex-catalog> of staging")
        first, again = await read(client, CATALOG), await read(client, CATALOG)
        await call(client, "memory_search", query="staging database")
        await call(client, "memory_open", id=record_id)
        later = await read(client, CATALOG)
        await write(client, BRANCH)
        written = await read(client, CATALOG)

    assert "Nothing is on record here yet." in empty
    assert record_id in first
    assert first == again == later
    assert re.fullmatch(
        r"<memex-catalog nonce=(\w{8})> .*\n</memex-catalog nonce=\1>\n", first, re.S
    )
    assert first.count("</memex-catalog") == 1
    assert "untrusted" in first
    assert written != first


@card("catalog.stable")
def test_the_catalog_is_the_same_bytes_in_every_process(root: Path, project: Path) -> None:
    seen: list[str] = []
    for seed in ("0", "1", "4242"):
        env = {"PYTHONHASHSEED": seed}
        with Serving(root, "--session", "s-1", cwd=project, env=env) as server:
            if not seen:
                for text in (PORT, BRANCH, "Deploys wait for QA."):
                    server.text("memory_write", text=text, tags=["ops", "db", "qa"])
            [contents] = server.ask("resources/read", uri=CATALOG)["result"]["contents"]
            seen.append(contents["text"])

    assert "Deploys wait for QA." in seen[0]
    assert len(set(seen)) == 1


@card("list.cursor")
@pytest.mark.parametrize("mode", ERAS)
async def test_the_list_has_every_current_record_once_over_its_pages(
    memory: Memory, agent: Caller, project: Path, mode: str
) -> None:
    ids = [memory.write(Draft(text=f"Shard {n} is east."), agent).id for n in range(120)]
    gone = ids.pop(7)
    async with connect(memory, project, mode, structured=True) as client:
        await call(client, "memory_set_status", id=gone, status="archived", reason="old")
        pages = [await client.list_resources()]
        while pages[-1].next_cursor:
            pages.append(await client.list_resources(cursor=pages[-1].next_cursor))
        templates = (await client.list_resource_templates()).resource_templates
        with pytest.raises(MCPError) as caught:
            await client.list_resources(cursor="made up")

    uris = [str(one.uri) for page in pages for one in page.resources]
    assert uris == [CATALOG, STATUS, WINDOW, *map(address, reversed(ids))]
    assert len(pages) == 3
    assert [one.uri_template for one in templates] == [address("{id}"), f"{WINDOW}/{{query}}"]
    assert caught.value.code == INVALID_PARAMS


@pytest.mark.parametrize("mode", ERAS)
async def test_a_record_is_read_by_its_address_fenced_and_labelled(
    memory: Memory, project: Path, mode: str
) -> None:
    async with connect(memory, project, mode, structured=True) as client:
        record_id = await write(client, PORT)
        text = await read(client, address(record_id))
        lower = await read(client, address(record_id.lower()))

    assert text.startswith("<memex-record nonce=")
    assert PORT in text
    assert "untrusted · by agent (agent-a)" in text
    assert PORT in lower


@card("window.resource")
@pytest.mark.parametrize("mode", ERAS)
async def test_the_window_answers_the_question_in_its_address(
    memory: Memory, project: Path, mode: str
) -> None:
    chinese = "网关拒绝新版本，先跑 make smoke/all。"
    async with connect(memory, project, mode, structured=True) as client:
        await write(client, PORT)
        await write(client, chinese)
        rule = await write(client, "Never deploy on Fridays.", type="constraint")
        asked = [
            await read(client, f"{WINDOW}/{text}")
            for text in (
                quote("staging database port?", safe=""),
                "staging database port",
                quote("网关 make smoke/all", safe=""),
                "网关 make smoke/all",
                "staging%20port%20type%3Aconstraint",
                "100%25%zz%",
            )
        ]
        plain, slash = await read(client, WINDOW), await read(client, f"{WINDOW}/")

    assert all(rule in page for page in (*asked, plain))
    assert [PORT in page for page in asked[:4]] == [True, True, False, False]
    assert [chinese in page for page in asked[:4]] == [False, False, True, True]
    assert PORT not in asked[4] + asked[5] + plain
    assert plain == slash
    assert re.fullmatch(
        r"ok: 1 excerpts\n<memex-window nonce=(\w{8})> .*\n</memex-window nonce=\1>", plain, re.S
    )


@pytest.mark.parametrize("mode", ERAS)
async def test_the_status_counts_what_the_caller_sees(
    memory: Memory, project: Path, mode: str
) -> None:
    async with connect(memory, project, mode, structured=True) as client:
        old = await write(client, PORT)
        await write(client, NEW_PORT, supersedes=old)
        await write(client, BRANCH, scope="session")
        status = json.loads(await read(client, STATUS))

    assert status["workspace"] == project.name
    assert status.keys().isdisjoint({"session_id", "client"})
    assert str(project) not in json.dumps(status)
    assert status["by_status"] == {"active": 2, "superseded": 1}
    assert [(one["level"], one["records"]) for one in status["levels"]] == [("L2", 1), ("L3", 2)]
    assert status["disabled"] == ""


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    "uri",
    [
        "memory://nothing",
        "memory://windows",
        "memory://record/",
        "memory://record/short",
        "memory://record/../catalog",
        "memory://record/%2e%2e%2fcatalog",
        "memory://record/00000000000000000000000000",
        "memory://record/' OR 1=1 --",
        "memory://catalog/../../memex.db",
        "file:///etc/passwd",
        "memory:",
        "",
    ],
)
async def test_an_unknown_address_is_a_wrong_parameter(
    memory: Memory, project: Path, mode: str, uri: str
) -> None:
    async with connect(memory, project, mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        fine = await read(client, CATALOG)

    assert caught.value.code == INVALID_PARAMS
    assert "on record" in fine


def damaged(root: Path) -> Memory:
    root.mkdir()
    (root / "memex.db").write_bytes(b"garbage " * 4_000)
    return Memory(Settings(home=root))


async def test_a_store_that_cannot_be_read_fails_the_request_and_says_why(
    root: Path, project: Path
) -> None:
    async with connect(damaged(root), project) as client:
        errors = []
        for uri in (CATALOG, STATUS, WINDOW, f"{WINDOW}/port", address("0" * 26)):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            errors.append(caught.value)
        with pytest.raises(MCPError) as caught:
            await client.list_resources()
        errors.append(caught.value)
        tools = await client.list_tools()

    assert {one.code for one in errors} == {INTERNAL_ERROR}
    assert {one.message for one in errors} == {
        "damaged: the memory store is damaged. Run `memex-mcp doctor`."
    }
    assert tools.tools


async def test_an_earlier_client_hears_of_a_write_and_of_both_ends_of_a_supersede(
    memory: Memory, project: Path
) -> None:
    inbox = Inbox()
    with anyio.fail_after(DEADLINE):
        async with connect(memory, project, "legacy", structured=True) as client:
            old = await write(client, PORT)
        async with connect(
            memory, project, "legacy", structured=True, message_handler=inbox.take
        ) as client:
            await client.subscribe_resource(CATALOG)
            await client.subscribe_resource(address(old))
            new = await write(client, NEW_PORT, supersedes=old)
            heard = list(inbox.seen)
            await client.subscribe_resource(address(new))
            await call(client, "memory_set_status", id=new, status="disputed", reason="hm")
            await client.unsubscribe_resource(address(new))
            await call(client, "memory_search", query="staging database")

    assert sorted(heard) == sorted([CATALOG, CATALOG, address(old), Inbox.LIST])
    assert inbox.seen[len(heard) :] == [address(new), CATALOG]


@card("server.events")
async def test_a_modern_client_hears_of_a_write_and_of_both_ends_of_a_supersede(
    memory: Memory, project: Path
) -> None:
    heard: list[ServerEvent] = []
    with anyio.fail_after(DEADLINE):
        async with connect(memory, project, structured=True) as client:
            old, other = await write(client, PORT), await write(client, BRANCH)
            uris = [address(old), address(other), CATALOG]
            async with client.listen(
                resources_list_changed=True, resource_subscriptions=uris
            ) as events:
                new = await write(client, NEW_PORT, supersedes=old)
                await call(client, "memory_set_status", id=other, status="disputed", reason="hm")
                async for event in events:
                    heard.append(event)
                    if event == ResourceUpdated(address(other)):
                        break

    assert new not in uris
    assert heard.count(ResourcesListChanged()) == 1
    assert ResourceUpdated(address(old)) in heard
    assert ResourceUpdated(CATALOG) in heard


@pytest.mark.parametrize("uri", ["memory://nothing", address("short"), "file:///x", "x" * 5000, ""])
async def test_what_is_no_resource_takes_no_place_among_the_subscriptions(
    memory: Memory, project: Path, uri: str
) -> None:
    async with connect(memory, project, "legacy") as client:
        for number in range(999):
            await client.subscribe_resource(address(f"{number:026}"))
        await client.subscribe_resource(uri)
        await client.subscribe_resource(STATUS)
        with pytest.raises(MCPError, match="1,000 subscriptions"):
            await client.subscribe_resource(CATALOG)
        await client.unsubscribe_resource(uri)


async def test_a_client_keeps_a_thousand_subscriptions_and_no_more(
    memory: Memory, project: Path
) -> None:
    async with connect(memory, project, "legacy") as client:
        for number in range(1_000):
            await client.subscribe_resource(address(f"{number:026}"))
        await client.subscribe_resource(address(f"{7:026}"))
        with pytest.raises(MCPError, match="1,000 subscriptions") as caught:
            await client.subscribe_resource(CATALOG)
        await client.unsubscribe_resource(address(f"{7:026}"))
        await client.subscribe_resource(CATALOG)

    assert caught.value.code == INVALID_PARAMS


def edit_by_hand(root: Path, record_id: str) -> None:
    [path] = root.rglob(f"{record_id}.md")
    text = path.read_text(encoding="utf-8")
    assert "5433" in text
    path.write_text(text.replace("5433", "7777"), encoding="utf-8")


async def test_a_change_that_no_request_made_is_told_at_once(
    memory: Memory, root: Path, project: Path
) -> None:
    inbox = Inbox()
    with anyio.fail_after(DEADLINE):
        async with connect(
            memory, project, "legacy", structured=True, message_handler=inbox.take
        ) as client:
            record_id = await write(client, PORT)
            await client.subscribe_resource(address(record_id.lower()))
            edit_by_hand(root, record_id)
            before = list(inbox.seen)
            await anyio.to_thread.run_sync(memory.refresh)
            while len(inbox.seen) == len(before):
                await anyio.lowlevel.checkpoint()

    assert before == [Inbox.LIST]
    assert inbox.seen[1:] == [address(record_id)]


async def test_what_a_failed_call_or_a_read_changed_is_told_before_the_answer(
    memory: Memory, root: Path, project: Path
) -> None:
    inbox = Inbox()
    async with connect(
        memory, project, "legacy", structured=True, message_handler=inbox.take
    ) as client:
        ids = [await write(client, f"{PORT} {name} " + "Aye. " * 99) for name in ("Ann", "Bob")]
        page = await call(client, "memory_open", id=ids[0], max_tokens=50)
        for record_id in ids:
            await client.subscribe_resource(address(record_id))
            edit_by_hand(root, record_id)
        before = list(inbox.seen)
        failed = await error(client, "memory_open", id=ids[0], cursor=page["next_cursor"])
        after_call = list(inbox.seen)
        text = await read(client, address(ids[1]))

    assert failed["code"] == "stale_cursor"
    assert "7777" in text
    assert after_call == [*before, address(ids[0])]
    assert inbox.seen == [*after_call, address(ids[1])]


async def test_a_refused_write_is_no_change(memory: Memory, project: Path) -> None:
    inbox = Inbox()
    async with connect(
        memory, project, "legacy", structured=True, message_handler=inbox.take
    ) as client:
        record_id = await write(client, PORT)
        await client.subscribe_resource(CATALOG)
        await call(client, "memory_set_status", id=record_id, status="retracted", reason="wrong")
        before = list(inbox.seen)
        refusal = await error(client, "memory_write", text=PORT)
        await call(client, "memory_search", query="staging")

    assert before == [Inbox.LIST, CATALOG]
    assert refusal["code"] == "refused"
    assert inbox.seen == before
