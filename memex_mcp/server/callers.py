"""Who is calling: the client of this connection, its session and its workspace."""

import logging
import warnings
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.ids import new_session_id
from memex_mcp.model.kinds import Surface

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]
_ROOTS_SECONDS = 1.0
_CODEX_TURN = "x-codex-turn-metadata"


@dataclass
class Callers:
    """Makes out the caller of a request and remembers it.

    Args:
        workspace: Given on the command line.
        session_id: Given on the command line.
    """

    memory: Memory
    workspace: str | None = None
    session_id: str | None = None
    readonly: bool = False
    _own_session: str = field(default_factory=new_session_id)
    _roots: tuple[str, ...] | None = None
    _known: dict[tuple[str, str], Caller] = field(default_factory=dict)

    async def of(self, context: Context) -> Caller:
        """The caller of one request.

        Raises:
            Invalid: The workspace given on the command line does not exist.
            Denied: It can never be a workspace.
        """
        client = _client(context)
        session = self.session_id or _codex_session(context)
        session = session or self.memory.settings.session_id or self._own_session
        if (client, session) not in self._known:
            evidence = Evidence(
                surface=Surface.TOOL,
                client=client,
                workspace=self.workspace,
                roots=await self._offered(context),
                session_id=session,
                readonly=self.readonly,
            )
            self._known[client, session] = await anyio.to_thread.run_sync(
                self.memory.caller, evidence
            )
        return self._known[client, session]

    async def _offered(self, context: Context) -> tuple[str, ...]:
        """The client's roots, asked for once and only where nothing better is known."""
        if self.workspace or self.memory.settings.project:
            return ()
        if self._roots is None:
            self._roots = await _ask_roots(context)
        return self._roots


def _client(context: Context) -> str:
    params = context.session.client_params
    name = params.client_info.name if params else ""
    return name[:64] or "unknown"


def _codex_session(context: Context) -> str | None:
    turn = (context.meta or {}).get(_CODEX_TURN)
    session = turn.get("session_id") if isinstance(turn, dict) else None
    return session if isinstance(session, str) and session else None


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
        return tuple(str(root.uri) for root in offered.roots)
    return ()
