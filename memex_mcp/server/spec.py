"""What a tool is: as it is advertised, and as it answers."""

from collections.abc import Awaitable, Callable, Mapping

from mcp.types import Tool, ToolAnnotations
from pydantic import BaseModel

from memex_mcp.model.caller import Caller
from memex_mcp.retrieval.plain import Plain
from memex_mcp.server.arguments import Arguments
from memex_mcp.server.schemas import or_error, slim
from memex_mcp.values import dataclass

Given = Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer in its two forms: text for models, structure for programs."""

    text: str
    structure: Plain


Handler = Callable[[Caller, Given], Awaitable[Answer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One tool as it is advertised."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    output: type[BaseModel]
    writes: bool
    idempotent: bool = True
    always_load: bool = False

    def tool(self, *, structured: bool) -> Tool:
        """The tool in the protocol's own form."""
        annotations = ToolAnnotations(
            title=self.title,
            read_only_hint=not self.writes,
            destructive_hint=False,
            idempotent_hint=self.idempotent,
            open_world_hint=False,
        )
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=slim(self.arguments),
            output_schema=or_error(self.output) if structured else None,
            annotations=annotations,
            _meta={"anthropic/alwaysLoad": True} if self.always_load else None,
        )
