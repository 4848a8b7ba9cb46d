"""When a match is too thin to be an answer.

Single common words match something in any store, so a search for what is not there would
always come back with something.  The floor asks for evidence that does not depend on what
else was found.
"""

from memex_mcp.retrieval.evidence import Coverage
from memex_mcp.retrieval.query import Asked

LEAST = 0.34
"""Share of the question that a hit has to hold."""

ENOUGH = 16.0
"""Rarity that is enough whatever share of a long question it is: about three rare words."""


def passes(asked: Asked, coverage: Coverage) -> bool:
    """Whether a candidate holds enough of the question to be shown."""
    return coverage.whole >= LEAST or coverage.mass >= ENOUGH
