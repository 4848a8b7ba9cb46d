"""Prompts a person picks, in the language in which their client is instructed."""

from collections.abc import Mapping

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from memex_manuals.prompting import prompts
from memex_mcp.server.callers import Context, client_name
from memex_mcp.server.readers import Readers


class Prompts:
    """Lists the prompts and fills one in.

    Args:
        readers: Knows who reads.
    """

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    async def list_all(
        self, context: Context, _params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        """All prompts, on one page."""
        known = prompts(self._readers.language(client_name(context))).values()
        return ListPromptsResult(
            prompts=[
                Prompt(
                    name=each.name,
                    title=each.title,
                    description=each.description,
                    arguments=[
                        PromptArgument(name=name, description=told, required=True)
                        for name, told in each.arguments.items()
                    ]
                    or None,
                )
                for each in known
            ]
        )

    async def get(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        """One prompt with its arguments filled in."""
        known = prompts(self._readers.language(client_name(context)))
        if params.name not in known:
            raise MCPError(INVALID_PARAMS, f"there is no prompt {params.name[:40]!r}")
        prompt = known[params.name]
        filled = prompt.filled(_given(prompt.arguments, params.arguments or {}))
        message = PromptMessage(role="user", content=TextContent(type="text", text=filled))
        return GetPromptResult(description=prompt.description, messages=[message])


def _given(wanted: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    found = {name: given.get(name, "").strip() for name in wanted}
    for name, value in found.items():
        if not value:
            raise MCPError(INVALID_PARAMS, f"argument {name} is missing")
    return found
