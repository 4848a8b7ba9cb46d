"""The hard set: notes, and questions whose words the notes do not hold."""

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from memex_mcp.model.record import Draft
from memex_mcp.text.fold import fold
from memex_mcp.text.stop import CHINESE_PAIRS, ENGLISH

PATH = Path(__file__).parents[1] / "tests" / "data" / "hard_set.json"

_WORD = re.compile("[a-z0-9]+")
_HAN = re.compile("[\u3400-\u9fff]+")


@dataclass(frozen=True)
class Asked:
    """One question or message.

    Attributes:
        target: Id of the note that answers it; None when none does.
        kind: Language of the note and of the question, ``zh-en`` for one.
        near: It shares two words or more with the aliases, questions and use_when of its note.
    """

    text: str
    kind: str
    target: str | None
    variants: tuple[str, ...]
    near: bool = False


@dataclass(frozen=True)
class Note:
    """One note with what its writer added to have it found."""

    id: str
    language: str
    text: str
    aliases: tuple[str, ...]
    questions: tuple[str, ...]
    use_when: str

    def draft(self, *, enriched: bool) -> Draft:
        """As an agent hands it in, with its aliases, questions and use_when or without."""
        if not enriched:
            return Draft(text=self.text)
        return Draft(
            text=self.text, aliases=self.aliases, questions=self.questions, use_when=self.use_when
        )

    @property
    def added(self) -> str:
        """Aliases, questions and use_when in one text."""
        return "\n".join((*self.aliases, *self.questions, self.use_when))


@dataclass(frozen=True)
class HardSet:
    """Everything in the file but what it says about itself."""

    notes: tuple[Note, ...]
    hard: tuple[Asked, ...]
    human: tuple[Asked, ...]

    @property
    def by_id(self) -> dict[str, Note]:
        """Notes by their id."""
        return {note.id: note for note in self.notes}


def load(path: Path = PATH) -> HardSet:
    """Read the set."""
    whole = json.loads(path.read_text(encoding="utf-8"))
    notes = tuple(
        Note(
            each["id"],
            each["language"],
            each["text"],
            tuple(each["aliases"]),
            tuple(each["questions"]),
            each["use_when"],
        )
        for each in whole["notes"]
    )
    hard = tuple(
        Asked(
            asked["text"],
            f"{note.language}-{asked['language']}",
            note.id,
            tuple(asked["variants"]),
            len(words(asked["text"]) & words(note.added)) > 1,
        )
        for note, each in zip(notes, whole["notes"], strict=True)
        for asked in each["asked"]
    )
    human = tuple(
        Asked(each["text"], each["language"], each["target"], tuple(each["variants"]))
        for each in whole["human"]
    )
    return HardSet(notes, hard, human)


def overlap(one: str, other: str) -> set[str]:
    """Content words, three letters in a row and two Chinese characters in a row that both hold."""
    shared = words(one) & words(other)
    return shared | (_triples(one) & _triples(other))


def words(text: str) -> set[str]:
    """Words and pairs of Chinese characters, stop words left out."""
    folded = fold(text)
    pairs = {a + b for run in _HAN.findall(folded) for a, b in pairwise(run)}
    return (pairs - CHINESE_PAIRS) | (set(_WORD.findall(folded)) - ENGLISH)


def _triples(text: str) -> set[str]:
    said = set(_WORD.findall(fold(text))) - ENGLISH
    return {word[start : start + 3] for word in said for start in range(len(word) - 2)}
