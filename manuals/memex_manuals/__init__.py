"""What the agent reads.  One folder of texts, the same for every surface that shows them."""

from memex_manuals.clients import CLIENTS, client_of
from memex_manuals.core import LANGUAGES
from memex_manuals.families import FAMILIES, Form
from memex_manuals.prompting import prompts
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
    "Form",
    "client_of",
    "instructions",
    "prompts",
    "render",
    "usual_form",
]
