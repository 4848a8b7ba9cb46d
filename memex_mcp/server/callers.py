"""Who is calling: the client of this connection, its session and its workspace."""

import logging
import warnings
from dataclasses import field
from functools import partial
from typing import Any

import anyio
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from pydantic import ValidationError

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.ids import new_session_id
from memex_mcp.model.kinds import Surface
from memex_mcp.server.threads import Threads
from memex_mcp.values import dataclass

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]
_ROOTS_SECONDS = 1.0
_CODEX_TURN = "x-codex-turn-metadata"
_CLIENT_CHARACTERS = 64
# A session id names the owner of records; what is longer is no id.
_SESSION_CHARACTERS = 200


@dataclass(slots=True)
class Callers:
    """Makes out the caller of a request, anew each time: a branch may have changed.

    Args:
        workspace: Given on the command line.
        session_id: Given on the command line.
    """

    memory: Memory
    threads: Threads
    workspace: str | None = None
    session_id: str | None = None
    readonly: bool = False
    _own_session: str = field(default_factory=new_session_id)
    _roots: tuple[str, ...] | None = None

    async def of(self, context: Context) -> Caller:
        """The caller of one request.

        Raises:
            Invalid: The workspace given on the command line does not exist.
            Denied: It can never be a workspace.
        """
        session = self.session_id or _codex_session(context)
        session = session or self.memory.settings.session_id or self._own_session
        evidence = Evidence(
            surface=Surface.TOOL,
            client=client_name(context),
            workspace=self.workspace,
            roots=await self._offered(context),
            session_id=session,
            readonly=self.readonly,
        )
        return await self.threads.run(partial(self.memory.caller, evidence))

    async def _offered(self, context: Context) -> tuple[str, ...]:
        """The client's roots, asked for once and only where nothing better is known."""
        if self.workspace or self.memory.settings.project:
            return ()
        if self._roots is None:
            self._roots = await _ask_roots(context)
        return self._roots


def client_name(context: Context) -> str:
    """How the client of a request calls itself, in printable characters."""
    params = context.session.client_params
    name = params.client_info.name if params else ""
    plain = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(plain.split())[:_CLIENT_CHARACTERS].strip() or "unknown"


def _codex_session(context: Context) -> str | None:
    turn = (context.meta or {}).get(_CODEX_TURN)
    session = turn.get("session_id") if isinstance(turn, dict) else None
    if not isinstance(session, str) or not session.isprintable():
        return None
    return session.strip() or None if len(session) <= _SESSION_CHARACTERS else None


async def _ask_roots(context: Context) -> tuple[str, ...]:
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None or not context.session.can_send_request:
        return ()
    with warnings.catch_warnings(), anyio.move_on_after(_ROOTS_SECONDS):
        # Deprecated for 2026-07-28, which has no way to ask; earlier clients do offer them.
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        try:
            offered = await context.session.list_roots()
        except MCPError as error:
            log.info("the client offers no roots: code %s", error.code)
            return ()
        except ValidationError:
            log.info("the client offers roots that are none")
            return ()
        return tuple(str(root.uri) for root in offered.roots)
    return ()
