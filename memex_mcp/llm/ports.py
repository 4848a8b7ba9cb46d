"""What a model has to be able to do, whoever runs it."""

from collections.abc import Sequence
from typing import Protocol

Vector = Sequence[float]
"""A text as a point: as many numbers as the model has dimensions, of length 1."""


class Embedder(Protocol):
    """Places texts so that those of like meaning lie close together.

    Attributes:
        name: Tells this model from every other: vectors of two names are never compared.
        dimensions: Numbers of each vector.
    """

    name: str
    dimensions: int

    def embed(self, texts: Sequence[str], *, query: bool) -> list[Vector]:
        """One vector for each text, in order.

        Args:
            texts: None of them empty.
            query: Somebody waits for the answer: no second try, and an end in any case.

        Raises:
            Unavailable: The model cannot be reached or answered nonsense; later it may do.
            Invalid: It will never take one of these texts.
        """
        ...


class Reranker(Protocol):
    """Reads a question and its candidates side by side."""

    def rank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One score for each text, in order; the greater, the better it answers.

        Raises:
            Unavailable: The model cannot be reached or answered nonsense.
        """
        ...
