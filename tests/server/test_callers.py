"""Who calls: every piece of evidence on its own, and what happens without it."""

import json
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp.types import ErrorData, ListRootsResult, Root

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Surface
from memex_mcp.model.query import Query
from memex_mcp.settings import Settings
from tests.card import card
from tests.process import COMMAND, Serving
from tests.server.using import BRANCH, ERAS, PORT, call, connect, found, said, write
from tests.server.wire import DEADLINE, MODERN, Message, Wire, modern, request
from tests.server.wire import call as tool_call

# roots/list is of the earlier era, and the SDK says so.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

CODEX = "x-codex-turn-metadata"
SECRET = "The private staging plan is on hold."


@pytest.fixture
def user_home(tmp_path: Path) -> Path:
    """The folder that ``HOME`` names in every test; here it exists."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def workspace_of(memory: Memory, folder: Path) -> Caller:
    """A caller of another client in that folder."""
    return memory.caller(Evidence(surface=Surface.TOOL, client="other", workspace=folder))


def seen(memory: Memory, folder: Path, text: str) -> list[str]:
    return [hit.id for hit in memory.search(Query(text=text), workspace_of(memory, folder)).hits]


@card("identity.client")
@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("name", "stamped"),
    [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex-mcp-client"),
        ("", "unknown"),
        ("x" * 300, "x" * 64),
        ("two\nlines\t· verified", "two lines · verified"),
        ("\u202eevil\x00", "evil"),
    ],
)
async def test_the_clients_own_name_is_stamped_on_what_it_writes(
    memory: Memory, project: Path, mode: str, name: str, stamped: str
) -> None:
    async with connect(memory, project, mode, name=name, structured=True) as client:
        record_id = await write(client, PORT)
        opened = await call(client, "memory_open", id=record_id)

    assert (opened["client"], opened["author"]) == (stamped, "agent")


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_the_name_arrives_over_the_wire_in_both_eras(root: Path, project: Path, era: str) -> None:
    command = [*COMMAND, "serve", "--root", str(root), "--workspace", str(project), "--structured"]
    with Wire(command) as wire:
        if era == "handshake":
            wire.shake_hands()
            wire.send(tool_call(1, "memory_write", text=PORT))
        else:
            wire.send(modern(request("probe", "server/discover")))
            assert wire.answer("probe")["result"]["supportedVersions"] == [MODERN]
            wire.send(modern(tool_call(1, "memory_write", text=PORT)))
        record_id = wire.answer(1)["result"]["structuredContent"]["id"]
        reading = tool_call(2, "memory_open", id=record_id)
        wire.send(reading if era == "handshake" else modern(reading))
        opened = wire.answer(2)["result"]["structuredContent"]

    assert opened["client"] == "wire"


async def session_call(client: Client, meta: Message, tool: str, **arguments: object) -> str:
    return said(await client.call_tool(tool, arguments, meta=meta))  # type: ignore[arg-type]  # free-form


@pytest.mark.parametrize("mode", ERAS)
async def test_codex_names_its_session_in_every_call(
    memory: Memory, project: Path, mode: str
) -> None:
    one, two = {CODEX: {"session_id": "c-1"}}, {CODEX: {"session_id": "c-2", "turn_id": "t"}}
    search = {"query": "private staging plan"}
    async with connect(memory, project, mode) as client:
        await session_call(client, one, "memory_write", text=SECRET, scope="session")
        same = await session_call(client, one, "memory_search", **search)
        other = await session_call(client, two, "memory_search", **search)
        none = said(await client.call_tool("memory_search", search))

    assert SECRET in same
    assert SECRET not in other
    assert SECRET not in none


@pytest.mark.parametrize(
    "meta",
    [
        pytest.param({CODEX: "c-1"}, id="no object"),
        pytest.param({CODEX: {"session_id": 7}}, id="a number"),
        pytest.param({CODEX: {"session_id": " "}}, id="blank"),
        pytest.param({CODEX: {"session_id": "x" * 201}}, id="too long"),
        pytest.param({CODEX: {"session_id": "a\x00b"}}, id="unprintable"),
        pytest.param({CODEX: None}, id="null"),
    ],
)
async def test_what_is_no_session_id_leaves_the_process_its_own(
    memory: Memory, project: Path, meta: Message
) -> None:
    async with connect(memory, project) as client:
        await client.call_tool("memory_write", {"text": SECRET, "scope": "session"})
        same = await session_call(client, meta, "memory_search", query="private staging plan")

    assert SECRET in same


def test_claude_names_session_and_project_in_the_environment(
    root: Path, project: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    env = {"CLAUDE_PROJECT_DIR": str(project), "CLAUDE_CODE_SESSION_ID": "claude-1"}
    with Serving(root, cwd=elsewhere, env=env) as server:
        server.write(SECRET, scope="session")
        server.write(PORT)
        status = server.status()
    with Serving(root, cwd=elsewhere, env=env) as again:
        same = again.text("memory_search", query="staging plan database")
    with Serving(root, "--session", "claude-1", cwd=project) as named:
        named_so = named.text("memory_search", query="staging plan database")
    with Serving(root, cwd=project) as other:
        workspace = other.text("memory_search", query="staging plan database")
    with Serving(root, cwd=elsewhere) as stranger:
        nothing = stranger.text("memory_search", query="staging plan database")

    assert status["workspace"] == project.name
    assert SECRET in same
    assert SECRET in named_so
    assert PORT in same
    assert SECRET not in workspace
    assert PORT in workspace
    assert nothing.startswith("empty_archive")


def test_the_command_line_wins_over_what_the_client_says(
    root: Path, project: Path, tmp_path: Path
) -> None:
    env = {"CLAUDE_PROJECT_DIR": str(tmp_path / "nowhere"), "CLAUDE_CODE_SESSION_ID": "claude-1"}
    options = ("--workspace", str(project), "--session", "given")
    with Serving(root, *options, cwd=tmp_path, env=env) as server:
        server.text("memory_write", {CODEX: {"session_id": "c-1"}}, text=SECRET, scope="session")
        status = server.status()
    with Serving(root, "--session", "given", cwd=project) as server:
        given = server.text("memory_search", query="private staging plan")

    assert status["workspace"] == project.name
    assert SECRET in given
    assert status["levels"][0]["records"] == 1


@card("scope.sessions")
def test_two_processes_without_ids_do_not_see_each_others_session(
    root: Path, project: Path
) -> None:
    with Serving(root, cwd=project) as one, Serving(root, cwd=project) as two:
        one.write(SECRET, scope="session")
        one.write(PORT)
        mine = one.text("memory_search", query="private staging plan")
        theirs = two.text("memory_search", query="private staging plan")
        shared = two.text("memory_search", query="staging database port")

    assert SECRET in mine
    assert SECRET not in theirs
    assert PORT in shared


def test_in_the_home_folder_nothing_is_written_and_global_records_are_found(
    root: Path, project: Path, user_home: Path
) -> None:
    root.mkdir()
    (root / "config.toml").write_text('global_writers = ["agent-a"]\n', encoding="utf-8")
    with Serving(root, cwd=project) as server:
        server.write("Everybody formats staging scripts with shfmt.", scope="global")
        server.write(PORT)
    with Serving(root, cwd=user_home) as server:
        wrote = server.text("memory_write", text=BRANCH)
        private = server.text("memory_write", text=BRANCH, scope="session")
        hits = server.text("memory_search", query="staging scripts database")
        workspace = server.status()["workspace"]

    assert wrote == private
    assert wrote.startswith("denied: there is no workspace to write to. ")
    assert "--workspace" in wrote
    assert "shfmt" in hits
    assert PORT not in hits
    assert workspace is None


def test_a_workspace_that_does_not_exist_fails_every_call_and_ends_nothing(
    root: Path, project: Path, tmp_path: Path
) -> None:
    with Serving(root, "--workspace", str(tmp_path / "gone"), cwd=project) as server:
        wrote = server.text("memory_write", text=PORT)
        found = server.text("memory_search", query="staging")
        tools = server.ask("tools/list")["result"]["tools"]

    assert wrote == found
    assert wrote.startswith("invalid: there is no such folder. ")
    assert str(tmp_path) not in wrote
    assert len(tools) == 4


class Roots:
    """A client's answer to roots/list, counted."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self.asked = 0

    async def __call__(self, _context: ClientRequestContext) -> ListRootsResult | ErrorData:
        self.asked += 1
        return ListRootsResult(roots=[Root(uri=folder.as_uri()) for folder in self._folders])  # type: ignore[arg-type]  # parsed


async def test_roots_say_where_the_client_works_and_are_asked_for_once(
    memory: Memory, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    roots = Roots(project)
    async with connect(
        memory, None, "legacy", structured=True, list_roots_callback=roots
    ) as client:
        record_id = await write(client, PORT)
        hits = await found(client, "staging database")

    assert hits == [record_id]
    assert roots.asked == 1
    assert seen(memory, project, "staging database") == [record_id]
    assert seen(memory, tmp_path, "staging database") == []


@pytest.mark.parametrize("evidence", ["command line", "environment"])
async def test_roots_are_not_asked_for_where_something_better_is_known(
    root: Path, project: Path, tmp_path: Path, evidence: str
) -> None:
    named = str(project) if evidence == "environment" else None
    memory = Memory(Settings(home=root, project=named))
    given = None if named else project
    roots = Roots(tmp_path)
    async with connect(
        memory, given, "legacy", structured=True, list_roots_callback=roots
    ) as client:
        record_id = await write(client, PORT)

    assert roots.asked == 0
    assert seen(memory, project, "staging database") == [record_id]
    assert seen(memory, tmp_path, "staging database") == []
    memory.close()


@card("server.capabilities")
async def test_a_modern_client_is_never_asked(
    memory: Memory, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    roots = Roots(tmp_path)
    async with connect(memory, None, structured=True, list_roots_callback=roots) as client:
        record_id = await write(client, PORT)

    assert roots.asked == 0
    assert seen(memory, project, "staging database") == [record_id]


def test_a_client_that_never_answers_is_not_waited_for_twice(root: Path, project: Path) -> None:
    with Serving(root, cwd=project, capabilities={"roots": {}}) as server:
        first = server.text("memory_write", text=PORT)
        second = server.text("memory_search", query="staging database")
        asked = [message for message in map(json.loads, server.wire.raw) if "method" in message]
        workspace = server.status()["workspace"]

    assert first.startswith("created ")
    assert PORT in second
    assert [message["method"] for message in asked].count("roots/list") == 1
    assert workspace == project.name


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"result": {"roots": "everywhere"}}, id="no list"),
        pytest.param({"result": {}}, id="no roots"),
        pytest.param({"result": {"roots": []}}, id="none"),
        pytest.param({"result": {"roots": [{"uri": "https://example.invalid"}]}}, id="no file"),
        pytest.param({"error": {"code": -32601, "message": "no"}}, id="an error"),
    ],
)
def test_an_answer_that_names_no_folder_does_not_fail_the_call(
    root: Path, project: Path, answer: Message
) -> None:
    with Serving(root, cwd=project, capabilities={"roots": {}}) as server:
        number = server.send_call("memory_search", query="staging database")
        asked = server.wire.read()
        server.wire.send({"jsonrpc": "2.0", "id": asked["id"]} | answer)
        result = server.wire.answer(number)["result"]

    assert asked["method"] == "roots/list"
    assert result["content"][0]["text"].startswith("empty_archive")


def test_a_root_that_can_be_no_workspace_opens_none(
    root: Path, project: Path, user_home: Path
) -> None:
    with Serving(root, cwd=project, capabilities={"roots": {}}) as server:
        number = server.send_call("memory_write", text=PORT)
        asked = server.wire.read()
        roots = {"roots": [{"uri": user_home.as_uri()}]}
        server.wire.send({"jsonrpc": "2.0", "id": asked["id"], "result": roots})
        [block] = server.wire.answer(number)["result"]["content"]

    assert block["text"].startswith("denied: there is no workspace to write to.")


async def test_the_branch_is_that_of_the_moment(memory: Memory, project: Path) -> None:
    branches = {}
    async with connect(memory, project, structured=True) as client:
        for branch in ("main", "topic"):
            check_out(project, branch)
            record_id = await write(client, f"{BRANCH} As seen on {branch}.")
            branches[branch] = (await call(client, "memory_open", id=record_id))["branch"]

    assert branches == {"main": "main", "topic": "topic"}


def check_out(project: Path, branch: str) -> None:
    (project / ".git" / "objects").mkdir(parents=True, exist_ok=True)
    (project / ".git" / "refs").mkdir(exist_ok=True)
    (project / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")


async def test_a_call_that_waits_for_roots_does_not_hold_up_another(
    memory: Memory, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    released = anyio.Event()

    async def late(_context: ClientRequestContext) -> ListRootsResult | ErrorData:
        await released.wait()
        return ListRootsResult(roots=[])

    with anyio.fail_after(DEADLINE):
        async with (
            connect(memory, None, "legacy", list_roots_callback=late) as client,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(client.call_tool, "memory_search", {"query": "staging"})
            offered = (await client.list_tools()).tools
            released.set()

    assert len(offered) == 4
