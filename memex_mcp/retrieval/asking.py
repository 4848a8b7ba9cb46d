"""What a prompt asks memory for, when nobody wrote a question.

A prompt is searched for as it is; one that says little or points back takes the end of the
answer before it along, at the lower weight of a rephrasing.
"""

import re

from memex_mcp.retrieval.language import KEYS
from memex_mcp.text import blocks, lazily
from memex_mcp.text.fold import is_blank, level
from memex_mcp.text.stop import CHINESE, CHINESE_PAIRS, ENGLISH
from memex_mcp.text.words import identifiers
from memex_mcp.values import dataclass

TAIL = 1_000
"""Characters of the last answer that are read, from its end."""

LONGEST = 6_000
"""Characters of a prompt that are searched for: a half from its beginning, a half from its end."""

FEW = 4
"""Content words below which a prompt takes the last answer along."""

ALONE = 2
"""Content words below which it is no question without one."""

_COMMAND = lazily.pattern(r"\s*/[A-Za-z][\w:.-]*(?:\s|\Z)")
# What people answer when they ask nothing.
_AGREED = """
    ok okay yes yep yeah no nope sure thanks thank hi hello hey great good nice cool please
"""
_POINTERS = """
    it its that this these those they them above earlier previous previously again continue
    proceed same former latter retry redo before going
"""
_SETTLED, _BACK = frozenset(_AGREED.split()), frozenset(_POINTERS.split())
_SETTLED_WIDE = lazily.pattern(
    "好的?|嗯|行|可以|不?是的?|不?对的?|不用?|不?要|谢谢|多谢|您好|你好|了|吧|你"
)
_BACK_WIDE = lazily.pattern(
    "继续|繼續|接着|接著|上面|上述|上一|前面|之前|刚才|剛才|刚刚|剛剛|那个|那個|这个|這個|那些|这些|這些"
    "|它|这样|這樣|那样|那樣|同样|同樣|再来|再來|再试|再試|重新|还有呢|還有呢|然后呢|然後呢"
)
_POINTING = 12
_WORD = lazily.pattern("[^\\W_\u2e80-\u9fff\uac00-\ud7af]+")
_ASCII_WORD = lazily.pattern("[A-Za-z0-9]+")
_WIDE = lazily.pattern("[\u2e80-\u9fff\uac00-\ud7af]+")
# Left in, such words would make pairs with their neighbours, which tell nothing either.
_EMPTY_WIDE = lazily.pattern("|".join(sorted(CHINESE_PAIRS)))
_FILTER = lazily.pattern(rf"\b({'|'.join(KEYS)})[:：](?=\S)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """What to search for.

    Attributes:
        text: The prompt, without what memory itself had put into it.
        variants: The end of the last answer, where the prompt leans on it.
    """

    text: str
    variants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """What a prompt says by itself.

    Attributes:
        content: Words that say something; two Chinese characters count as one.
        back: It points at what was said before.
        settled: It only agrees, refuses, greets or thanks.
    """

    content: int
    back: bool
    settled: bool

    @property
    def leans(self) -> bool:
        """Whether it says little, or points back while it says not much more."""
        return self.content < FEW or (self.back and self.content < _POINTING)


def question(prompt: str, last_answer: str = "") -> Question | None:
    """Make a question of a prompt; None when it asks memory for nothing.

    Args:
        prompt: The user's own words, as the client gives them.
        last_answer: What the agent said last; empty where nobody knows.
    """
    if _COMMAND.match(prompt):
        return None
    own = _ends(_own(prompt), LONGEST)
    text, said = _searchable(own), _said(own)
    if is_blank(own) or said.settled:
        return None
    before = _searchable(_own(last_answer)[-TAIL:]) if said.leans else ""
    if said.content >= ALONE or identifiers(text):
        return Question(text, () if is_blank(before) else (before,))
    # One word is no question: it would bring back whatever holds it.
    return None if is_blank(before) else Question(f"{text}\n{before}" if said.content else before)


def _own(text: str) -> str:
    """A text without what memory put into it, whole or cut off."""
    return blocks.without_fences(text, lambda _: "\n").strip()


def _ends(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-most // 2 :]}"


def _searchable(text: str) -> str:
    """The text without empty Chinese words, and with nothing in it that is read as a filter."""
    return _FILTER.sub(r"\1 ", text if text.isascii() else _EMPTY_WIDE.sub(" ", text)).strip()


def _said(text: str) -> _Said:
    flat = level(text)[0].lower()
    plain = flat.isascii()
    words = {word for word in (_ASCII_WORD if plain else _WORD).findall(flat) if len(word) > 1}
    content, back = len(words - _BACK - ENGLISH), not words.isdisjoint(_BACK)
    if plain:
        return _Said(content, back, words <= _SETTLED)
    runs = " ".join(_WIDE.findall(flat))
    left = set(_BACK_WIDE.sub(" ", runs)) - CHINESE - {" "}
    return _Said(
        content=content + len(left) // 2,
        back=back or _BACK_WIDE.search(runs) is not None,
        settled=words <= _SETTLED and not _SETTLED_WIDE.sub("", runs).strip(),
    )
