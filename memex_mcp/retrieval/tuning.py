"""What of a recall can be set: by a model profile, or to measure what each part is worth."""

from memex_mcp.retrieval.floor import DEFAULT as FLOOR
from memex_mcp.retrieval.floor import Floor
from memex_mcp.retrieval.meaning import DEFAULT as SIMILAR
from memex_mcp.retrieval.meaning import Similar
from memex_mcp.retrieval.rerank import DEFAULT as WEIGHTS
from memex_mcp.retrieval.rerank import Weights
from memex_mcp.text.fence import Format
from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """One way to recall.

    Attributes:
        legs: Names of the legs that search.
        weights: What each feature is worth.
        floor: How much evidence an answer needs.
        similar: How near in meaning is evidence enough.
        diversify: Repetitions collapse, and sessions take turns.
        spread: What is linked to the hits fills the places that they leave.
        form: How the fence around an answer is written, which costs more or less of its budget.
        reasons: An answer without hits says what hides them, which takes four more searches.
    """

    legs: frozenset[str] = frozenset({"card", "body", "exact", "dense"})
    weights: Weights = WEIGHTS
    floor: Floor = FLOOR
    similar: Similar = SIMILAR
    diversify: bool = True
    spread: bool = True
    form: Format = Format.XML
    reasons: bool = True


DEFAULT = Tuning()
