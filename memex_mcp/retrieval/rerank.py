"""What makes one candidate better than another, as numbers that add up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log1p

from memex_mcp.model.kinds import Kind

HALF_LIFE_DAYS = {
    Kind.NOTE: 180.0,
    Kind.SPAN: 45.0,
    Kind.CHECKPOINT: 45.0,
    Kind.DIGEST: 90.0,
    Kind.SCENE: 90.0,
    Kind.PERSONA: 365.0,
}
OLDEST = 0.5
"""However old a record is, its recency is no less than this."""

REACH = 2
"""Records before and after in the same session that count as neighbours."""

_OPENED_OFTEN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each feature is worth; the greatest possible sum does not matter, ratios do."""

    fused: float = 1.0
    coverage: float = 1.0
    title: float = 0.1
    asked: float = 0.1
    exact: float = 0.5
    neighbour: float = 0.3
    recency: float = 0.1
    usage: float = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """One candidate in numbers from 0 to 1.

    Attributes:
        fused: Agreement of the rankings.
        coverage: Share of the question, weighted by rarity, that card and chunk hold.
        title: The same for the title alone.
        asked: The same for the best single alias or question.
        exact: Share of the quoted phrases and identifiers that stand there word for word.
        recency: See :func:`recency`.
        usage: See :func:`usage`.
        salience: Scales the sum of all.
        confidence: Scales the sum of all.
    """

    fused: float
    coverage: float
    title: float = 0.0
    asked: float = 0.0
    exact: float = 0.0
    recency: float = OLDEST
    usage: float = 0.0
    salience: float = 0.5
    confidence: float = 0.5


def parts_of(features: Features, weights: Weights) -> dict[str, float]:
    """Contribution of each feature, salience and confidence worked in; their sum is the score."""
    scale = (0.8 + 0.4 * features.salience) * (0.8 + 0.4 * features.confidence)
    return {
        "fused": weights.fused * features.fused * scale,
        "coverage": weights.coverage * features.coverage * scale,
        "title": weights.title * features.title * scale,
        "asked": weights.asked * features.asked * scale,
        "exact": weights.exact * features.exact * scale,
        "recency": weights.recency * features.recency * scale,
        "usage": weights.usage * features.usage * scale,
    }


def recency(kind: Kind, observed_at: datetime, at: datetime) -> float:
    """Exactly one half at the half-life of the kind, and never less."""
    days = (at - observed_at).total_seconds() / 86_400
    return min(1.0, max(OLDEST, 0.5 ** (days / HALF_LIFE_DAYS[kind])))


def usage(opened_count: int) -> float:
    """How often a record was opened, on a logarithmic scale; 1 from 20 times on."""
    return min(1.0, log1p(opened_count) / log1p(_OPENED_OFTEN))


def neighbours_parts(
    scores: Mapping[int, float], near: Mapping[int, Sequence[tuple[int, int]]], weights: Weights
) -> dict[int, float]:
    """What each record gains from the best of those around it in its session.

    Args:
        scores: Row number to score without neighbours.
        near: Row number to the rows beside it, each with its distance, 1 or 2.
        weights: Only ``neighbour`` is read.
    """
    return {
        n: weights.neighbour
        * max((scores.get(other, 0.0) / distance for other, distance in beside), default=0.0)
        for n, beside in near.items()
    }
