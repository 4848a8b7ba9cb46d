"""Figures that were taken before: of other products, and of designs to hold ours against.

They carry over to the same questions only, so each set names the key of its files, and a
system that was asked a part of them says which.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_common import EVIDENCE
from eval_data import MIXED
from eval_metrics import evenly, mean, of_places

RECORDED = EVIDENCE / "recall" / "peers.json"
REFERENCE = "ref-lexical"

Places = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One system on one set.

    Attributes:
        role: ``peer``, ``reference``, ``keywords`` or ``model``.
        figures: Measure to value, as far as it was recorded.
        stores: Only so many of the stores were asked; all when 0.
        evenly: Only so many questions, evenly spaced, were asked; all when 0.
    """

    name: str
    role: str
    figures: Mapping[str, float]
    stores: int = 0
    evenly: int = 0

    def beside(self, places: Places) -> dict[str, float]:
        """Our own figures on the questions that this system was asked.

        Args:
            places: Store to the place of the first evidence for each of its questions.
        """
        held = list(places.values())[: self.stores or None]
        cut = max(1, self.evenly // len(held)) if self.evenly else 0
        asked = [[row[at] for at in evenly(len(row), cut)] if cut else row for row in held]
        return of_places([place for row in asked for place in row])


def recorded(name: str, key: str, path: Path = RECORDED) -> list[Recorded]:
    """What is known of a set whose files have this key; nothing of another."""
    if not path.exists():
        return []
    told = json.loads(path.read_text(encoding="utf-8"))["sets"].get(name)
    if told is None or told["data"] != key:
        return []
    return [
        Recorded(
            system,
            row["role"],
            row["figures"],
            row.get("stores", 0),
            row.get("evenly", 0),
        )
        for system, row in told["systems"].items()
    ]


def closest(
    known: Sequence[Recorded], role: str, measure: str, places: Places
) -> tuple[Recorded, float] | None:
    """The system of that role that comes nearest to ours, and by how much ours is ahead."""
    leads = [
        (each, each.beside(places)[measure] - each.figures[measure])
        for each in known
        if each.role == role and measure in each.figures
    ]
    return min(leads, key=lambda pair: pair[1]) if leads else None


def one(known: Sequence[Recorded], name: str) -> Recorded | None:
    """The system of that name."""
    return next((each for each in known if each.name == name), None)


def means(rows: Mapping[str, Any], peers: Path = RECORDED) -> dict[str, dict[str, float]]:
    """Means over the sets of each measured system, and of the reference where it is known.

    Mixtures of the sets do not count again.  ``sets`` says over how many each mean is.
    """
    held: dict[str, list[Mapping[str, float]]] = {}
    for name, row in rows.items():
        if name.startswith(MIXED):
            continue
        for system, told in row["systems"].items():
            held.setdefault(system, []).append(told["all"])
        reference = one(recorded(name, row["data"], peers), REFERENCE)
        if reference is not None:
            held.setdefault(REFERENCE, []).append(reference.figures)
    return {name: {"sets": float(len(each))} | mean(each) for name, each in held.items()}
