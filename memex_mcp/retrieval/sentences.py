"""The sentences of a long question, each of which may be all that is really asked.

Who says much before coming to the point asks for little of it: a record that answers one
sentence holds next to nothing of the whole.
"""

from collections.abc import Mapping, Sequence

from memex_mcp.text import lazily, words
from memex_mcp.values import dataclass

LONG = 30
"""Concepts from which a question is looked at sentence by sentence."""

# What all of a sentence weighs at least to be a question of its own.
_LEAST = 4.0
_MOST = 16
_END = lazily.pattern(r"(?<=[。？！；;\n])|(?<=[?!.])\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One of several sentences.

    Attributes:
        worth: Its terms with their rarity; what no record holds is left out.
        weight: Sum of their rarity; never 0.
    """

    worth: Mapping[str, float]
    weight: float

    def answered(self, held: frozenset[str], body: frozenset[str]) -> float:
        """Mean of the share that is held and of how alike the chunk is, 0 to 1.

        Args:
            held: What card and chunk hold of the whole question.
            body: Terms of the chunk.
        """
        share = sum([rarity for term, rarity in self.worth.items() if term in held]) / self.weight
        both = sum([term in body for term in self.worth])
        return (share + both / (len(self.worth) + len(body) - both)) / 2


def sentences(
    text: str, concepts: int, wording: Mapping[str, float], counts: Mapping[str, int]
) -> tuple[Sentence, ...]:
    """Take a long question apart; none of a short one, or of a single sentence.

    Args:
        text: The question.
        concepts: How many concepts it has.
        wording: Its terms with their rarity.
        counts: How often those occur that were looked up.
    """
    written: Sequence[str] = _END.split(text)[:_MOST] if concepts >= LONG else ()
    if len(written) < 2:
        return ()
    made = [_sentence(each, wording, counts) for each in written]
    return tuple(each for each in made if each.weight >= _LEAST)


def _sentence(text: str, wording: Mapping[str, float], counts: Mapping[str, int]) -> Sentence:
    terms = [term for term in words.term_set(text) if term in wording and counts.get(term, 1)]
    worth = {term: wording[term] for term in terms}
    return Sentence(worth, sum(worth.values()))
