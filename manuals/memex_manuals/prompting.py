"""Prompts that a person picks, and that the client then sends as if they had typed them.

Each language has a file of each.  It begins with lines of a name and a text, ``title`` and
``description`` first, the arguments after them; below the first empty line stands what is sent,
with every argument in braces where it belongs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from memex_manuals.core import LANGUAGES

NAMES = ("recall", "remember", "handoff", "distill", "status")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt in one language.

    Attributes:
        name: The same in every language.
        arguments: What each is, by its name; all of them are needed.
        text: What is sent, with ``{name}`` in the place of an argument.
    """

    name: str
    title: str
    description: str
    arguments: Mapping[str, str]
    text: str

    def filled(self, given: Mapping[str, str]) -> str:
        """What is sent; ``given`` holds every argument."""
        text = self.text
        for name in self.arguments:
            text = text.replace(f"{{{name}}}", given[name])
        return text


@cache
def prompts(language: str) -> Mapping[str, Prompt]:
    """The prompts of a language by their names, in their order.

    Raises:
        ValueError: There are none in that language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"there are no prompts in {language!r}; there are {', '.join(LANGUAGES)}")
    return {name: _prompt(name, language) for name in NAMES}


def _prompt(name: str, language: str) -> Prompt:
    path = files(__package__).joinpath("prompts", f"{name}.{language}.md")
    head, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    told = dict(line.split(": ", 1) for line in head.splitlines())
    title, description = told.pop("title"), told.pop("description")
    return Prompt(name=name, title=title, description=description, arguments=told, text=text)
