"""Questions that nothing on record answers: how often is something shown all the same?

Each set's stores are asked questions of the other families of sets in the same language, and
their own.  From the evidence that a search weighs follows what any other floor would do, so
one pass gives the whole curve.
"""

import random
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from eval_ablate import NO_FLOOR, variants
from eval_data import DataSet, Question, Store, load, thinned
from eval_metrics import DEPTH, score
from eval_stores import InProcess, fill

from memex_mcp.retrieval import floor
from memex_mcp.retrieval.evidence import Coverage
from memex_mcp.retrieval.tuning import DEFAULT

LANGUAGES = ("en", "zh")
ANSWERS = tuple(round(0.2 * step, 1) for step in range(-10, 91))
MOST_ANSWERED = 0.05
MOST_LOST = 0.02

Row = dict[str, object]
_NONE = -99.0


@dataclass(frozen=True, slots=True)
class Weighed:
    """What one question found before the floor.

    Attributes:
        sure: Something is held word for word, so that the floor is not asked.
        evidence: Greatest evidence of one of the best candidates.
        recall: recall@5 when it is answered; 0 of a foreign question.
        now: Answered as things are.
        bare: recall@5 if everything that matches were shown.
    """

    sure: bool
    evidence: float
    recall: float
    now: bool
    bare: float

    def answered(self, evidence: float) -> bool:
        """Whether a floor at this number lets an answer through."""
        return self.sure or self.evidence >= evidence


class _Scale:
    """Stands in for the floor's decision: answers always, and keeps what was weighed."""

    def __init__(self) -> None:
        self.asked = False
        self.evidence = _NONE

    def __call__(self, coverages: Sequence[Coverage], _enough: floor.Floor) -> bool:
        self.asked = True
        best = coverages[: floor.FIRST]
        able = [each for each in best if floor.able(each)]
        self.evidence = max(map(floor.evidence, able), default=_NONE)
        return True


@contextmanager
def _scale() -> Generator[_Scale]:
    scale = _Scale()
    with patch.object(floor, "answers", scale):
        yield scale


def weigh(system: InProcess, question: Question, *, own: bool) -> Weighed:
    """Ask as ever, with the floor's decision out of the way, and an own one without a floor."""
    gained = bare = 0.0
    now = bool(system.ask(question.text, DEPTH))
    if own:
        system.tuning = variants()[NO_FLOOR]
        bare = score(system.ask(question.text, DEPTH), question.gold)["recall@5"]
        system.tuning = DEFAULT
    with _scale() as scale:
        found = system.ask(question.text, DEPTH)
    if own:
        gained = score(found, question.gold)["recall@5"]
    if not found:
        return Weighed(False, _NONE, 0.0, now, bare)
    if not scale.asked:
        return Weighed(True, _NONE, gained, now, bare)
    return Weighed(False, scale.evidence, gained, now, bare)


def sample(
    sets: Sequence[DataSet], wanted: int, seed: int, *, across: bool = False
) -> dict[str, list[Question]]:
    """Foreign questions for each set: as many for every set of a language, ``wanted`` in all.

    With ``across`` those that are asked in the other language than the records are in.
    """
    drawn: dict[str, list[Question]] = {}
    for language in LANGUAGES:
        hosts = [each for each in sets if each.language == language]
        for host in hosts:
            pool = [
                question
                for other in sets
                if (other.asked_in != language) is across and other.family != host.family
                for question in other.questions
            ]
            share = min(len(pool), -(-wanted // len(hosts)))
            drawn[host.name] = random.Random(f"{seed} {host.name}").sample(pool, share)
    return drawn


def weigh_set(
    root: Path, name: str, place: Path, foreign: Sequence[Question], how: tuple[bool, str, int]
) -> Row:
    """Ask all stores of a set both kinds of questions; foreign ones go round the stores."""
    keep, embedder, questions = how
    data = load(root, name)
    data = thinned(data, questions) if questions else data
    own: list[Weighed] = []
    others: list[Weighed] = []
    for number, store in enumerate(data.stores):
        system = InProcess(fill(place, data, store, keep=keep, embedder=embedder))
        own += [weigh(system, each, own=True) for each in store.questions]
        others += [weigh(system, each, own=False) for each in _turn(foreign, number, data.stores)]
        system.close()
    return {
        "set": name,
        "language": data.language,
        "crosses": data.language != data.asked_in,
        "own": list(map(_told, own)),
        "foreign": list(map(_told, others)),
    }


def _turn(foreign: Sequence[Question], number: int, stores: Sequence[Store]) -> Sequence[Question]:
    return foreign[number :: len(stores)]


def _told(weighed: Weighed) -> list[float]:
    return [
        int(weighed.sure),
        round(weighed.evidence, 4),
        round(weighed.recall, 4),
        int(weighed.now),
        round(weighed.bare, 4),
    ]


def _read(rows: object) -> list[Weighed]:
    assert isinstance(rows, list)
    return [Weighed(bool(a), b, c, bool(d), e) for a, b, c, d, e in rows]


def summed(rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """For each language what is answered and lost now, and at every other floor.

    Sets whose questions are in another language than their records count as hosts only:
    words cannot find much there, whatever the floor.
    """
    told: dict[str, object] = {}
    for language in LANGUAGES:
        here = [row for row in rows if row["language"] == language]
        if not here:
            continue
        foreign = [each for row in here for each in _read(row["foreign"])]
        own = [_read(row["own"]) for row in here if not row["crosses"]]
        curve = [{"evidence": evidence} | _at(foreign, own, evidence) for evidence in ANSWERS]
        fitting = [
            each
            for each in curve
            if each["answered"] <= MOST_ANSWERED and each["lost"] <= MOST_LOST
        ]
        told[language] = {
            "asked": len(foreign),
            "now": {
                "answered": _share(each.now for each in foreign),
                "lost": _lost(own, [[each.now for each in row] for row in own]),
            },
            "curve": curve,
            "best": min(fitting or curve, key=_regret),
            "met": bool(fitting),
        }
    return told


def _at(
    foreign: Sequence[Weighed], own: Sequence[Sequence[Weighed]], evidence: float
) -> dict[str, float]:
    kept = [[each.answered(evidence) for each in row] for row in own]
    return {
        "answered": _share(each.answered(evidence) for each in foreign),
        "lost": _lost(own, kept),
    }


def _regret(point: Mapping[str, float]) -> float:
    """How far a floor is from both bars; both count alike, in shares of the bar."""
    over = max(0.0, point["answered"] / MOST_ANSWERED - 1)
    return over + max(0.0, point["lost"] / MOST_LOST - 1) + 0.01 * point["lost"]


def _lost(own: Sequence[Sequence[Weighed]], kept: Sequence[Sequence[bool]]) -> float:
    """recall@5 that the floor costs, what it keeps from single hits included; mean over sets."""
    costs = [
        _share(
            each.bare - (each.recall if stays else 0.0)
            for each, stays in zip(row, stay, strict=True)
        )
        for row, stay in zip(own, kept, strict=True)
        if row
    ]
    return _share(costs)


def _share(values: Iterable[float]) -> float:
    held = list(values)
    return round(sum(held) / len(held), 4) if held else 0.0
