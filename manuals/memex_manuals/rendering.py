"""A manual from the one core: for a client, a model family and a language, in three forms."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from memex_manuals.clients import CLIENTS, GENERIC, Client
from memex_manuals.core import Line, Section, sections
from memex_manuals.families import BILINGUAL, DEFAULT, FAMILIES, STEPS, Family, Form

MANUAL_TOKENS, INSTRUCTIONS_TOKENS = 900, 400
"""What a whole manual and the server's instructions cost at most, in tokens of o200k."""

_SHOWN = {
    "en": "The tools appear as `{}` and so on.",
    "zh": "工具显示为 `{}` 等。",
}
_FIRST = "memory_search"


def render(client: str, family: str = "", language: str = "en", form: Form | None = None) -> str:
    """The whole manual, at most :data:`MANUAL_TOKENS`; the same bytes each time.

    Args:
        client: A key of ``CLIENTS``; of a stranger, what holds for any.
        family: A key of ``FAMILIES``; empty for the one that the client usually runs.
        language: ``en`` or ``zh``.
        form: How it is written; :func:`usual_form` when left out.

    Raises:
        ValueError: There is no manual in that language.
    """
    return _written(_whole(client, family, language), form or usual_form(client, family))


def instructions(
    client: str, family: str = "", language: str = "en", form: Form | None = None
) -> str:
    """The same as the server tells it to every client: :data:`INSTRUCTIONS_TOKENS` at most.

    Raises:
        ValueError: There is no manual in that language.
    """
    short = [
        replace(section, lines=tuple(line for line in section.lines if not line.full))
        for section in _whole(client, family, language)
    ]
    told = [section for section in short if section.lines]
    return _written(told, form or usual_form(client, family))


def usual_form(client: str, family: str = "") -> Form:
    """How a text for them is written; plainly where the client would garble every mark."""
    known = _client(client)
    return "plain" if known.escapes else _family(family or known.family).form


def _client(name: str) -> Client:
    return CLIENTS.get(name, CLIENTS[GENERIC])


def _family(name: str) -> Family:
    return FAMILIES.get(name, FAMILIES[DEFAULT])


def _whole(client: str, family: str, language: str) -> list[Section]:
    """The core with what the client and the family add to its first two sections."""
    known = _client(client)
    first, second, *rest = sections(language)
    model = _family(family or known.family)
    about = [*first.lines, *_about(known, language)]
    about += [Line(STEPS[language], full=True)] if model.steps else []
    search = [*second.lines, *([Line(BILINGUAL[language])] if model.bilingual else [])]
    return [replace(first, lines=tuple(about)), replace(second, lines=tuple(search)), *rest]


def _about(client: Client, language: str) -> Iterator[Line]:
    if client.shown != "{}":
        yield Line(_SHOWN[language].format(client.shown.format(_FIRST)), full=True)
    if client.note:
        yield Line(client.note[language], full=True)
    if client.load:
        yield Line(client.load[language])


def _written(told: Sequence[Section], form: Form) -> str:
    return {"xml": _xml, "markdown": _markdown, "plain": _plain}[form](told)


def _parts(section: Section) -> Iterator[tuple[bool, list[str]]]:
    """Statements and examples in turn."""
    for example, lines in groupby(section.lines, lambda line: line.example):
        yield example, [line.text for line in lines]


def _xml(told: Sequence[Section]) -> str:
    lines = ["<memory-manual>"]
    for section in told:
        lines.append(f"<{section.key}>")
        for example, texts in _parts(section):
            lines += ["<example>", *texts, "</example>"] if example else texts
        lines.append(f"</{section.key}>")
    return "\n".join([*lines, "</memory-manual>", ""]).replace("`", "")


def _markdown(told: Sequence[Section]) -> str:
    blocks = []
    for section in told:
        lines = [f"## {section.title}", ""]
        for example, texts in _parts(section):
            lines += ["", "```text", *texts, "```", ""] if example else [f"- {t}" for t in texts]
        blocks.append("\n".join(lines).rstrip())
    return "\n\n".join(blocks) + "\n"


def _plain(told: Sequence[Section]) -> str:
    blocks = []
    for section in told:
        lines = [section.title.upper()]
        for example, texts in _parts(section):
            lines += [f"  {each}" for each in texts] if example else texts
        blocks.append("\n".join(lines).replace("`", ""))
    return "\n\n".join(blocks) + "\n"
