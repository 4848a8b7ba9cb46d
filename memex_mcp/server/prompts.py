"""Prompts a person picks: recall, remember, handoff, distill, status."""

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

from memex_manuals import text
from memex_mcp.server.callers import Context

PROMPTS = (
    Prompt(
        name="recall",
        title="Recall",
        description="Find what memory holds about a topic.",
        arguments=[PromptArgument(name="topic", description="what about", required=True)],
    ),
    Prompt(
        name="remember",
        title="Remember",
        description="Write something to memory, without doubling it.",
        arguments=[PromptArgument(name="what", description="what to keep", required=True)],
    ),
    Prompt(
        name="handoff", title="Hand off", description="Leave what the next session needs to know."
    ),
    Prompt(
        name="distill", title="Distill", description="Propose what of this talk is worth keeping."
    ),
    Prompt(name="status", title="Status", description="How memory stands here."),
)


async def list_prompts(
    _context: Context, _params: PaginatedRequestParams | None
) -> ListPromptsResult:
    """All prompts, on one page."""
    return ListPromptsResult(prompts=list(PROMPTS))


async def get_prompt(_context: Context, params: GetPromptRequestParams) -> GetPromptResult:
    """One prompt with its arguments filled in."""
    known = {prompt.name: prompt for prompt in PROMPTS}
    if params.name not in known:
        raise MCPError(INVALID_PARAMS, f"there is no prompt {params.name[:40]!r}")
    prompt = known[params.name]
    filled = text(f"prompts/{prompt.name}")
    given = params.arguments or {}
    for argument in prompt.arguments or []:
        value = given.get(argument.name, "").strip()
        if not value:
            raise MCPError(INVALID_PARAMS, f"argument {argument.name} is missing")
        filled = filled.replace("{" + argument.name + "}", value)
    message = PromptMessage(role="user", content=TextContent(type="text", text=filled))
    return GetPromptResult(description=prompt.description, messages=[message])
