"""``serve --levels`` turns levels on, for the workspace that turns out to be served."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.types import ListRootsResult, Root

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Surface
from memex_mcp.model.levels import Level
from memex_mcp.settings import Settings
from tests.process import Serving
from tests.server.using import ERAS, connect, write
from tests.using import PORT, actions

# roots/list is of the earlier era, and the SDK says so.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

# Each is one request long; far more than anything takes.
_TRIES = 500


def of(memory: Memory, folder: Path) -> Caller:
    return memory.caller(Evidence(surface=Surface.TOOL, client="agent-a", workspace=folder))


def on(memory: Memory, folder: Path) -> set[str]:
    """Names of the levels that are on in a workspace."""
    levels = memory.switches.levels(of(memory, folder))
    return {name for name in ("l2", "l3") if getattr(levels, name) is not None}


async def until(client: Client, done: Callable[[], bool]) -> None:
    for _ in range(_TRIES):
        if done():
            return
        await client.list_tools()
    raise AssertionError("it never came")


def roots_of(*folders: Path) -> Callable[[ClientRequestContext], Awaitable[ListRootsResult]]:
    async def listed(_context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=folder.as_uri()) for folder in folders])  # type: ignore[arg-type]  # parsed

    return listed


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("levels", "expected"),
    [((), set()), ((Level.L2,), {"l2"}), ((Level.L3,), {"l3"}), (tuple(Level), {"l2", "l3"})],
)
async def test_what_was_asked_for_is_on_after_a_request_and_nothing_else(
    memory: Memory, project: Path, mode: str, levels: tuple[Level, ...], expected: set[str]
) -> None:
    async with connect(memory, project, mode, levels=levels) as client:
        await until(client, lambda: on(memory, project) == expected)
        await client.list_tools()

    assert on(memory, project) == expected
    assert memory.switches.now(of(memory, project)).spans is ("l2" in expected)


@pytest.mark.parametrize("name", ["none", "both"])
async def test_a_level_that_is_on_stays_on_whatever_the_next_server_is_told(
    memory: Memory, project: Path, name: str
) -> None:
    memory.switches.start_with((Level.L3,), of(memory, project))
    since = memory.switches.levels(of(memory, project)).l3
    levels = tuple(Level) if name == "both" else ()

    async with connect(memory, project, levels=levels, structured=True) as client:
        await write(client, "The release branch is cut on Thursdays.")
        await until(client, lambda: not levels or on(memory, project) == {"l2", "l3"})

    assert memory.switches.levels(of(memory, project)).l3 == since is not None
    assert actions(memory).count("l3:on") == 1


async def test_the_roots_of_the_client_say_which_workspace_it_is(
    memory: Memory, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    async with connect(
        memory, None, "legacy", levels=(Level.L2,), list_roots_callback=roots_of(project)
    ) as client:
        await until(client, lambda: on(memory, project) == {"l2"})

    assert on(memory, tmp_path / "elsewhere") == set()


async def test_where_there_is_no_workspace_the_server_goes_on_without(
    memory: Memory, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.write(PORT, of(memory, project))
    monkeypatch.chdir("/")

    async with connect(memory, None, "legacy", levels=tuple(Level)) as client:
        await until(client, lambda: "deny" in actions(memory))
        assert (await client.call_tool("memory_search", {"query": "port"})).is_error is False

    assert actions(memory) == ["create", "deny"]
    assert on(memory, project) == set()


async def test_a_workspace_that_is_not_there_is_no_reason_to_stop(
    memory: Memory, project: Path, tmp_path: Path
) -> None:
    async with connect(memory, tmp_path / "missing", levels=tuple(Level)) as client:
        tools = (await client.list_tools()).tools
        answer = await client.call_tool("memory_search", {"query": "port"})

    assert (len(tools), answer.is_error) == (4, True)
    assert not memory.settings.home.exists()


async def test_what_the_environment_keeps_off_is_not_turned_on(root: Path, project: Path) -> None:
    memory = Memory(Settings(home=root, max_levels="l3"))
    memory.write(PORT, of(memory, project))
    async with connect(memory, project, levels=tuple(Level)) as client:
        await until(client, lambda: "deny" in actions(memory))

    assert actions(memory) == ["create", "l3:on", "deny"]
    assert on(memory, project) == {"l3"}
    memory.close()


def test_the_handshake_is_answered_before_anything_is_turned_on(root: Path, project: Path) -> None:
    options = ("--workspace", str(project), "--levels", "both")

    Serving(root, *options, cwd=project).close()
    assert not (root / "memex.db").exists()

    with Serving(root, *options, cwd=project) as server:
        told: dict[str, Any] = {}
        for _ in range(_TRIES):
            told = server.status()["switches"]
            if told["l3"]:
                break
    assert (told["l2"] is not None, told["l3"] is not None) == (True, True)
    assert (told["mode"], told["paused"]) == ("auto", False)
