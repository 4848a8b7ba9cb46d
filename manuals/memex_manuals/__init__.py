"""What the agent reads.  One folder of texts, the same for every surface that shows them."""

from importlib.resources import files

from memex_manuals.clients import CLIENTS, client_of
from memex_manuals.core import LANGUAGES
from memex_manuals.families import FAMILIES
from memex_manuals.rendering import (
    INSTRUCTIONS_TOKENS,
    MANUAL_TOKENS,
    instructions,
    render,
    usual_form,
)

__all__ = [
    "CLIENTS",
    "FAMILIES",
    "INSTRUCTIONS_TOKENS",
    "LANGUAGES",
    "MANUAL_TOKENS",
    "client_of",
    "instructions",
    "render",
    "text",
    "usual_form",
]


def text(name: str) -> str:
    """The text called ``name``, such as ``prompts/recall``.

    Raises:
        FileNotFoundError: There is no such text.
    """
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")
