"""One server process, from its first line to its last."""

import logging
import os
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio

from memex_mcp import settings
from memex_mcp.errors import Unavailable
from memex_mcp.memory import Memory
from memex_mcp.server.app import build, initialization, survived
from memex_mcp.server.embedder import Embedder
from memex_mcp.server.options import Options
from memex_mcp.server.stdio import serve_stdio
from memex_mcp.server.watchdog import guarded
from memex_mcp.text import tokens

log = logging.getLogger(__name__)

_LOG_BYTES = 2_000_000


def serve(root: str | None, options: Options) -> None:
    """Serve one client on stdin and stdout until its input ends; the process ends with it.

    Raises:
        Invalid: ``options`` names a tool that does not exist.
    """
    chosen = settings.load(root)
    memory = Memory(chosen)
    server = build(memory, options)
    embedder = Embedder(memory, readonly=options.readonly)
    if not chosen.disabled:
        log_to(chosen.home)

    async def session() -> None:
        async with guarded(memory.close), anyio.create_task_group() as tasks:
            tasks.start_soon(_warm_up, memory, embedder, options.readonly)
            await serve_stdio(server, initialization(server))
            tasks.cancel_scope.cancel()

    try:
        anyio.run(session)
    finally:
        # A writer that takes longer than the client waits loses nothing: it commits or not.
        with suppress(Unavailable):
            memory.close()
        logging.shutdown()
    # The interpreter's own way out would wait for whatever call still runs on a thread.
    os._exit(0)


async def _warm_up(memory: Memory, embedder: Embedder, readonly: bool) -> None:
    """Bring index and files up to date while the client reads our greeting, then vectors."""
    refresh = partial(survived, partial(_refresh, memory, readonly=readonly))
    await anyio.to_thread.run_sync(refresh, abandon_on_cancel=True)
    embedder.start()


def _refresh(memory: Memory, *, readonly: bool) -> None:
    tokens.load_vocabulary(memory.settings.vocabulary)
    # Where nothing was ever remembered there is nothing to bring up to date.
    if not readonly and (memory.settings.home / "memex.db").exists():
        memory.refresh()


class _Discreet(logging.Formatter):
    """Lets other packages say where something happened, not what: they quote requests."""

    def format(self, record: logging.LogRecord) -> str:
        if record.name.partition(".")[0] != __package__.partition(".")[0]:
            record = logging.makeLogRecord(record.__dict__)
            record.msg, record.args = f"at {record.filename}:{record.lineno}", None
            record.exc_info = record.exc_text = record.stack_info = None
        return super().format(record)


def log_to(home: Path) -> None:
    """Log to a file beside the store: counts, codes and times, never what is remembered."""
    handler: logging.Handler
    try:
        handler = logging.FileHandler(_log_file(home / "logs"), encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_Discreet("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("memex_mcp").setLevel(logging.INFO)


def _log_file(folder: Path) -> Path:
    """The file that all servers of a store append to, readable by its owner alone.

    It is put aside when a server starts, never while one runs: the others go on in the file
    that they hold open, whatever its name has become.
    """
    for each in reversed((folder, *folder.parents)):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)
    file = folder / "memex.log"
    with suppress(OSError):
        # There is none yet, another server was quicker, or holds it in a way that forbids this.
        file.chmod(0o600)
        if file.stat().st_size > _LOG_BYTES:
            file.replace(folder / "memex.log.1")
    os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    return file
