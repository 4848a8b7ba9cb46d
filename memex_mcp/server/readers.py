"""Who reads: what each client is instructed, and in which form it is answered."""

from collections.abc import Mapping
from functools import lru_cache

from mcp.server.context import CallNext, HandlerResult

from memex_manuals.clients import client_of
from memex_manuals.families import DEFAULT, FAMILIES
from memex_manuals.rendering import instructions
from memex_mcp.model.caller import Caller
from memex_mcp.profiles.profile import Profile
from memex_mcp.profiles.reader import reader
from memex_mcp.profiles.tuned import tuning
from memex_mcp.retrieval.tuning import Tuning
from memex_mcp.server.callers import Context, client_name
from memex_mcp.settings import Settings
from memex_mcp.text.fence import Format

_INTRODUCTIONS = {"initialize", "server/discover"}
_STRANGERS = 64


class Readers:
    """Knows the profile of every client that this server serves.

    Args:
        settings: What the user wants.
        model: Given on the command line; goes before everything else.
    """

    def __init__(self, settings: Settings, model: str) -> None:
        self._settings = settings
        self._model = model
        self._instructions = lru_cache(_STRANGERS)(self._written)

    def profile(self, caller: Caller) -> Profile:
        """The profile of a caller's model."""
        return reader(self._settings, caller.client, self._model)

    def form(self, caller: Caller) -> Format:
        """How a caller's answers are fenced."""
        return self.profile(caller).format

    def tuning(self, caller: Caller) -> Tuning:
        """How a caller's searches are done."""
        return tuning(self.profile(caller))

    def language(self, client: str) -> str:
        """In which language a client is told what is not its own."""
        return reader(self._settings, client, self._model).language

    def instructions(self, client: str) -> str:
        """What a client is instructed; the same bytes each time."""
        return self._instructions(client_of(client))

    async def introduce(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Instruct each client in its own form; a member of ``Server.middleware``.

        The SDK has one text for all of them.
        """
        result = await call_next(ctx)
        if ctx.method in _INTRODUCTIONS and isinstance(result, dict):
            return result | {"instructions": self.instructions(_introduced(ctx))}
        return result

    def _written(self, client: str) -> str:
        who = reader(self._settings, client, self._model)
        family = who.family if who.family in FAMILIES else DEFAULT
        return instructions(client, family, who.language, who.format.value)


def _introduced(ctx: Context) -> str:
    """How the client calls itself; in the handshake, the connection does not know it yet."""
    info = (ctx.params or {}).get("clientInfo")
    name = info.get("name") if isinstance(info, Mapping) else None
    return name if isinstance(name, str) else client_name(ctx)
