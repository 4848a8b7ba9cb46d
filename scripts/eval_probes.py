"""Facts that a question names exactly, found in notes and deep in long texts.

Three parts, each with five seeds: one question for each of the made facts among distractors;
exact cues at three depths of long bodies, with the time they take; and facts at nine tenths of
a body against fifty titles that hold every other word, with the legs that find them left out.

    python scripts/eval_probes.py
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench_common import clocked, environment, line, parser, save, summary, verdict
from bench_peers import store_of
from bench_stores import agent, fill, hook, note_draft, span_draft
from bench_text import Generator as Text
from eval_hard import Row, at_least
from eval_metrics import of_places
from eval_probes_made import PARAPHRASE, buried, facts

from memex_mcp import settings
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from memex_mcp.retrieval.tuning import DEFAULT, Tuning

SEEDS = 5
DEPTHS = (0.1, 0.5, 0.9)
DECOYS = 50
P50_MS, P95_MS = 2.5, 8.0
_SUBJECT = "deployment rollback procedure"


@dataclass
class Asked:
    """Places of the answers, and the milliseconds that each search took."""

    places: list[int]
    wall: list[float]
    processor: list[float]


@dataclass(frozen=True)
class Opened:
    """A store that is open, and where it lies."""

    folder: Path
    memory: Memory

    def again(self) -> Memory:
        """The same store in another connection, which knows nothing yet."""
        return Memory(settings.load(store_of(self.folder), {}))


@contextmanager
def opened() -> Generator[Opened]:
    """An empty store that goes away."""
    with tempfile.TemporaryDirectory(prefix="memex-probes-", ignore_cleanup_errors=True) as made:
        folder = Path(made).resolve()
        (folder / "work").mkdir()
        memory = Memory(settings.load(store_of(folder), {}))
        yield Opened(folder, memory)
        memory.close()


def ask(
    memory: Memory,
    caller: Caller,
    pairs: Sequence[tuple[str, str]],
    tuning: Tuning = DEFAULT,
) -> Asked:
    """Ask each question; where its record stands among the first ten."""
    told = Asked([], [], [])
    for question, wanted in pairs:
        query = Query(text=question, limit=10, max_tokens=20_000)
        answer, wall, cpu = clocked(lambda: memory.search(query, caller, tuning=tuning))  # noqa: B023  # called at once
        ids = [hit.id for hit in answer.hits]
        told.places.append(ids.index(wanted) + 1 if wanted in ids else 0)
        told.wall.append(wall)
        told.processor.append(cpu)
    return told


def families(seed: int, distractors: int) -> tuple[Row, list[float], list[str]]:
    """Facts of every family among distractors: figures, shares at rank 1, what was missed."""
    by_family: dict[str, list[int]] = defaultdict(list)
    missed = []
    for number in range(SEEDS):
        made = facts(seed + number)
        with opened() as store:
            caller = agent(store.memory, store.folder)
            noise = Text(seed + number).notes(distractors)
            drafts = [Draft(text=fact.text) for fact in made] + [note_draft(each) for each in noise]
            ids, _ = fill(store.memory, caller, drafts)
            pairs = [(fact.question, name) for fact, name in zip(made, ids, strict=False)]
            for fact, place in zip(made, ask(store.memory, caller, pairs).places, strict=True):
                by_family[fact.family].append(place)
                if place != 1:
                    missed.append(f"{fact.family}: {fact.question} (place {place})")
    told: Row = {}
    lexical: list[float] = []
    for family, places in sorted(by_family.items()):
        row = of_places(places)
        print(
            f"  {family:<12} {len(places):>4} asked  any@1 {row['any@1']:.3f}  {row['any@5']:.3f}"
        )
        told[family] = {"asked": len(places), **row}
        if family != PARAPHRASE:
            lexical.append(row["any@1"])
    return told, lexical, missed


def depths(seed: int, words: int, notes: int) -> tuple[Row, Asked, Asked]:
    """Forty long bodies for each seed with a fact at a depth; asked warm, then each in a new
    connection."""
    warm, cold = Asked([], [], []), Asked([], [], [])
    by_depth: dict[str, list[int]] = defaultdict(list)
    for number in range(SEEDS):
        made = [fact for fact in facts(seed + number) if fact.family in ("identifier", "mixed")]
        made += [fact for fact in facts(seed + 99 + number) if fact.family == "number"][:4]
        deep = [DEPTHS[place % len(DEPTHS)] for place in range(len(made))]
        texts = [
            buried(fact.text, seed + place, words=words, depth=depth)
            for place, (fact, depth) in enumerate(zip(made, deep, strict=True))
        ]
        with opened() as store:
            caller = agent(store.memory, store.folder)
            writer = hook(store.memory, store.folder)
            ids, _ = fill(store.memory, writer, [span_draft(text) for text in texts])
            fill(store.memory, caller, [note_draft(each) for each in Text(seed).notes(notes)])
            pairs = [(fact.question, name) for fact, name in zip(made, ids, strict=True)]
            ask(store.memory, caller, pairs)
            _join(warm, ask(store.memory, caller, pairs))
            for depth, place in zip(deep, warm.places[-len(pairs) :], strict=True):
                by_depth[str(depth)].append(place)
            for pair in pairs:
                fresh = store.again()
                _join(cold, ask(fresh, agent(fresh, store.folder), [pair]))
                fresh.close()
    print(line("warm", warm.wall))
    print(line("warm, processor", warm.processor))
    print(line("first of a connection", cold.wall))
    return {depth: of_places(places) for depth, places in by_depth.items()}, warm, cold


def _join(all_of: Asked, more: Asked) -> None:
    all_of.places += more.places
    all_of.wall += more.wall
    all_of.processor += more.processor


def titles(seed: int, words: int) -> Row:
    """Fifty deep facts against fifty titles, with every leg and with some left out."""
    legs = {
        "every leg": (),
        "without body": ("body",),
        "without body and exact": ("body", "exact"),
    }
    told: Row = {}
    with opened() as store:
        caller = agent(store.memory, store.folder)
        decoys = [
            Draft(text=f"Deployment rollback procedure of XK, number {n}.", title=_SUBJECT.title())
            for n in range(DECOYS)
        ]
        fill(store.memory, caller, decoys)
        names = [f"XK-{4471 + 13 * n}" for n in range(DECOYS)]
        texts = [
            buried(f"It ended with {name} at last.", seed + n, words=words, depth=0.9)
            for n, name in enumerate(names)
        ]
        writer = hook(store.memory, store.folder)
        ids, _ = fill(store.memory, writer, [span_draft(text) for text in texts])
        pairs = [(f"{_SUBJECT} {name}", each) for name, each in zip(names, ids, strict=True)]
        for label, left_out in legs.items():
            tuning = replace(DEFAULT, legs=DEFAULT.legs - set(left_out))
            places = ask(store.memory, caller, pairs, tuning).places
            told[label] = {"first": places.count(1), "found": sum(map(bool, places))}
            print(f"  {label:<24} {told[label]} of {DECOYS}")
    return told


def measure(args: argparse.Namespace) -> Row:
    """Every part, held against its bar."""
    result: Row = environment(args, "probes")
    print("\nfamilies")
    told, lexical, missed = families(args.seed, args.distractors)
    print(*missed[:20], sep="\n")
    print("\ndepths")
    by_depth, warm, cold = depths(args.seed, args.words, args.distractors)
    print("\ntitles")
    against = titles(args.seed, args.words)
    print("\nbars")
    first = warm.places.count(1) / len(warm.places)
    whole, without = against["every leg"], against["without body and exact"]
    assert isinstance(whole, dict)
    assert isinstance(without, dict)
    bars = [
        at_least("lexical families at rank 1", min(lexical), 1.0),
        at_least(f"{len(warm.places)} deep cues at rank 1", first, 1.0),
        verdict("search p50, deep cues", summary(warm.wall)["p50"], P50_MS, "ms"),
        verdict("search p95, deep cues", summary(warm.wall)["p95"], P95_MS, "ms"),
        at_least("deep facts before titles", whole["first"] / DECOYS, 1.0),
        verdict("the same without body and exact legs", without["first"], 0, "first"),
    ]
    return result | {
        "families": told,
        "missed": missed,
        "depths": by_depth,
        "warm": {"wall_ms": summary(warm.wall), "processor_ms": summary(warm.processor)},
        "cold": {"wall_ms": summary(cold.wall), "processor_ms": summary(cold.processor)},
        "titles": against,
        "bars": bars,
    }


def main() -> None:
    """Measure and write the raw file."""
    arguments = parser(__doc__)
    arguments.add_argument("--distractors", type=int, default=500)
    arguments.add_argument("--words", type=int, default=2_000)
    args = arguments.parse_args()
    save(args, "recall/probes.json", measure(args))


if __name__ == "__main__":
    main()
