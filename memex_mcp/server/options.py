"""How this server was started."""

from memex_mcp.model.levels import Level
from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line decides for one server.

    Attributes:
        workspace: Serve this workspace, whatever the client says.
        session_id: Serve this session, whatever the client says.
        levels: Turn these on for the workspace that is served.
        model: Which model reads; goes before what the settings and the client say.
        tools: Offer only these tools, of all that there are; the four when left out.
        all_tools: Offer the advanced ones as well.
        readonly: Offer no tool that writes, and refuse a call to one.
        structured: Declare output schemas and answer with ``structuredContent`` as well.
    """

    workspace: str | None = None
    session_id: str | None = None
    levels: tuple[Level, ...] = ()
    model: str = ""
    tools: tuple[str, ...] | None = None
    all_tools: bool = False
    readonly: bool = False
    structured: bool = False
