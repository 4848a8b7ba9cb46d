"""The page for one question: is the fact in it, at every depth, and never over the budget?

Four hundred probes with five seeds: for each a fact at one of five depths of a long body, and
beside it the same body without the fact, among notes and decoys that hold most of the
question.  The page for the question has to hold the answer once the fact is on record, and not
before.  Then two hundred facts in notes, each asked for with a page of 220 tokens, with the
facts on record and without them; and a history far longer than what a model can see: which
facts stand in its tail, in a summary with the tail, and in the page.

    python scripts/eval_window.py
"""

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from statistics import mean

from bench_common import clocked, environment, line, parser, save, summary
from bench_stores import agent, fill, hook, note_draft, span_draft
from bench_text import Generator as Text
from eval_hard import Row, at_least
from eval_probes import opened
from eval_probes_made import Fact, buried, facts

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import NoteType
from memex_mcp.model.record import Draft
from memex_mcp.model.times import now
from memex_mcp.model.window import Window
from memex_mcp.retrieval import window
from memex_mcp.retrieval.aids import Aids
from memex_mcp.text import tokens

SEEDS = 5
PROBES = 80
DEPTHS = (0.02, 0.25, 0.5, 0.75, 0.98)
BUDGET = 2_400
EVIDENCE = 220
FAMILIES = ("identifier", "path", "number", "date", "quoted", "zh_sentence", "mixed")
RULES = 12


@dataclass(frozen=True)
class Probe:
    """One fact in a long body, and the words that only it says."""

    fact: Fact
    record_id: str
    body: str
    depth: float


def made(seed: int, words: int) -> list[tuple[Fact, str, float]]:
    """Facts whose questions name them exactly, each in a long text at a depth."""
    named = [fact for fact in facts(seed) if fact.family in FAMILIES][:PROBES]
    return [
        (
            fact,
            buried(fact.text, seed + place, words=words, depth=DEPTHS[place % len(DEPTHS)]),
            DEPTHS[place % len(DEPTHS)],
        )
        for place, fact in enumerate(named)
    ]


def decoy(fact: Fact, chance: random.Random) -> Draft:
    """A short note with the words of the question and without its cue."""
    said = fact.question.replace(fact.cue, "")
    return Draft(text=f"Nobody knows {said} and ticket {chance.randrange(10**6)} stays open.")


def rules(count: int) -> list[Draft]:
    """Notes that hold whatever is asked and want a place on every page."""
    types = (NoteType.CONSTRAINT, NoteType.PREFERENCE, NoteType.INSTRUCTION)
    return [
        Draft(text=f"Rule {n}: " + "never touch the release of others. " * 8 + f"({n})", type=kind)
        for n in range(count)
        for kind in (types[n % len(types)],)
    ]


def stands_there(page: Window, probe: Probe) -> bool:
    """Whether an excerpt holds the fact, and is what the body holds at its offset."""
    return any(
        probe.fact.cue in each.text and probe.body[each.start : each.stop] == each.text
        for each in page.excerpts
        if each.id == probe.record_id
    )


class Upside:
    """A reranker that always prefers the worst."""

    def rank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """The later, the better; one in three is no number at all."""
        return [nan if place % 3 == 2 else float(place) for place in range(len(texts))]


@dataclass
class Tally:
    """What came of the probes."""

    held: dict[str, list[bool]]
    upside: list[bool]
    before: list[bool]
    over: int
    costs: list[int]
    wall: list[float]


def probe_all(seed: int, words: int, notes: int) -> Tally:
    """Every probe of every seed."""
    tally = Tally({str(each): [] for each in DEPTHS}, [], [], 0, [], [])
    for number in range(SEEDS):
        chance = random.Random(seed + number)
        with opened() as store:
            caller = agent(store.memory, store.folder)
            writer = hook(store.memory, store.folder)
            parts = made(seed + number, words)
            bare = [span_draft(text.replace(fact.text, "Twin.")) for fact, text, _ in parts]
            fill(store.memory, writer, bare)
            noise = [note_draft(each) for each in Text(seed + number).notes(notes)]
            decoys = [decoy(fact, chance) for fact, _, _ in parts]
            fill(store.memory, caller, [*noise, *decoys, *rules(RULES)])
            for fact, _, _ in parts:
                page = _page(store.memory, caller, fact, tally)
                tally.before.append(fact.cue in page.text)
            ids, _ = fill(store.memory, writer, [span_draft(text) for _, text, _ in parts])
            for (fact, body, depth), name in zip(parts, ids, strict=True):
                probe = Probe(fact, name, body, depth)
                page = _page(store.memory, caller, fact, tally)
                tally.held[str(depth)].append(fact.text in page.text and stands_there(page, probe))
                worst = _reranked(store.memory, caller, fact.question)
                tally.upside.append(stands_there(worst, probe))
    return tally


def _page(memory: Memory, caller: Caller, fact: Fact, tally: Tally) -> Window:
    page, wall, _ = clocked(lambda: memory.window(fact.question, BUDGET, caller))
    tally.wall.append(wall)
    tally.costs.append(page.tokens)
    tally.over += max(page.tokens, tokens.count(page.text).tokens) > BUDGET
    return page


def _reranked(memory: Memory, caller: Caller, question: str) -> Window:
    # Memory has no reranker of its own; below it, the same call takes one.
    with memory._database.read() as db:
        return window.window(db, question, caller, now(), BUDGET, aids=Aids(reranker=Upside()))


def evidence(seed: int, notes: int) -> Row:
    """Two hundred facts in notes, each asked for with a small page; then without the facts."""
    held, missing, costs = [], [], []
    for number in range(SEEDS):
        told = [fact for fact in facts(seed + number) if fact.family in FAMILIES][:40]
        noise = [note_draft(each) for each in Text(seed + number).notes(notes)]
        for there in (True, False):
            with opened() as store:
                caller = agent(store.memory, store.folder)
                fill(store.memory, caller, [Draft(text=fact.text) for fact in told if there])
                fill(store.memory, caller, noise)
                for fact in told:
                    page = store.memory.window(fact.question, EVIDENCE, caller)
                    (held if there else missing).append(fact.cue in page.text)
                    if there:
                        costs.append(page.tokens)
    return {
        "asked": len(held),
        "held": sum(held),
        "held_without_the_facts": sum(missing),
        "mean_tokens": round(mean(costs), 1),
        "most_tokens": max(costs),
    }


def history(seed: int, turns: int, seen: int) -> Row:
    """Facts scattered over a history of which a model sees the tail alone."""
    found = {"tail": 0, "tail and summary": 0, "window": 0}
    asked = 0
    for number in range(SEEDS):
        told = [fact for fact in facts(seed + number) if fact.family in FAMILIES][:40]
        chance = random.Random(seed + number)
        places = sorted(chance.sample(range(turns), len(told)))
        at = dict(zip(places, told, strict=True))
        said = [
            buried(at[turn].text if turn in at else "", seed + turn, words=120, depth=0.5)
            for turn in range(turns)
        ]
        tail, left = [], seen
        for text in reversed(said):
            left -= tokens.count(text).tokens
            if left < 0:
                break
            tail.append(text)
        summary_of = "\n".join(" ".join(text.split()[:12]) for text in said)
        shown = "\n".join(tail)
        with opened() as store:
            writer = hook(store.memory, store.folder)
            fill(store.memory, writer, [span_draft(text) for text in said])
            caller = agent(store.memory, store.folder)
            for fact in told:
                asked += 1
                found["tail"] += fact.cue in shown
                found["tail and summary"] += fact.cue in shown or fact.cue in summary_of
                found["window"] += (
                    fact.text in store.memory.window(fact.question, BUDGET, caller).text
                )
    return {"asked": asked, "seen_tokens": seen, "turns": turns, **found}


def measure(args: argparse.Namespace) -> Row:
    """Every part, held against its bar."""
    result: Row = environment(args, "window")
    counters = {}
    for exact in (False, True):
        if exact and not tokens.load_vocabulary(None):
            break
        name = tokens.method()
        print(f"\nprobes, counted by {name}")
        tally = probe_all(args.seed, args.words, args.distractors)
        held = {depth: [sum(each), len(each)] for depth, each in tally.held.items()}
        count = sum(len(each) for each in tally.held.values())
        print(f"  held {held}   upside down {sum(tally.upside)}   over budget {tally.over}")
        print(line("a page", tally.wall))
        counters[name] = {
            "asked": count,
            "held_by_depth": held,
            "held_with_hostile_reranker": sum(tally.upside),
            "told_before_the_fact_was_written": sum(tally.before),
            "over_budget": tally.over,
            "page_tokens": summary(list(map(float, tally.costs))),
            "wall_ms": summary(tally.wall),
        }
        bars = [
            at_least("facts in the page", sum(map(sum, tally.held.values())) / count, 1.0),
            at_least("with a hostile reranker", sum(tally.upside) / count, 1.0),
            at_least("pages within the budget", 1.0 - tally.over / len(tally.costs), 1.0),
        ]
        counters[name]["bars"] = bars
    print("\nevidence")
    small = evidence(args.seed, args.distractors)
    print(f"  {small}")
    print("\nhistory")
    told = history(args.seed, args.turns, args.seen)
    print(f"  {told}")
    return result | {"budget": BUDGET, "counters": counters, "evidence": small, "history": told}


def main() -> None:
    """Measure and write the raw file."""
    arguments = parser(__doc__)
    arguments.add_argument("--distractors", type=int, default=300)
    arguments.add_argument("--words", type=int, default=2_000)
    arguments.add_argument("--turns", type=int, default=1_280)
    arguments.add_argument("--seen", type=int, default=80_000)
    args = arguments.parse_args()
    save(args, "recall/window.json", measure(args))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
