"""The server: tools, resources and prompts of one memory, for clients of both eras."""

import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from typing import Any

from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from pydantic import ValidationError

from memex_mcp.errors import Denied, Invalid, MemexError
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.server import failures
from memex_mcp.server.advanced import SPECS as ADVANCED
from memex_mcp.server.callers import Callers, Context
from memex_mcp.server.events import ChangeNotices
from memex_mcp.server.levels import StartingLevels
from memex_mcp.server.options import Options
from memex_mcp.server.prompts import Prompts
from memex_mcp.server.readers import Readers
from memex_mcp.server.resources import Resources
from memex_mcp.server.spec import Spec
from memex_mcp.server.threads import Threads
from memex_mcp.server.tools import SPECS, Toolbox

log = logging.getLogger(__name__)


def build(memory: Memory, options: Options) -> Server[Any]:
    """Put a server together; it opens the store on the first call that needs it.

    Raises:
        Invalid: ``options.tools`` names a tool that does not exist.
    """
    notices = ChangeNotices()
    threads = Threads()
    callers = Callers(
        memory=memory,
        threads=threads,
        workspace=options.workspace,
        session_id=options.session_id,
        readonly=options.readonly,
    )
    readers = Readers(memory.settings, options.model)
    resources = Resources(memory, threads, callers, notices, readers)
    prompts = Prompts(readers)
    desk = _Desk(Toolbox(memory, threads, readers), options, callers)
    starting = StartingLevels(threads, callers, _turning_on(memory, options))
    memory.on_change(notices.note)
    server: Server[Any] = Server(
        "memex",
        title="memex",
        version=version("memex-mcp-server"),
        instructions=readers.instructions(""),
        lifespan=partial(_running, notices, starting),
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        on_list_resources=resources.list_all,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        on_subscribe_resource=resources.subscribe,
        on_unsubscribe_resource=resources.unsubscribe,
        on_subscriptions_listen=ListenHandler(notices.bus),
        on_list_prompts=prompts.list_all,
        on_get_prompt=prompts.get,
    )
    server.middleware += [_guarded, notices.introduce, starting.introduce, readers.introduce]
    return server


@asynccontextmanager
async def _running(
    notices: ChangeNotices, starting: StartingLevels, server: object
) -> AsyncGenerator[dict[str, Any]]:
    async with notices.running(server) as state, starting.running():
        yield state


def _turning_on(memory: Memory, options: Options) -> Callable[[Caller], None] | None:
    if not options.levels:
        return None
    return lambda caller: survived(partial(memory.switches.start_with, options.levels, caller))


def initialization(server: Server[Any]) -> InitializationOptions:
    """What ``initialize`` answers: this server tells of changed resources."""
    return server.create_initialization_options(NotificationOptions(resources_changed=True))


def survived(work: Callable[[], object]) -> None:
    """Do what the server can live without; a failure goes to the log."""
    try:
        work()
    except MemexError as error:
        log.warning("%s: work in the background was given up", error.code)
    except Exception as error:  # noqa: BLE001  # the worker boundary: a bug must not end the server
        failures.note(error)


async def _guarded(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Answer what fails outside the tools; the SDK would tell the exception's own text."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:
        raise failures.protocol(error) from error


class _Desk:
    """Takes tool calls and turns every outcome into an answer."""

    def __init__(self, toolbox: Toolbox, options: Options, callers: Callers) -> None:
        self._toolbox = toolbox
        self._specs = _offered(options)
        self._structured = options.structured
        self._callers = callers

    async def list_tools(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """The tools that this server offers, on one page."""
        tools = [spec.tool(structured=self._structured) for spec in self._specs.values()]
        return ListToolsResult(tools=tools)

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Run one tool; whatever happens, there is an answer."""
        began = time.monotonic()
        outcome = "ok"
        try:
            return await self._answer(context, params)
        except MemexError as error:
            outcome = error.code
            return failures.told(error, structured=self._structured)
        except Exception as error:  # noqa: BLE001  # the tool boundary: a bug must not end the server
            outcome = "bug"
            return failures.bug(error, structured=self._structured)
        finally:
            took = (time.monotonic() - began) * 1000
            name = params.name if params.name in self._specs else "another tool"
            log.info("%s %s %.1f ms", name, outcome, took)

    async def _answer(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in self._specs:
            raise _unknown(params.name, self._specs)
        caller = await self._callers.of(context)
        answer = await self._toolbox.call(params.name, caller, params.arguments)
        return CallToolResult(
            content=[TextContent(type="text", text=answer.text)],
            structured_content=answer.structure if self._structured else None,
        )


def _offered(options: Options) -> dict[str, Spec]:
    known = {spec.name: spec for spec in (*SPECS, *ADVANCED)}
    for name in options.tools or ():
        if name not in known:
            raise Invalid(f"there is no tool {name!r}", f"Known are: {', '.join(known)}.")
    usual = known if options.all_tools else (spec.name for spec in SPECS)
    wanted = tuple(usual) if options.tools is None else options.tools
    return {name: known[name] for name in wanted if not (options.readonly and known[name].writes)}


def _unknown(name: str, offered: dict[str, Spec]) -> MemexError:
    if any(spec.name == name for spec in (*SPECS, *ADVANCED)):
        return Denied(f"this server does not offer {name}", f"It offers: {', '.join(offered)}.")
    return Invalid(f"there is no tool {name[:60]!r}", f"Known are: {', '.join(offered)}.")
