"""How much of a question a candidate holds, and where."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memex_mcp.model.record import Record
from memex_mcp.retrieval.fuse import Found
from memex_mcp.retrieval.query import Asked
from memex_mcp.store.records import COLUMNS, body_text, from_row
from memex_mcp.text.words import index_terms

_LEAD = 600


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may answer, with the part of its body that matched best.

    Attributes:
        record: Its body is left out.
        start: Where ``text`` begins in the body.
        text: The matching chunk; the beginning of the body when only the card matched.
        matched: The body leg found that chunk.
    """

    n: int
    record: Record
    start: int
    text: str
    matched: bool


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of the question, weighted by rarity, 0 to 1.

    Attributes:
        whole: What card and chunk hold together.
        mass: The same, unweighted by the length of the question: rarity that was found.
    """

    whole: float
    mass: float
    title: float
    card: float
    alias: float
    question: float
    body: float


def load(db: sqlite3.Connection, found: Sequence[Found]) -> list[Candidate]:
    """Read the records that legs found, in their order."""
    marks = ", ".join("?" * len(found))
    rows = db.execute(
        f"SELECT {COLUMNS} FROM record AS r WHERE r.n IN ({marks})", [each.n for each in found]
    )
    records = {row[0]: from_row(row) for row in rows}
    return [
        Candidate(
            each.n,
            records[each.n],
            each.start,
            body_text(db, each.n, each.start, each.stop or _LEAD),
            each.stop > 0,
        )
        for each in found
        if each.n in records
    ]


def cover(asked: Asked, candidate: Candidate) -> Coverage:
    """Compare the question's words with those of the candidate's card and chunk."""
    card = candidate.record.card
    title, about = terms_of(card.title), terms_of(_about(candidate.record))
    body = terms_of(candidate.text)
    alias = _best(asked, card.aliases)
    question = _best(asked, card.questions)
    everything = title | about | body
    if card.aliases or card.questions:
        everything |= terms_of("\n".join((*card.aliases, *card.questions)))
    total = sum(concept.rarity for concept in asked.concepts) or 1.0
    mass = _mass(asked, everything)
    return Coverage(
        whole=mass / total,
        mass=mass,
        title=_mass(asked, title) / total,
        card=_mass(asked, about) / total,
        alias=alias / total,
        question=question / total,
        body=_mass(asked, body) / total,
    )


def _about(record: Record) -> str:
    card = record.card
    return "\n".join((card.summary, card.use_when, *card.tags, *card.entities))


def _best(asked: Asked, texts: Iterable[str]) -> float:
    return max((_mass(asked, terms_of(text)) for text in texts), default=0.0)


def _mass(asked: Asked, terms: frozenset[str]) -> float:
    return sum(
        concept.rarity for concept in asked.concepts if not terms.isdisjoint(concept.forms)
    )


@lru_cache(maxsize=1024)
def terms_of(text: str) -> frozenset[str]:
    """The distinct index terms of a short text."""
    return frozenset(index_terms(text).split())
