"""When things go wrong: the server lives, says what the agent can use, and nothing more."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError

from memex_mcp.errors import Unavailable
from memex_mcp.memory import Cancel, Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Listed, Opened, Page, Query, SearchAnswer
from memex_mcp.settings import Settings
from memex_mcp.store.lock import FileLock
from tests.card import card
from tests.frozen import frozen
from tests.process import Serving
from tests.server.using import BRANCH, ERAS, PORT, connect, error, found, said, write
from tests.server.wire import DEADLINE, call, notification, request

posix = pytest.mark.skipif(os.name == "nt", reason="modes and users are POSIX")

NOWHERE = "0" * 26
MARKER = "zebra-crossing-7741"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("memory_search", {"query": "staging database"}),
    ("memory_open", {"id": NOWHERE}),
    ("memory_write", {"text": PORT}),
    ("memory_set_status", {"id": NOWHERE, "status": "disputed", "reason": "r"}),
)
Reading = Callable[[Client], Coroutine[Any, Any, None]]
FIRST_PAGE = Page()
LEAKS = re.compile(r"Traceback|sqlite|SELECT |INSERT |\.py\b|line \d+|memex\.db", re.IGNORECASE)


def ask_all(server: Serving) -> list[str]:
    return [server.text(tool, **given) for tool, given in CALLS]


@card("server.off")
def test_switched_off_by_the_environment_nothing_is_read_written_or_made(
    root: Path, project: Path
) -> None:
    with Serving(root, cwd=project, env={"MEMEX_DISABLED": "1"}) as server:
        search, *others = ask_all(server)
        made = root.exists()
        status = server.status()["disabled"]
    with Serving(root, cwd=project, env={"MEMEX_DISABLED": "0"}) as server:
        wrote = server.text("memory_write", text=PORT)

    assert search == "disabled: memory is off.\nMEMEX_DISABLED is set"
    assert {text.partition(":")[0] for text in others} == {"disabled"}
    assert status == "MEMEX_DISABLED is set"
    assert not made
    assert wrote.startswith("created ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("disabled = tru", "config.toml is not TOML", id="broken"),
        pytest.param('secretes = "off"', "config.toml has an unknown key 'secretes'", id="key"),
        pytest.param('secrets = "maybe"', "config.toml: secrets must be", id="value"),
        pytest.param("disabled = true", "config.toml says disabled = true", id="on purpose"),
    ],
)
def test_a_config_that_is_not_understood_switches_memory_off_and_says_why(
    root: Path, project: Path, text: str, told: str
) -> None:
    root.mkdir()
    (root / "config.toml").write_text(text, encoding="utf-8")
    with Serving(root, cwd=project) as server:
        search, *others = ask_all(server)

    assert search.startswith("disabled: memory is off.\n")
    assert {each.partition(":")[0] for each in others} == {"disabled"}
    assert all(told in each for each in (search, *others))
    assert str(root) not in "".join((search, *others))


@pytest.mark.parametrize("start", ["before", "while serving"])
def test_a_damaged_database_is_told_by_every_tool_and_ends_nothing(
    root: Path, project: Path, start: str
) -> None:
    root.mkdir()
    with Serving(root, cwd=project) as server:
        if start == "while serving":
            server.write(BRANCH)
        for name in ("memex.db-wal", "memex.db-shm", "memex.db"):
            (root / name).unlink(missing_ok=True)
        (root / "memex.db").write_bytes(b"garbage " * 4_000)
        texts = ask_all(server)
        tools = server.ask("tools/list")["result"]["tools"]
        kept = (root / "memex.db").read_bytes()

    assert set(texts) == {"damaged: the memory store is damaged. Run `memex-mcp doctor`."}
    assert len(tools) == 4
    assert kept == b"garbage " * 4_000


def test_a_database_that_vanished_beside_its_files_is_damaged(root: Path, project: Path) -> None:
    with Serving(root, cwd=project) as server:
        server.write(BRANCH)
    for path in root.glob("memex.db*"):
        path.unlink()
    with Serving(root, cwd=project) as server:
        texts = ask_all(server)

    assert {text.partition(":")[0] for text in texts} == {"damaged"}
    assert all("rebuild --from-files" in text for text in texts)


@card("server.degraded")
@posix
async def test_a_readonly_store_is_read_and_not_written(public: Path) -> None:
    project, home = public / "project", public / "store"
    project.mkdir()  # nothing else runs here
    memory = Memory(Settings(home=home))
    async with connect(memory, project, structured=True) as client:
        record_id = await write(client, PORT)
        assert await found(client, "staging database") == [record_id]
        memory.close()
        with frozen(home):
            hits = await found(client, "staging database")
            opened = await client.call_tool("memory_open", {"id": record_id})
            wrote = await error(client, "memory_write", text=BRANCH)
            moved = await error(
                client, "memory_set_status", id=record_id, status="disputed", reason="r"
            )
            catalog = await client.read_resource("memory://catalog")
        memory.close()
        again = await write(client, BRANCH)
    memory.close()

    assert hits == [record_id]
    assert not opened.is_error
    assert (wrote["code"], moved["code"]) == ("unavailable", "unavailable")
    assert catalog.contents
    assert again


class Broken(Memory):
    """A memory with a bug, to see what the outside learns of it."""

    def search(self, *_: object, **__: object) -> SearchAnswer:
        raise RuntimeError(f"no such table: record in {self.settings.home} for {MARKER}")

    def catalog(self, *_: object, **__: object) -> str:
        raise KeyError(f"SELECT * FROM record -- {MARKER}")


@card("server.bugs")
@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("structured", [False, True])
async def test_a_bug_is_told_as_one_without_a_word_of_what_it_was_about(
    root: Path,
    project: Path,
    mode: str,
    structured: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    memory = Broken(Settings(home=root))
    async with connect(memory, project, mode, structured=structured) as client:
        result = await client.call_tool("memory_search", {"query": "x"})
        with pytest.raises(Exception, match="the server failed") as caught:
            await client.read_resource("memory://catalog")
        wrote = await client.call_tool("memory_write", {"text": PORT})
    memory.close()

    assert result.is_error
    assert said(result) == "bug: the server failed. This is not your fault."
    if structured:
        assert result.structured_content == {
            "error": {
                "code": "bug",
                "message": "the server failed",
                "hint": "This is not your fault.",
            }
        }
    assert not wrote.is_error
    told = said(result) + str(caught.value) + caplog.text
    assert "RuntimeError" in caplog.text
    assert MARKER not in told
    assert str(root) not in told


def test_no_answer_holds_a_path_of_the_store_sql_or_a_trace(root: Path, project: Path) -> None:
    hostile = ["' OR 1=1 --", "NEAR(", "*", "C:\\a\\b", '"', "\x00", "../../etc/passwd"]
    with Serving(root, cwd=project) as server:
        server.write(PORT)
        texts = [server.text("memory_search", query=query) for query in hostile]
        texts += [server.text("memory_open", id=query) for query in hostile]
        texts += [server.text("memory_write", text=PORT, supersedes=query) for query in hostile]
        texts += [server.text("memory_search", query="x", cursor=query) for query in hostile]
        texts.append(server.text(f"memory_{MARKER}"))
        found = server.text("memory_search", query="staging database")

    assert len(texts) == 29
    assert not [text for text in texts if LEAKS.search(text) or str(root) in text]
    assert PORT in found


@card("log.metadata")
def test_the_log_holds_no_text_of_records_or_requests(root: Path, project: Path) -> None:
    with Serving(root, cwd=project) as server:
        record_id = server.write(f"The {MARKER} is closed.", title=MARKER, tags=[MARKER])
        server.text("memory_search", query=MARKER, variants=[MARKER])
        server.text("memory_open", id=record_id, query=MARKER)
        server.text("memory_set_status", id=record_id, status="retracted", reason=MARKER)
        server.text("memory_write", text=f"The {MARKER} is closed.")
        server.text("memory_search", query=MARKER, limit=MARKER)
        server.text(MARKER, text=MARKER)
        server.ask("resources/read", uri=f"memory://{MARKER}")
        server.ask("prompts/get", name=MARKER)
        server.ask(MARKER, text=MARKER)
        server.ask("tools/call", name=MARKER, arguments=[MARKER])
        server.ask("tools/call", name=[MARKER])
        server.ask("resources/list", cursor={"x": MARKER})
        server.wire.send(notification("notifications/cancelled", {"requestId": {"x": MARKER}}))
        server.wire.send(notification("notifications/progress", {"progress": MARKER}))
        server.wire.send(f"{{broken {MARKER}\n".encode())
        server.text("memory_search", query="x")
        complaints = server.wire.stderr()
    log = (root / "logs" / "memex.log").read_text(encoding="utf-8")

    assert len(re.findall(r"memory_search (?:ok|invalid) \d+\.\d ms", log)) == 3
    assert "memory_write refused" in log
    assert "another tool invalid" in log
    assert MARKER not in log
    assert MARKER not in complaints
    assert str(project) not in log


QUOTES = """
import logging, pathlib, sys
from memex_mcp.server.main import log_to
log_to(pathlib.Path(sys.argv[1]))
try:
    raise ValueError(sys.argv[2])
except ValueError:
    logging.getLogger("mcp.server").exception("request %r failed", sys.argv[2], stack_info=True)
logging.getLogger("memex_mcp.server").warning("ours is said: %s", 3)
"""


def test_other_packages_leave_a_place_in_the_log_and_no_words(root: Path) -> None:
    subprocess.run([sys.executable, "-c", QUOTES, root, MARKER], check=True)
    log = (root / "logs" / "memex.log").read_text(encoding="utf-8")

    assert re.search(r"ERROR mcp\.server at <string>:\d+\n", log)
    assert "ours is said: 3" in log
    assert MARKER not in log
    assert "Traceback" not in log


@card("log.rotates")
@posix
def test_the_log_is_private_and_rotates_when_a_server_starts(root: Path, project: Path) -> None:
    logs = root / "logs"
    logs.mkdir(parents=True)
    now, before = logs / "memex.log", logs / "memex.log.1"
    now.write_text("old\n" * 500_000, encoding="utf-8")
    with Serving(root, cwd=project) as first:
        kept = now.stat().st_size
        with now.open("a", encoding="utf-8") as log:
            log.write("more\n")
        with Serving(root, cwd=project) as second:
            first.write(PORT)
            second.write(BRANCH)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in logs.iterdir()}
    assert modes == {"memex.log": 0o600, "memex.log.1": 0o600}
    assert kept == 2_000_000
    # The one that was there before goes on where it was; no line of either is lost.
    for file in (now, before):
        assert len(re.findall("memory_write ok", file.read_text(encoding="utf-8"))) == 1
    assert before.stat().st_size > 2_000_000


@posix
def test_a_log_that_cannot_be_put_aside_goes_on_and_one_that_cannot_be_kept_stops_nothing(
    root: Path, project: Path
) -> None:
    logs = root / "logs"
    (logs / "memex.log.1").mkdir(parents=True)
    (logs / "memex.log").write_text("old\n" * 600_000, encoding="utf-8")
    (logs / "memex.log").chmod(0o644)
    with Serving(root, cwd=project) as server:
        assert server.write(PORT)
    assert stat.S_IMODE((logs / "memex.log").stat().st_mode) == 0o600
    told = (logs / "memex.log").read_text(encoding="utf-8")
    shutil.rmtree(logs)
    logs.write_text("a file in place of the folder", encoding="utf-8")
    with Serving(root, cwd=project) as server:
        assert server.write(BRANCH)

    assert told.startswith("old\n")
    assert "memory_write ok" in told


@card("store.private")
@posix
def test_what_a_server_makes_is_private(root: Path, project: Path) -> None:
    with Serving(root, cwd=project) as server:
        server.write(PORT)

    modes = {stat.S_IMODE(path.stat().st_mode): path.is_dir() for path in (root, *root.rglob("*"))}
    assert modes == {0o700: True, 0o600: False}


def test_a_server_that_nobody_asks_makes_no_database(root: Path, project: Path) -> None:
    with Serving(root, cwd=project) as server:
        server.ask("tools/list")
        server.ask("prompts/list")
        server.ask("resources/templates/list")
        server.ask("ping")
        idle = list(root.glob("memex.db*"))
        server.text("memory_search", query="staging")
        asked = [path.name for path in root.glob("memex.db*")]

    assert idle == []
    assert "memex.db" in asked


def test_what_an_earlier_process_left_undone_is_done_at_the_start(
    root: Path, project: Path
) -> None:
    with Serving(root, cwd=project) as server:
        record_id = server.write(PORT)
    [file] = root.rglob(f"{record_id}.md")
    file.write_text(file.read_text(encoding="utf-8").replace("5433", "6543"), encoding="utf-8")
    with Serving(root, cwd=project) as server:
        # Asked again and again: the edit is taken in while the server already answers.
        while "6543" not in (text := server.text("memory_search", query="staging database")):
            assert "5433" in text


class Slow(Memory):
    """A memory whose readers wait at the door until they are let in."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.came, self.let_in, self.left = (threading.Event() for _ in range(3))
        self.outcome = ""

    def search(
        self, query: Query, caller: Caller, cancel: Cancel | None = None, **over: Any
    ) -> SearchAnswer:
        with self._door():
            return super().search(query, caller, cancel, **over)

    def open(
        self, record_id: str, caller: Caller, page: Page = FIRST_PAGE, cancel: Cancel | None = None
    ) -> Opened:
        with self._door():
            return super().open(record_id, caller, page, cancel)

    def listing(self, caller: Caller, **over: Any) -> Listed:
        with self._door():
            return super().listing(caller, **over)

    def catalog(self, caller: Caller, cancel: Cancel | None = None, **over: Any) -> str:
        with self._door():
            return super().catalog(caller, cancel, **over)

    @contextmanager
    def _door(self) -> Iterator[None]:
        self.came.set()
        assert self.let_in.wait(DEADLINE)
        self.outcome = "answered"
        try:
            yield
        except Unavailable as error:
            self.outcome = str(error)
            raise
        finally:
            self.left.set()


async def _list_all(client: Client) -> None:
    await client.list_resources()


async def _ask(client: Client, tool: str, **arguments: object) -> None:
    await client.call_tool(tool, arguments)


async def _read(client: Client, uri: str) -> None:
    with suppress(MCPError):
        await client.read_resource(uri)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("patient", [True, False])
@pytest.mark.parametrize(
    "reading",
    [
        pytest.param(partial(_ask, tool="memory_search", query="staging"), id="search"),
        pytest.param(partial(_ask, tool="memory_open", id="0" * 26), id="open"),
        pytest.param(_list_all, id="list"),
        pytest.param(partial(_read, uri="memory://catalog"), id="catalog"),
        pytest.param(partial(_read, uri=f"memory://record/{'0' * 26}"), id="record"),
    ],
)
async def test_a_cancelled_read_is_stopped_and_another_is_not(
    root: Path, project: Path, mode: str, patient: bool, reading: Reading
) -> None:
    memory = Slow(Settings(home=root))
    with anyio.fail_after(DEADLINE):
        async with connect(memory, project, mode) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(reading, client)
            await anyio.to_thread.run_sync(memory.came.wait)
            if not patient:
                tasks.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    # Messages keep their order, so this is answered after the cancellation.
                    await client.list_tools()
            memory.let_in.set()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(memory.left.wait)
    memory.close()

    assert memory.outcome == ("answered" if patient else "cancelled")


@card("server.cancel")
def test_cancelled_searches_get_no_answer_and_leave_no_worker_behind(
    root: Path, project: Path
) -> None:
    root.mkdir(mode=0o700)
    with Serving(root, cwd=project) as server:
        with FileLock(root / "lock", timeout=10):
            # The first use of the store waits for this lock, so every search hangs in a worker.
            numbers = [server.send_call("memory_search", query="staging") for _ in range(8)]
            for number in numbers:
                server.wire.send(notification("notifications/cancelled", {"requestId": number}))
            server.wire.send(request("ping", "ping"))
            assert server.wire.answer("ping")["result"] == {}
        record_id = server.write(PORT)
        hits = server.text("memory_search", query="staging database")
        answered = {json.loads(line).get("id") for line in server.wire.raw}

    assert record_id in hits
    assert answered.isdisjoint(numbers)


def test_a_client_that_leaves_in_the_middle_of_a_search_ends_the_server(
    root: Path, project: Path
) -> None:
    with Serving(root, cwd=project) as server:
        for number in range(20):
            server.write(f"Shard {number} of the staging database.")
        server.wire.send(call("last", "memory_search", query="staging database " * 3_000))
        server.wire.close_input()
        code = server.wire.wait()
        last = server.wire.answer("last")["result"]

    assert code == 0
    assert "Shard" in last["content"][0]["text"]
