"""Which page of an answer a caller asks for, bound to its question."""

import base64
import hashlib

from memex_mcp.errors import Invalid
from memex_mcp.model.query import Query
from memex_mcp.retrieval.pages import decoded
from memex_mcp.text import lazily

_CURSOR = lazily.pattern(r"(\d{1,6})\.([0-9a-f]{16})")


def fingerprint(query: Query) -> str:
    """Sixteen characters that tell one question, filters included, from another."""
    asked: list[object] = [query.text, query.path, query.family, query.scope, query.limit]
    asked += [query.variants, query.kinds, query.types, query.tags, query.include]
    asked += [query.after, query.before, query.as_of, query.believed_at]
    asked += [query.apart_from, query.authors]
    digest = hashlib.sha256()
    for each in asked:
        digest.update(f"{each}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def write_cursor(query: Query, offset: int) -> str:
    """Name the page of this question's answer that begins with hit ``offset``."""
    plain = f"{offset}.{fingerprint(query)}"
    return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def read_offset(query: Query) -> int:
    """The hit that the query's cursor stands at; 0 without one.

    Raises:
        Invalid: The cursor was given to another question, or never given at all.
    """
    if not query.cursor:
        return 0
    match = _CURSOR.fullmatch(decoded(query.cursor))
    if match is None or match[2] != fingerprint(query):
        raise Invalid(
            "cursor belongs to another question",
            "Repeat the query and its filters exactly as they were, or leave the cursor out.",
        )
    return int(match[1])
