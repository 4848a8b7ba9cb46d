"""How much of a question a candidate holds, and where."""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache

from memex_mcp.model.record import Record
from memex_mcp.retrieval.fuse import Found
from memex_mcp.retrieval.moments import says_when
from memex_mcp.retrieval.query import Asked
from memex_mcp.store.veil import body_parts, some
from memex_mcp.text import lazily
from memex_mcp.text.words import query_terms, term_set, terms_among
from memex_mcp.values import dataclass

LEAD = 600
"""Characters of a body that are read when only the card matched."""

_RECOGNISED = 60
_SHORT = 600
_FIRST = lazily.pattern(r"[\W_]*([A-Za-z][\w'’-]*)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may answer, with the part of its body that matched best.

    Attributes:
        n: Row number.
        record: Its body is left out, unless it is an earlier version.
        text: The matching chunk; the beginning of the body when only the card matched.
        start: Where ``text`` begins in the body.
        matched: A leg found ``text`` itself.
        more: The body goes on behind ``text``.
        past: An earlier version, which the index does not hold.
    """

    n: int
    record: Record
    text: str
    start: int = 0
    matched: bool = False
    more: bool = False
    past: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What of a question is there, as shares weighted by rarity, 0 to 1.

    Attributes:
        count: How many words, parts of names and pairs of the question were found.
        length: Characters of the chunk.
        whole: Share of the content words that card and chunk hold together.
        wording: The same with stop words and inflections counted.
        closeness: Jaccard index of the question's terms and the chunk's.
        title: Share that the title holds by itself.
        about: Share that tags, summary, use_when and entities hold.
        alias: Share that the best alias holds.
        question: Share that the best question holds.
        body: Share that the chunk holds.
        sentence: How well the sentence is answered that is answered best, of a long question.
        subject: The text is short and begins with a word of the question.
        timed: A time is asked for, and the text says one.
        content: Share of the concepts that carry content, in card and chunk together.
        named: A name that the question says is there.
        run: Characters of the longest stretch of an unspaced question that is there.
        row: Most words of the question in a row that are there.
        breadth: Concepts of the question.
        unknown: Share of its content that no record holds.
        stranger: The question names someone or something that no record mentions.
        lost: It names nobody else.
        across: It is asked in another script than the store is written in.
        unspaced: It is written in a script without blanks, as the store is.
        size: Chunks in the index.
    """

    count: int
    length: int
    whole: float
    wording: float
    closeness: float
    title: float
    about: float
    alias: float
    question: float
    body: float
    sentence: float = 0.0
    subject: bool = False
    timed: bool = False
    content: float = 0.0
    named: bool = False
    run: int = 0
    row: int = 0
    breadth: int = 0
    unknown: float = 0.0
    stranger: bool = False
    lost: bool = False
    across: bool = False
    unspaced: bool = False
    size: int = 0


NO_COVERAGE = Coverage(
    count=0,
    length=0,
    whole=0.0,
    wording=0.0,
    closeness=0.0,
    title=0.0,
    about=0.0,
    alias=0.0,
    question=0.0,
    body=0.0,
)
"""Of a record that no word of a question led to."""


def load(db: sqlite3.Connection, found: Sequence[Found]) -> list[Candidate]:
    """Read the records that legs found, in their order."""
    records = some(db, [each.n for each in found])
    found = [each for each in found if each.n in records]
    # One character more tells whether the body goes on.
    parts = [(each.n, each.start, (each.stop or LEAD) + 1) for each in found]
    texts = body_parts(db, parts)
    return [
        _candidate(each, records[each.n], text) for each, text in zip(found, texts, strict=True)
    ]


def _candidate(found: Found, record: Record, text: str) -> Candidate:
    size = (found.stop or LEAD) - found.start
    return Candidate(
        found.n,
        record,
        text[:size],
        found.start,
        matched=found.stop > 0,
        more=len(text) > size,
    )


def cover(asked: Asked, candidate: Candidate) -> Coverage:
    """Compare the words of the question with those of the candidate's card and chunk."""
    card, said = candidate.record.card, asked.said
    terms = terms_of(candidate.text)
    title, body = terms_among(card.title, said), said & terms
    about = terms_among(_about(candidate), said)
    aliases = [terms_among(alias, said) for alias in card.aliases]
    questions = [terms_among(question, said) for question in card.questions]
    everything = title.union(body, about, *aliases, *questions)
    held, telling = asked.held(everything), asked.telling
    return Coverage(
        count=asked.count(held),
        length=len(candidate.text),
        whole=asked.portion(held),
        wording=asked.wording_share(everything),
        closeness=len(body) / (len(said) + len(terms) - len(body) or 1),
        title=asked.share(title),
        about=asked.share(about),
        alias=max(map(asked.share, aliases), default=0.0),
        question=max(map(asked.share, questions), default=0.0),
        body=asked.share(body),
        sentence=max([each.answered(everything, terms) for each in asked.sentences], default=0.0),
        subject=not candidate.start and not candidate.more and _begins_with(candidate.text, asked),
        timed=telling.when and says_when(candidate.text),
        content=asked.content_share(held),
        named=not held.isdisjoint(telling.names),
        run=telling.run(held),
        row=telling.row(held),
        breadth=len(asked.concepts),
        unknown=telling.unknown,
        stranger=telling.stranger,
        lost=telling.lost,
        across=asked.foreign,
        unspaced=asked.unspaced and not asked.foreign,
        size=asked.size,
    )


def _about(candidate: Candidate) -> str:
    """The card's other lines; a summary that only repeats the chunk is left out."""
    card = candidate.record.card
    repeats = card.summary[:_RECOGNISED] in candidate.text
    lines = (card.use_when, *card.tags, *card.entities)
    return "\n".join(lines if repeats else (card.summary, *lines))


@lru_cache(maxsize=1024)
def terms_of(text: str) -> frozenset[str]:
    """The distinct index terms of a short text."""
    return term_set(text)


def _begins_with(text: str, asked: Asked) -> bool:
    """Whether the first word, who speaks or what a note is about, is one of the question."""
    first = _FIRST.match(text, 0, _SHORT)
    return first is not None and not _opening(first[1]).isdisjoint(asked.places)


@lru_cache(maxsize=1024)
def _opening(word: str) -> frozenset[str]:
    return frozenset(query_terms(word.removesuffix("'s")))
