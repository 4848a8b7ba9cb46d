"""Masking: secrets out, everything around them untouched.

Literals decide where to look, so that ordinary text costs a few passes at memory speed: runs of
token characters for issuer prefixes, markers such as ``://``, and names such as ``password``.
Only there a rule runs.  A secret is masked even when its neighbours are malformed: text is
never parsed as JSON, YAML or a URL.
"""

import re
from collections.abc import Iterator
from dataclasses import field

from memex_mcp.text import secret_names, secret_rules, secret_values
from memex_mcp.text.secret_rules import RULES_VERSION, compiled, find
from memex_mcp.values import dataclass

__all__ = ["RULES_VERSION", "Masked", "mask"]


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets.

    Attributes:
        text: Each secret replaced by ``[MASKED:kind]``.
        kinds: One entry per replaced secret, in order of appearance; empty if there was none.
        values: What was replaced, in the same order; to be used at once and kept nowhere.
    """

    text: str
    kinds: tuple[str, ...]
    values: tuple[str, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class _Span:
    """Where a secret is, and of which kind."""

    start: int
    end: int
    kind: str


_RUN = 16
_RUN_CLASS = bytes(
    ord("x") if (chr(code).isalnum() and code < 128) or chr(code) in "_.-" else ord(" ")
    for code in range(256)
)
# A run may begin with the tail of an escape: \n, %3D, \u003d, a colour code, or dots and dashes.
_ESCAPE_TAIL = r"(?<=\\)(?:u[0-9A-Fa-f]{4}|[nrtbf])|(?<=%)[0-9A-Fa-f]{2}|(?<=\[)[0-9]{1,3}m|[-._]+"
_KEY_LINE = (
    r"(?:\\n|\\r|[\s>|+\"'`*#,-]){0,24}(?:[A-Za-z0-9+/=]{16,}|[A-Z][A-Za-z-]{3,24}: [^\n\\]{1,80})"
)
_KEY_TAIL = (
    r"(?:\\n|\\r|[\s>|+\"'`*#,-]){0,24}"
    r"(?:[A-Za-z0-9+/]{1,15}={1,2}|=?(?=[A-Za-z+/]*[0-9])[A-Za-z0-9+/]{4,15})(?![A-Za-z])"
)
_KEY_HEAD = r"-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----"


def mask(text: str) -> Masked:
    """Replace every secret by ``[MASKED:kind]``; masking twice changes nothing more."""
    kinds: list[str] = []
    values: list[str] = []
    while spans := _merged(_spans(text)):
        parts: list[str] = []
        done = 0
        for span in spans:
            parts += (text[done : span.start], f"[MASKED:{span.kind}]")
            kinds.append(span.kind)
            values.append(text[span.start : span.end])
            done = span.end
        text = "".join((*parts, text[done:]))
    return Masked(text, tuple(kinds), tuple(values))


def _spans(text: str) -> Iterator[_Span]:
    # One byte per code point, so an offset in these is an offset in the text.
    plain = text.encode("ascii", "replace")
    lowered = plain.lower()
    yield from _private_keys(text, plain)
    yield from _tokens(text, plain.translate(_RUN_CLASS))
    yield from _marked(text, lowered)
    for start, end, kind in secret_names.assigned(text, lowered):
        yield _Span(start, end, kind)


def _merged(spans: Iterator[_Span]) -> list[_Span]:
    """Sort spans and join those that overlap; the one that starts first, or is longer, names it."""
    merged: list[_Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = _Span(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return merged


def _tokens(text: str, classes: bytes) -> Iterator[_Span]:
    needle = b"x" * _RUN
    start = classes.find(needle)
    while start >= 0:
        end = classes.find(b" ", start + _RUN)
        end = len(text) if end < 0 else end
        yield from _token(text, start)
        if tail := compiled(_ESCAPE_TAIL).match(text, start, end):
            yield from _token(text, tail.end())
        start = classes.find(needle, end)


def _token(text: str, start: int) -> Iterator[_Span]:
    prefix = text[start : start + secret_rules.TOKEN_START]
    for kind, pattern in secret_rules.TOKENS_BY_START.get(prefix, ()):
        found = compiled(pattern).match(text, start)
        if found and _issued(found[0][: secret_values.LOOK]):
            yield _Span(start, found.end(), kind)
            return


def _issued(token: str) -> bool:
    if len(set(token)) < 8:
        return False
    # sk-ant-your-key-goes-here: many separators and words between them.
    return token.count("-") + token.count("_") < 4 or not secret_values.wordy(token)


def _marked(text: str, lowered: bytes) -> Iterator[_Span]:
    for rule in secret_rules.MARKED:
        rest = 0
        while (at := find(lowered, rule.anchor, rest)) >= 0:
            rest = at + len(rule.anchor)
            pattern = compiled(rule.pattern, re.IGNORECASE)
            found = pattern.match(text, at - rule.lead) if at >= rule.lead else None
            if found and _passes(rule.check, found[1][: secret_values.LOOK]):
                yield _Span(*found.span(1), rule.kind)
                rest = found.end(1)


def _passes(check: str, value: str) -> bool:
    if check == "random":
        return secret_values.random_like(value, 16)
    if check == "password":
        return secret_values.url_password(value)
    if check == "basic":
        return secret_values.basic_credentials(value)
    return not secret_values.placeholder(value)


def _private_keys(text: str, plain: bytes) -> Iterator[_Span]:
    """Find key blocks; one without its END line is masked as far as its lines look like a key."""
    at = find(plain, b"-----BEGIN ", 0)
    while at >= 0:
        following = plain.find(b"-----BEGIN ", at + 1)
        head = compiled(_KEY_HEAD).match(text, at)
        if head:
            limit = len(text) if following < 0 else following
            end = _key_end(text, head.end(), limit)
            if end > head.end():
                yield _Span(at, end, "private-key")
        at = following


def _key_end(text: str, start: int, limit: int) -> int:
    line, tail = compiled(_KEY_LINE), compiled(_KEY_TAIL)
    end = start
    while found := line.match(text, end, limit):
        end = found.end()
    if end == start:
        return start
    footer = text.find("-----END ", end, limit)
    if 0 <= footer <= end + 200:
        close = text.find("-----", footer + 9, min(limit, footer + 60))
        return footer + 9 if close < 0 else close + 5
    found = tail.match(text, end, limit)
    return found.end() if found else end
