"""Candidates from what a user says, by cue words in English and Chinese; off by default.

Cue words alone fire on requests, questions and faults.  So a clause counts only when it holds
beyond the task at hand and nothing in it speaks against that: better to miss one than to
remember what was never meant.
"""

from memex_mcp.capture import cues
from memex_mcp.capture.clauses import Clause, clauses
from memex_mcp.model.kinds import NoteType, Scope
from memex_mcp.model.record import Draft
from memex_mcp.model.turn import Source, Turn
from memex_mcp.values import dataclass

MOST_NOTES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A clause that is worth a person's look.

    Attributes:
        salience: 0 to 1.
        confidence: 0 to 1; how often such a clause is meant as it sounds.
    """

    type: NoteType
    text: str
    salience: float
    confidence: float


# The first that fits decides; salience and confidence are those of the type.
_CUES = (
    (NoteType.CONSTRAINT, cues.CONSTRAINT, 0.85, 0.70),
    (NoteType.PREFERENCE, cues.PREFERENCE, 0.70, 0.68),
    (NoteType.DECISION, cues.DECISION, 0.72, 0.66),
    (NoteType.FACT, cues.FACT, 0.50, 0.55),
)
_AGAINST = (cues.ASKS, cues.NOW, cues.QUOTES, cues.UNSURE, cues.FAULT)


def find(message: str) -> list[Found]:
    """At most three statements of a message that are worth keeping, in their order."""
    found: list[Found] = []
    for clause in clauses(message):
        each = _found(clause)
        if each is not None:
            found.append(each)
        if len(found) == MOST_NOTES:
            break
    return found


def notes(turn: Turn, source: Source, scope: Scope = Scope.WORKSPACE) -> list[Draft]:
    """Candidates from what the user said in a turn; whoever stores them names the span."""
    if source.part:
        # A sub-agent is told what to do by another agent.
        return []
    return [
        Draft(
            text=each.text,
            type=each.type,
            scope=scope,
            salience=each.salience,
            confidence=each.confidence,
            source=source.key,
            observed_at=turn.began_at,
        )
        for each in find(turn.asked)
    ]


def _found(clause: Clause) -> Found | None:
    if clause.asks:
        return None
    text = clause.text
    wished = cues.REMEMBER.match(text)
    if wished:
        text = text[wished.end() :].strip()
    if len(text) < 6 or any(against.search(text) for against in _AGAINST):
        return None
    if not all(cues.GOES_ON.match(part) for part in cues.COMMA.split(text)[1:]):
        return None
    for type_, cue, salience, confidence in _CUES:
        if cue.search(text):
            return Found(type=type_, text=text, salience=salience, confidence=confidence)
    if wished:
        _, _, salience, confidence = _CUES[-1]
        return Found(type=NoteType.FACT, text=text, salience=salience, confidence=confidence)
    return None
