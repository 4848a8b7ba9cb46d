"""What about a question tells whether a text answers it, besides how many words they share.

In unspaced Chinese every second pair of characters lies across the border of two words and
says nothing, and a name is worth more than the words around it: who knows the people of a
question probably knows the answer, and who has never heard of them does not.
"""

from collections.abc import Container, Mapping, Sequence

from memex_mcp.retrieval.moments import asks_when
from memex_mcp.text import lazily, words
from memex_mcp.text.stop import CHINESE
from memex_mcp.values import dataclass

_NAME = lazily.pattern(r"(?<=[\w,;:)'’\"”] )[A-Z][a-z]\w*")
# Beside the stop words: characters that join, count, place or ask, and begin or end few words.
_GLUE = CHINESE | frozenset(
    "嘛什怎何几多少个位种次为于以由被把所将从到对向让使给跟同并又还再已曾可能会要想应该有没不无"
    "一两些等很最更太后前时候里中上下内外间年月日来去说第另"
)


@dataclass(frozen=True, slots=True)
class Telling:
    """What tells of one wording.

    Attributes:
        names: Places of the concepts that name someone or something that records mention.
        stranger: It names someone or something that no record mentions.
        lost: It names nobody else.
        content: Places of the concepts that carry content.
        weight: Sum of their rarity; never 0.
        unknown: Share of ``content`` that the index does not hold at all, 0 to 1.
        pairs: Where each pair of characters of the text begins, with its place.
        when: It asks for a time.
        spaced: Places of the words of spaced scripts, in text order.
    """

    names: frozenset[int] = frozenset()
    stranger: bool = False
    lost: bool = False
    content: frozenset[int] = frozenset()
    weight: float = 1.0
    unknown: float = 0.0
    pairs: tuple[tuple[int, int], ...] = ()
    when: bool = False
    spaced: tuple[int, ...] = ()

    def run(self, held: Container[int]) -> int:
        """Characters of the longest stretch of the question whose pairs are all held."""
        longest = run = 0
        last = -2
        for start, place in self.pairs:
            if place in held:
                run = run + 1 if start == last + 1 else 2
                last = start
                longest = max(longest, run)
        return longest

    def row(self, held: Container[int]) -> int:
        """Most words of the question in a row that are held; stop words do not part them."""
        longest = run = 0
        for place in self.spaced:
            run = run + 1 if place in held else 0
            longest = max(longest, run)
        return longest


def telling(
    text: str,
    spelled: Sequence[words.Term],
    places: Mapping[str, int],
    rarity: Sequence[float],
    known: frozenset[str],
) -> Telling:
    """Read it off a question.

    Args:
        text: The question without its dates.
        spelled: Its terms with their places in the text.
        places: Which concept a term stands for.
        rarity: Of each concept.
        known: Terms that the index holds.
    """
    named = [words.query_terms(name) for name in _names(text)]
    friends = [terms for terms in named if not known.isdisjoint(terms)]
    first: dict[tuple[int, int], int] = {}
    for term in spelled:
        if term.text in places:
            first.setdefault((term.start, term.end), places[term.text])
    forms = {place: form for form, place in reversed(list(places.items()))}
    # A question of single characters has nothing else to be held against.
    content = frozenset([place for place, form in forms.items() if _carries(form)] or forms)
    held = {places[term] for term in places if term in known}
    weight = sum([rarity[place] for place in content])
    return Telling(
        names=frozenset(places[term] for terms in friends for term in terms if term in places),
        stranger=len(friends) < len(named),
        lost=bool(named) and not friends,
        content=content,
        weight=weight or 1.0,
        unknown=sum([rarity[place] for place in content - held]) / (weight or 1.0),
        pairs=tuple(
            (start, place) for (start, _), place in sorted(first.items()) if _is_pair(forms[place])
        ),
        when=asks_when(text),
        spaced=tuple(place for _, place in sorted(first.items()) if forms[place].isascii()),
    )


def _names(text: str) -> list[str]:
    """Words of a question that are written like names: capitals inside a sentence."""
    found = [match.group() for match in _NAME.finditer(text)]
    # Where most words have capitals, capitals tell nothing.
    return found if 2 * len(found) <= len(text.split()) else []


def _is_pair(term: str) -> bool:
    return len(term) == 2 and not term.isascii()


def _carries(term: str) -> bool:
    """Whether a term is a word of a spaced script or two characters that may be a word."""
    return len(term) > 1 and (term.isascii() or not _is_pair(term) or _GLUE.isdisjoint(term))
