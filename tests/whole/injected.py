"""Who asks in the tests of what hooks put into a context, and about what."""

from pathlib import Path

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Kind, Scope, Surface
from memex_mcp.model.record import Draft

PROMPT = "which port does the staging database listen on"
PORT = "The staging database listens on port 5433."


def hook(memory: Memory, project: Path, session: str = "s-hook", client: str = "claude") -> Caller:
    evidence = Evidence(
        surface=Surface.HOOK,
        client=client,
        workspace=project,
        session_id=session,
        writes_as=Author.DERIVED,
    )
    return memory.caller(evidence)


def checkpoint(text: str) -> Draft:
    return Draft(text=text, kind=Kind.CHECKPOINT, scope=Scope.WORKSPACE)
