"""Secrets leave a draft before anything else sees it, and so does what cannot be stored."""

import json
from collections.abc import Callable
from dataclasses import field, replace

from memex_mcp.model.record import Draft
from memex_mcp.model.turn import Envelope
from memex_mcp.text import lazily, literals
from memex_mcp.text.secrets import mask
from memex_mcp.values import dataclass

_SHORTEST = 8
_PIECES = lazily.pattern(r"[\r\n]+|\\+[rn]")


@dataclass(slots=True)
class Found:
    """The secrets that were replaced.

    Attributes:
        kinds: One for each, in order of appearance.
        secrets: Kind by value, as far as a value can be told from ordinary words.
    """

    kinds: list[str] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict, repr=False)

    def clean(self, text: str) -> str:
        """The text with a placeholder for every secret."""
        if not text:
            return text
        done = mask(text)
        self.kinds += done.kinds
        for value, kind in zip(done.values, done.kinds, strict=True):
            # Of a key block every line is as secret as the whole.
            for piece in _PIECES.split(value):
                if _telling(piece):
                    self.secrets[piece] = kind
        return done.text

    def hide(self, text: str) -> str:
        """The text without the secrets that are known already."""
        for value in sorted(self.secrets, key=len, reverse=True):
            if value in text:
                kind = self.secrets[value]
                self.kinds += [kind] * text.count(value)
                text = text.replace(value, f"[MASKED:{kind}]")
        return text


def masked(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft with a placeholder for every secret in every field, and their kinds."""
    found = Found()
    clean = cleaned(draft, found)
    return clean, tuple(found.kinds)


def cleaned(draft: Draft, found: Found) -> Draft:
    """The draft with a placeholder for every secret; what was replaced is added to ``found``."""
    clean = _each(draft, found.clean, found.clean)
    lines = tuple(_line(line, found) for line in draft.events)
    return screened(replace(clean, events=lines), found)


def but_its_lines(draft: Draft, found: Found) -> tuple[Draft, bool]:
    """The draft with a placeholder for every secret but those in its lines.

    Returns:
        The draft, and whether its lines hold any; what they give away is hidden elsewhere.
    """
    kept = Found()
    for line in draft.events:
        _line(line, kept)
    found.secrets.update(kept.secrets)
    clean = cleaned(replace(draft, events=()), found)
    return replace(clean, events=draft.events), bool(kept.kinds)


def screened(draft: Draft, found: Found) -> Draft:
    """The draft without secrets that are known, also where nothing around gives them away."""
    if not found.secrets:
        return draft
    lines = []
    for line in draft.events:
        data = literals.rewrite(line.data, found.hide)
        lines.append(line if data == line.data else replace(line, data=data, masked=True))
    return replace(_each(draft, found.hide, found.hide), events=tuple(lines))


def masked_line(line: Envelope) -> Envelope:
    """A line of a transcript without its secrets, for those who have no draft of it."""
    return _line(line, Found())


def _telling(value: str) -> bool:
    """Whether a value is nothing that anybody would say without meaning the secret."""
    if "[MASKED:" in value or len(value) < _SHORTEST:
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _line(line: Envelope, found: Found) -> Envelope:
    """A line of a transcript without its secrets.

    It stays JSON if it is JSON, and keeps the hash of its original bytes.
    """
    # What has escapes in it is read as it is said: a line break is none of a password.
    data = literals.rewrite(line.data, found.clean, escaped=True)
    rest, aside = literals.set_aside(data)
    whole = literals.put_back(found.clean(rest), aside)
    if whole != data and literals.is_json(data) and not literals.is_json(whole):
        # A secret that was no string: a placeholder needs its quotation marks.
        whole = literals.compact(_placed(json.loads(data)))
    kind = found.clean(line.type)
    if (whole, kind) == (line.data, line.type):
        return line
    return replace(line, data=whole, type=kind, masked=True)


def _placed(value: object) -> object:
    """A JSON value with placeholders."""
    if isinstance(value, dict):
        return {mask(name).text: _under(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_placed(inner) for inner in value]
    return mask(value).text if isinstance(value, str) else value


def _under(name: str, value: object) -> object:
    """A value with the name that may say that it is a secret."""
    if isinstance(value, dict | list):
        return _placed(value)
    told = mask(literals.compact({name: value}))
    return f"[MASKED:{told.kinds[-1]}]" if told.kinds else value


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
