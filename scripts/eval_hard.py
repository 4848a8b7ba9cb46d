"""What the agent's own rephrasings add where question and note share no word.

Stores are filled through ``Memory`` in many layouts: the notes of the hard set in another order
each time, alone and among distractors of which every second one carries aliases too.  Each
question is asked in four ways: as it is, of notes with aliases, with variants, with both.

    python scripts/eval_hard.py
"""

import argparse
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench_common import clocked, environment, parser, save, summary
from bench_peers import store_of
from bench_stores import agent, note_draft
from bench_text import Generator
from eval_hard_data import PATH, Asked, HardSet, load, words

from memex_mcp import settings
from memex_mcp.errors import Refused
from memex_mcp.memory import Memory
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft

CONDITIONS = {
    "plain": (False, False),
    "aliases": (True, False),
    "variants": (False, True),
    "both": (True, True),
}
"""Name to whether notes carry what their writer added, and whether variants are passed."""

SHARES = {"plain": 0.07, "aliases": 0.29, "variants": 0.36, "both": 0.64}
AT_FIVE, HUMAN_PLAIN, HUMAN_VARIANTS = 0.87, 0.65, 0.82
HUMAN_LEVEL = 500
DEPTH = 10
_BATCH = 250
_BUDGET = 20_000

Row = dict[str, object]
Levels = dict[str, dict[str, dict[str, Row]]]
"""Distractors to set to condition to figures."""


@dataclass
class Places:
    """Where the answer stood, question by question: 0 when it was not among the first ten.

    Attributes:
        answered: Whether anything was shown, right or wrong.
    """

    asked: list[Asked] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    answered: list[bool] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def add(self, other: "Places") -> None:
        """Take in what another layout gave."""
        self.asked += other.asked
        self.place += other.place
        self.answered += other.answered
        self.wall += other.wall
        self.processor += other.processor

    def of(self, wanted: Callable[[Asked], bool]) -> list[int]:
        """Places of the questions that are wanted and have an answer."""
        pairs = zip(self.asked, self.place, strict=True)
        return [place for each, place in pairs if each.target and wanted(each)]

    def told(self) -> Row:
        """Figures over all, by languages, and of questions that nothing answers."""
        kinds = dict.fromkeys(each.kind for each in self.asked)
        told: Row = {"all": figures(self.of(lambda _: True))}
        for kind in kinds:
            told[kind] = figures(self.of(lambda each: each.kind == kind))  # noqa: B023  # called at once
        if any(each.near for each in self.asked):
            told["near"] = figures(self.of(lambda each: each.near))
            told["far"] = figures(self.of(lambda each: not each.near))
        pairs = list(zip(self.asked, self.answered, strict=True))
        foreign = [answered for each, answered in pairs if each.target is None]
        if foreign:
            wrong = sorted({each.text for each, shown in pairs if shown and not each.target})
            told["no_answer"] = {"asked": len(foreign), "answered": sum(foreign), "wrong": wrong}
        empty = [not answered for each, answered in pairs if each.target]
        told["left_empty"] = round(sum(empty) / (len(empty) or 1), 4)
        told["wall_ms"], told["processor_ms"] = summary(self.wall), summary(self.processor)
        return told


def figures(places: Sequence[int]) -> Row:
    """Shares of the first one, three and five places, and the mean of one over the place."""
    count = len(places) or 1
    told: Row = {"asked": len(places)}
    for cut in (1, 3, 5):
        told[f"r@{cut}"] = round(sum(0 < place <= cut for place in places) / count, 4)
    told["mrr@10"] = round(sum(1 / place for place in places if place) / count, 4)
    return told


def drafts(
    data: HardSet, seed: int, distractors: int, *, enriched: bool
) -> list[tuple[str, Draft]]:
    """What a layout holds, in its order: notes under their ids, distractors under none."""
    made = Generator(seed)
    chance = random.Random(seed)
    held = [(note.id, note.draft(enriched=enriched)) for note in data.notes]
    for note in made.notes(distractors) if distractors else ():
        draft = note_draft(note)
        named = (" ".join(made.words(3)), " ".join(made.words(2)), made.han_sentence()[:6])
        asked = (f"How about {' '.join(made.words(4))}?",)
        if enriched and chance.random() < 0.5:
            draft = replace(draft, aliases=named, questions=asked)
        held.append(("", draft))
    chance.shuffle(held)
    return held


def fill(memory: Memory, folder: Path, held: Sequence[tuple[str, Draft]]) -> dict[str, str]:
    """Write a layout; record id to the id of the note."""
    caller = agent(memory, folder)
    names: dict[str, str] = {}
    for start in range(0, len(held), _BATCH):
        part = held[start : start + _BATCH]
        written = memory.write_all([draft for _, draft in part], caller)
        for (name, _), each in zip(part, written, strict=True):
            if isinstance(each, Refused):
                raise each
            if name:
                names[each.id] = name
    return names


def ask_all(
    memory: Memory, folder: Path, names: Mapping[str, str], asked: Sequence[Asked], *, varied: bool
) -> Places:
    """Ask every question of one store."""
    caller = agent(memory, folder)
    found = Places()
    memory.search(Query(text="warm up"), caller)
    for each in asked:
        variants = each.variants if varied else ()
        query = Query(text=each.text, variants=variants, limit=DEPTH, max_tokens=_BUDGET)
        answer, wall, cpu = clocked(lambda: memory.search(query, caller))  # noqa: B023  # called at once
        ranked = [names.get(hit.id, "") for hit in answer.hits]
        place = ranked.index(each.target) + 1 if each.target in ranked else 0
        found.add(Places([each], [place], [bool(ranked)], [wall], [cpu]))
    return found


def layout(data: HardSet, seed: int, distractors: int) -> dict[str, dict[str, Places]]:
    """One layout: set (``hard`` or ``human``) to condition to places."""
    found: dict[str, dict[str, Places]] = defaultdict(dict)
    sets = {"hard": data.hard}
    if distractors == HUMAN_LEVEL:
        sets["human"] = data.human
    for enriched in (False, True):
        with tempfile.TemporaryDirectory(prefix="memex-hard-") as made:
            folder = Path(made).resolve()
            (folder / "work").mkdir()
            memory = Memory(settings.load(store_of(folder), {}))
            names = fill(memory, folder, drafts(data, seed, distractors, enriched=enriched))
            for name, asked in sets.items():
                for condition, (with_aliases, varied) in CONDITIONS.items():
                    if with_aliases is enriched:
                        found[name][condition] = ask_all(
                            memory, folder, names, asked, varied=varied
                        )
            memory.close()
    return found


def measure(args: argparse.Namespace, data: HardSet) -> Levels:
    """Every layout, and all of them together."""
    told: Levels = {}
    for distractors, layouts in args.layouts:
        together: dict[str, dict[str, Places]] = defaultdict(lambda: defaultdict(Places))
        firsts: dict[tuple[str, str], list[float]] = defaultdict(list)
        for number in range(layouts):
            for name, conditions in layout(data, args.seed + number, distractors).items():
                for condition, places in conditions.items():
                    together[name][condition].add(places)
                    row = figures(places.of(lambda _: True))
                    firsts[name, condition].append(float(str(row["r@1"])))
        print(f"\n{distractors:,} distractors, {layouts} layouts")
        told[str(distractors)] = {
            name: {
                condition: {
                    **shown(name, condition, places),
                    "r@1_by_layout": firsts[name, condition],
                    "places": by_question(places),
                }
                for condition, places in conditions.items()
            }
            for name, conditions in together.items()
        }
    return told


def by_question(places: Places) -> dict[str, list[int]]:
    """Each question with the place of its answer in every layout."""
    told: dict[str, list[int]] = defaultdict(list)
    for each, place in zip(places.asked, places.place, strict=True):
        told[each.text].append(place)
    return told


def shown(name: str, condition: str, places: Places) -> Row:
    """The figures of one condition, printed and returned."""
    row = places.told()
    for kind, each in row.items():
        if isinstance(each, dict) and "r@1" in each:
            head = f"{name} {condition}" if kind == "all" else f"  {kind}"
            rates = "  ".join(f"{cut} {each[cut]:.3f}" for cut in ("r@1", "r@3", "r@5", "mrr@10"))
            print(f"  {head:<18} {each['asked']:>5} asked  {rates}")
    wall, foreign = row["wall_ms"], row.get("no_answer")
    print(f"    left empty {row['left_empty']}  no answer {foreign}  wall {wall}")
    return row


def familiarity(data: HardSet) -> Row:
    """How many questions, and how many sets of variants, share words with their note."""
    notes = data.by_id
    told = dict.fromkeys(
        ("question with additions", "variants with note", "variants with additions"), 0
    )
    for each in data.hard:
        note = notes[each.target or ""]
        varied = words("\n".join(each.variants))
        told["question with additions"] += bool(words(each.text) & words(note.added))
        told["variants with note"] += bool(varied & words(note.text))
        told["variants with additions"] += bool(varied & words(note.added))
    return {"questions": len(data.hard), **told}


def at_least(name: str, value: float, bar: float) -> Row:
    """Hold a share against its bar, print and return both."""
    met = value >= bar
    print(f"  {'met   ' if met else 'MISSED'} {name}: {value:.3f} (bar {bar:g})")
    return {"name": name, "value": value, "bar": bar, "met": met}


def bars(told: Levels) -> list[Row]:
    """What the figures are held against."""

    def figure(level: str, name: str, condition: str, cut: str) -> float:
        row = told[level][name][condition]["all"]
        assert isinstance(row, dict)
        return float(row[cut])

    held: list[Row] = []
    for level in told:
        held.append(
            at_least(f"r@5, variants, {level}", figure(level, "hard", "variants", "r@5"), AT_FIVE)
        )
        for condition, bar in SHARES.items():
            value = figure(level, "hard", condition, "r@1")
            held.append(at_least(f"r@1, {condition}, {level}", value, bar))
    level = str(HUMAN_LEVEL)
    if level in told:
        for condition, bar in (("plain", HUMAN_PLAIN), ("variants", HUMAN_VARIANTS)):
            value = figure(level, "human", condition, "r@1")
            held.append(at_least(f"r@1, human {condition}, {level}", value, bar))
            foreign = told[level]["human"][condition]["no_answer"]
            assert isinstance(foreign, dict)
            right = 1 - foreign["answered"] / foreign["asked"]
            held.append(at_least(f"no answer left empty, human {condition}", right, 1.0))
    return held


def pair(text: str) -> tuple[int, int]:
    """``500x10``: distractors and layouts."""
    distractors, _, layouts = text.partition("x")
    return int(distractors), int(layouts)


def main() -> None:
    """Measure and write the raw file."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--layouts", type=pair, nargs="+", default=[(0, 10), (500, 10), (5_000, 3)]
    )
    arguments.add_argument("--set", type=Path, default=PATH)
    args = arguments.parse_args()
    data = load(args.set)
    result: Row = environment(args, "hard") | {"familiarity": familiarity(data)}
    print(result["familiarity"])
    told = measure(args, data)
    print("\nbars")
    save(args, "recall/hard.json", result | {"levels": told, "bars": bars(told)})


if __name__ == "__main__":
    main()
