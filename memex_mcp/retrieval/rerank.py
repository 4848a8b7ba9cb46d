"""What makes one candidate better than another, as numbers that add up."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import log1p

from memex_mcp.model.kinds import Kind
from memex_mcp.retrieval import blend
from memex_mcp.values import dataclass

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

_OPENED_OFTEN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each feature is worth beside the others."""

    card: float = 0.2
    body: float = 0.4
    coverage: float = 0.15
    wording: float = 1.1
    closeness: float = 0.9
    sentence: float = 1.5
    title: float = 0.6
    asked: float = 0.6
    exact: float = 3.5
    date: float = 1.0
    subject: float = 0.5
    timed: float = 0.25
    neighbour: float = 0.25
    dense: float = blend.WEIGHT
    recency: float = 0.05
    usage: float = 0.05


DEFAULT = Weights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """One candidate in numbers from 0 to 1.

    Attributes:
        card: What the leg of cards thinks of it beside the best it found.
        body: What the leg of bodies thinks of it beside the best it found.
        coverage: Share of the question's content, weighted by rarity, in card and chunk.
        wording: The same with stop words and inflections counted.
        closeness: Jaccard index of the question's words and the chunk's.
        sentence: How well the sentence of a long question is answered that is answered best.
        title: Share of the content that the title holds by itself.
        asked: Share that the best single alias or question holds by itself.
        exact: Share of the quoted phrases and identifiers that stand there word for word.
        date: How near it lies to a time that the question names.
        subject: It begins with a word of the question.
        timed: It says a time, and the question asks for one.
        recency: See :func:`recency`.
        usage: See :func:`usage`.
        salience: Scales the sum of all.
        confidence: Scales the sum of all.
    """

    card: float = 0.0
    body: float = 0.0
    coverage: float = 0.0
    wording: float = 0.0
    closeness: float = 0.0
    sentence: float = 0.0
    title: float = 0.0
    asked: float = 0.0
    exact: float = 0.0
    date: float = 0.0
    subject: float = 0.0
    timed: float = 0.0
    recency: float = OLDEST
    usage: float = 0.0
    salience: float = 0.5
    confidence: float = 0.5


def parts_of(features: Features, weights: Weights = DEFAULT) -> dict[str, float]:
    """Contribution of each feature, salience and confidence worked in; they add up to a score.

    What neighbours lend is known only once all candidates have their scores.
    """
    scale = (0.8 + 0.4 * features.salience) * (0.8 + 0.4 * features.confidence)
    return {
        "card": scale * weights.card * features.card,
        "body": scale * weights.body * features.body,
        "coverage": scale * weights.coverage * features.coverage,
        "wording": scale * weights.wording * features.wording,
        "closeness": scale * weights.closeness * features.closeness,
        "sentence": scale * weights.sentence * features.sentence,
        "title": scale * weights.title * features.title,
        "asked": scale * weights.asked * features.asked,
        "exact": scale * weights.exact * features.exact,
        "date": scale * weights.date * features.date,
        "subject": scale * weights.subject * features.subject,
        "timed": scale * weights.timed * features.timed,
        "neighbour": 0.0,
        "recency": scale * weights.recency * features.recency,
        "usage": scale * weights.usage * features.usage,
    }


def recency(kind: Kind, observed_at: datetime, at: datetime) -> float:
    """Exactly one half at the half-life of the kind, and never less."""
    days = (at - observed_at).total_seconds() / 86_400
    return max(OLDEST, float(0.5 ** max(0.0, days / HALF_LIFE_DAYS[kind])))


def usage(opened_count: int) -> float:
    """How often a record was opened, on a logarithmic scale; 1 from 20 times on."""
    return min(1.0, log1p(opened_count) / log1p(_OPENED_OFTEN))


def from_neighbours(
    scores: Mapping[int, float],
    beside: Mapping[int, Sequence[tuple[int, int]]],
    weights: Weights = DEFAULT,
) -> dict[int, float]:
    """What each record gains from the best of those around it in its session.

    Args:
        scores: Row number to score without neighbours.
        beside: Row number to the rows beside it, each with its distance, 1 or 2.
        weights: Only ``neighbour`` counts.
    """
    return {
        n: weights.neighbour * max(scores.get(other, 0.0) / distance for other, distance in near)
        for n, near in beside.items()
        if near
    }
