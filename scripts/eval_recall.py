"""How well the product finds what others labelled, beside plain BM25 and recorded peers.

Real stores are filled through ``Memory``, one for each store of a public question set, and
asked every question; the sets lie outside of this repository, in the form that
``eval_data.py`` reads.

    python scripts/eval_recall.py --data DIR --work DIR
    python scripts/eval_recall.py --data DIR --work DIR --through stdio
    python scripts/eval_recall.py --data DIR --work DIR --ablate all --made
    python scripts/eval_recall.py --data DIR --work DIR --foreign 240
    python scripts/eval_recall.py --data DIR --work DIR --embedder local
    python scripts/eval_tables.py
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import eval_foreign
import eval_made
from bench_common import clocked, environment, save, summary
from bench_stores import workplace
from eval_ablate import chosen
from eval_data import DataSet, Question, Store, load, names, thinned
from eval_fts5 import Plain
from eval_metrics import DEPTH, first_place, mean, score
from eval_print import tell, tell_means
from eval_recorded import RECORDED
from eval_stores import CONFIG, Filled, InProcess, OverStdio, System, fill

WORKERS = 2
SYSTEMS = ("memex", "fts5")

Row = dict[str, object]


@dataclass(frozen=True)
class Task:
    """What one worker does: one set.

    Attributes:
        through: ``memory`` or ``stdio``.
        ablate: Which variants, comma-separated parts of their names; empty for none.
        usual: Ask also with limit and budget left out.
        keep: Take kept stores whatever the write path is now.
        questions: Ask at most so many, evenly spaced; all when 0.
        embedder: The model that the stores are configured for.
    """

    root: Path
    name: str
    place: Path
    systems: tuple[str, ...] = SYSTEMS
    through: str = "memory"
    ablate: str = ""
    usual: bool = True
    keep: bool = False
    questions: int = 0
    embedder: str = "off"


@dataclass
class Log:
    """Answers of one system to a set, in the order of its questions."""

    found: list[list[str]]
    wall: list[float]
    processor: list[float]

    def told(self, data: DataSet) -> Row:
        """Figures over all questions and by category, and the place of each first evidence."""
        answers = iter(self.found)
        places = {
            store.name: [first_place(next(answers), each.gold) for each in store.questions]
            for store in data.stores
        }
        return {
            **graded(data.questions, self.found),
            "empty": round(sum(not found for found in self.found) / len(self.found), 4),
            "wall_ms": summary(self.wall),
            # What another process spent on the processor is not known here.
            "processor_ms": summary(self.processor) if self.processor else None,
            "places": places,
        }


def graded(questions: Sequence[Question], found: Sequence[Sequence[str]]) -> Row:
    """Means over all questions, and by category."""
    rows = [score(ids, each.gold) for each, ids in zip(questions, found, strict=True)]
    kinds = sorted({each.category for each in questions})
    parts = {
        kind: [row for each, row in zip(questions, rows, strict=True) if each.category == kind]
        for kind in kinds
    }
    return {
        "all": _rounded(mean(rows)),
        "categories": {
            kind: {"n": len(part)} | _rounded(mean(part)) for kind, part in parts.items()
        },
    }


def measure(task: Task) -> Row:
    """Fill the stores of a set and ask every system every question, in turn."""
    began = time.perf_counter()
    data = load(task.root, task.name)
    if task.questions:
        data = thinned(data, task.questions)
    filled = [
        fill(task.place, data, store, keep=task.keep, embedder=task.embedder)
        for store in data.stores
    ]
    ready = time.perf_counter()
    logs = asked(task, data, filled)
    told: Row = {
        "set": task.name,
        "data": data.key,
        "language": data.language,
        "asked_in": data.asked_in,
        "stores": len(data.stores),
        "records": sum(len(store.items) for store in data.stores),
        "questions": len(data.questions),
        "filled": {
            name: round(sum(each.told.get(name, 0) for each in filled), 2)
            for name in filled[0].told
        },
        "systems": {name: log.told(data) for name, log in logs.items()},
    }
    if task.usual and task.through == "memory":
        told["usual"] = usual(data, filled)
    if task.ablate:
        told["ablation"] = ablated(data, filled, task.ablate)
    told["seconds"] = {
        "filling": round(ready - began, 1),
        "asking": round(time.perf_counter() - ready, 1),
    }
    return told


def asked(task: Task, data: DataSet, filled: Sequence[Filled]) -> dict[str, Log]:
    """What each system answers; for every question all of them in turn."""
    logs = {name: Log([], [], []) for name in task.systems}
    for store, there in zip(data.stores, filled, strict=True):
        systems = [_opened(name, task, store, there) for name in task.systems]
        for system in systems:
            system.ask("warm up", DEPTH)
        for question in store.questions:
            for system in systems:
                found, wall, cpu = clocked(lambda: system.ask(question.text, DEPTH))  # noqa: B023  # called at once
                log = logs[system.name]
                log.found.append(found)
                log.wall.append(wall)
                if not isinstance(system, OverStdio):
                    log.processor.append(cpu)
        for system in systems:
            system.close()
    return logs


def _opened(name: str, task: Task, store: Store, there: Filled) -> System:
    if name == "memex":
        return InProcess(there) if task.through == "memory" else OverStdio(there)
    return Plain(store.items)


def usual(data: DataSet, filled: Sequence[Filled]) -> Row:
    """The same questions with limit and budget left out: what an ordinary call costs."""
    found: list[list[str]] = []
    cost: list[float] = []
    for store, there in zip(data.stores, filled, strict=True):
        system = InProcess(there)
        for question in store.questions:
            ids, shown = system.ask_as_ever(question.text)
            found.append(ids)
            cost.append(shown)
        system.close()
    hits = sum(map(len, found)) / len(found)
    return {**graded(data.questions, found), "hits": round(hits, 2), "tokens": summary(cost)}


def ablated(data: DataSet, filled: Sequence[Filled], which: str) -> dict[str, Row]:
    """Figures with one thing missing at a time."""
    variants = chosen(which)
    found: dict[str, list[list[str]]] = {name: [] for name in variants}
    for store, there in zip(data.stores, filled, strict=True):
        system = InProcess(there)
        for name, variant in variants.items():
            system.tuning = variant
            found[name] += [system.ask(each.text, DEPTH) for each in store.questions]
        system.close()
    return {name: {"all": graded(data.questions, each)["all"]} for name, each in found.items()}


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}


def spread(work: Callable[..., Row], tasks: Sequence[tuple[object, ...]]) -> Iterator[Row]:
    """Run a function for every task in two processes; results as they come."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(work, *task) for task in tasks]):
            yield done.result()


def _measured(args: argparse.Namespace, place: Path, sets: Sequence[str]) -> Row:
    first = Task(
        args.data.resolve(),
        "",
        place,
        tuple(args.systems.split(",")),
        args.through,
        args.ablate,
        not args.quick,
        args.keep,
        args.questions,
        args.embedder,
    )
    told: dict[str, Row] = {}
    # The longest first, so that the two processes end together.
    order = sorted(sets, key=lambda name: -len(load(first.root, name).questions))
    order.sort(key=lambda name: not name.startswith("mixed"))
    for row in spread(measure, [(replace(first, name=name),) for name in order]):
        tell(row, args.peers)
        told[str(row["set"])] = row
    print()
    tell_means(told, args.peers)
    result: Row = {"through": args.through, "sets": {name: told[name] for name in sets}}
    if args.ablate and args.made:
        result["made"] = eval_made.measure(chosen(args.ablate), args.seed)
    return result


def _foreign(args: argparse.Namespace, place: Path, sets: Sequence[str]) -> Row:
    root = args.data.resolve()
    loaded = [load(root, name) for name in sets if not name.startswith("mixed")]
    drawn = eval_foreign.sample(loaded, args.foreign, args.seed, across=args.across)
    how = (args.keep, args.embedder, args.questions)
    tasks = [(root, each.name, place, drawn[each.name], how) for each in loaded]
    rows = list(spread(eval_foreign.weigh_set, tasks))
    rows.sort(key=lambda row: sets.index(str(row["set"])))
    told = eval_foreign.summed(rows)
    for language, each in told.items():
        assert isinstance(each, dict)
        now = f"answered {each['now']['answered']:.3f}, recall@5 lost {each['now']['lost']:.3f}"
        print(f"{language}: {each['asked']} foreign questions, {now}; best floor {each['best']}")
    return {"languages": told, "sets": rows}


def main() -> None:
    """Measure and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of the question sets")
    add("--sets", default="", help="comma-separated; default: all, and a mixture")
    add("--work", type=Path, help="folder for stores, kept and used again")
    add("--keep", action="store_true", help="take kept stores whatever the write path is now")
    add("--through", choices=("memory", "stdio"), default="memory")
    add("--systems", default=",".join(SYSTEMS))
    add("--ablate", nargs="?", const="all", default="", help="parts of variants' names, or all")
    add("--made", action="store_true", help="ablate on the made sets as well")
    add("--quick", action="store_true", help="leave out the calls with default limit and budget")
    add("--questions", type=int, default=0, metavar="N", help="at most N of each set; default: all")
    add("--embedder", choices=sorted(CONFIG), default="off", help="search by meaning as well")
    add("--foreign", type=int, default=0, metavar="N", help="ask N foreign questions a language")
    add("--across", action="store_true", help="foreign questions in the other language")
    add("--peers", type=Path, default=RECORDED, help="recorded figures of other systems")
    add("--seed", type=int, default=20_26)
    add("--out", type=Path, help="raw JSON file (default: below docs/evidence/recall)")
    args = parser.parse_args()
    sets = args.sets.split(",") if args.sets else names(args.data)
    told = environment(args, "eval_recall")
    began = time.perf_counter()
    with workplace(args.work) as place:
        told |= (_foreign if args.foreign else _measured)(args, place, sets)
    told["seconds"] = round(time.perf_counter() - began, 1)
    save(args, f"recall/{_named(args)}.json", json.loads(json.dumps(told)))


def _named(args: argparse.Namespace) -> str:
    """The raw file of a run."""
    name = "ablation" if args.ablate else args.through
    if args.foreign:
        name = "across" if args.across else "foreign"
    if args.embedder == "off":
        return name
    return "dense" if name == "memory" else f"dense-{name}"


if __name__ == "__main__":
    main()
