"""Secrets leave a draft before anything else sees it."""

from dataclasses import replace

from memex_mcp.model.record import Draft
from memex_mcp.text.secrets import mask

_LINES = ("title", "use_when", "source", "source_version", "dedupe_key")
_LISTS = ("tags", "aliases", "questions")


def masked(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft with a placeholder for every secret in every field, and their kinds."""
    found: list[str] = []

    def clean(text: str) -> str:
        done = mask(text)
        found.extend(done.kinds)
        return done.text

    lines = {name: clean(getattr(draft, name)) for name in _LINES if getattr(draft, name)}
    lists = {name: tuple(map(clean, getattr(draft, name))) for name in _LISTS}
    safe = replace(draft, text=clean(draft.text), **lines, **lists)
    return safe, tuple(found)


def printable(draft: Draft) -> Draft:
    """The draft without what no file or database can hold: lone surrogates become U+FFFD.

    Single-line fields lose line breaks and NUL as well; the body keeps them.
    """
    lines = {name: _line(getattr(draft, name)) for name in _LINES if getattr(draft, name)}
    lists = {name: tuple(map(_line, getattr(draft, name))) for name in _LISTS}
    return replace(draft, text=_whole(draft.text), **lines, **lists)


def _whole(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _line(text: str) -> str:
    return " ".join(_whole(text).replace("\0", " ").split())
