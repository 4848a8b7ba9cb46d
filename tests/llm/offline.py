"""Embedders that need nothing: one that knows words, and some that mean harm."""

import hashlib
import math
import random
from collections.abc import Callable, Sequence

from memex_mcp.errors import Invalid, Unavailable
from memex_mcp.llm.ports import Vector
from memex_mcp.text.words import term_set

DIMENSIONS = 64


class Words:
    """Texts that share words lie close together; notes what it was asked."""

    def __init__(self, name: str = "words", dimensions: int = DIMENSIONS) -> None:
        self.name = name
        self.dimensions = dimensions
        self.asked: list[str] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.refuses = ""
        self.is_down = False

    def embed(self, texts: Sequence[str], *, query: bool) -> list[Vector]:
        if self.is_down:
            raise Unavailable("the model is down")
        if self.refuses and any(self.refuses in text for text in texts):
            raise Invalid("the model never takes that")
        self.asked += texts
        made = [self.vector(text) for text in texts]
        self.meanwhile()
        return made

    def vector(self, text: str) -> Vector:
        numbers = [1e-6] * self.dimensions
        for term in term_set(text):
            place = int.from_bytes(hashlib.sha256(f"{self.name}{term}".encode()).digest()[:4])
            numbers[place % self.dimensions] += 1.0
        return unit(numbers)


class Noise(Words):
    """Random vectors, the same for the same text."""

    def vector(self, text: str) -> Vector:
        chance = random.Random(f"{self.name}{text}")
        return unit([chance.gauss(0, 1) for _ in range(self.dimensions)])


def unit(numbers: Sequence[float]) -> Vector:
    length = math.hypot(*numbers)
    return [number / length for number in numbers]


class Concepts(Words):
    """Knows what a few words mean, in two languages, and finds all else unlike."""

    _SAME = (
        ("heron", "wading bird", "苍鹭"),
        ("deploy", "ship to customers", "上线"),
        ("5433", "socket number", "端口"),
    )

    def __init__(self, name: str = "concepts", dimensions: int = 256) -> None:
        super().__init__(name, dimensions)

    def vector(self, text: str) -> Vector:
        chance = random.Random(f"{self.name}{text}")
        numbers = [
            chance.gauss(0, 0.3 / math.sqrt(self.dimensions)) for _ in range(self.dimensions)
        ]
        for place, names in enumerate(self._SAME):
            if any(name in text.lower() for name in names):
                numbers[place] += 1.0
        return unit(numbers)
