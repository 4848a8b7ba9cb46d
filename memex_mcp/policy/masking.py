"""Secrets leave a draft before anything else sees it, and so does what cannot be stored."""

from collections.abc import Callable
from dataclasses import replace

from memex_mcp.model.record import Draft
from memex_mcp.text.secrets import mask


def masked(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft with a placeholder for every secret in every field, and their kinds."""
    found: list[str] = []

    def clean(text: str) -> str:
        if not text:
            return text
        done = mask(text)
        found.extend(done.kinds)
        return done.text

    return _each(draft, clean, clean), tuple(found)


def printable(draft: Draft) -> Draft:
    """The draft without what no file or database can hold: lone surrogates become U+FFFD.

    Single-line fields lose line breaks and NUL as well; the body keeps them.
    """
    return _each(draft, _whole, one_line)


def _each(draft: Draft, body: Callable[[str], str], line: Callable[[str], str]) -> Draft:
    """Every field that a writer fills with words, passed through a function."""
    return replace(
        draft,
        text=body(draft.text),
        title=line(draft.title),
        summary=line(draft.summary),
        use_when=line(draft.use_when),
        source=line(draft.source),
        source_version=line(draft.source_version),
        dedupe_key=None if draft.dedupe_key is None else line(draft.dedupe_key),
        tags=tuple(map(line, draft.tags)),
        aliases=tuple(map(line, draft.aliases)),
        questions=tuple(map(line, draft.questions)),
    )


def _whole(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def one_line(text: str) -> str:
    """The text on one line, without what a line of a file or a table cannot hold."""
    return " ".join(_whole(text).replace("\0", " ").split())
