"""What models add to a recall; each of them may be missing."""

from collections.abc import Sequence

from memex_mcp.llm.ports import Reranker
from memex_mcp.store.vectors import Space
from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question as a point.

    Attributes:
        space: Where its neighbours are looked for.
        vector: Of length 1; None when the model did not answer.
    """

    space: Space
    vector: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Aids:
    """The models of one recall.

    Attributes:
        meaning: The question, embedded before the snapshot was taken.
        reranker: Reads the question and the best candidates side by side.
    """

    meaning: Meaning | None = None
    reranker: Reranker | None = None


NONE = Aids()
