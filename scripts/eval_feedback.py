"""Whether the words of the first hits, asked for as well, find more.

Each question is searched as it is, and again with the rarest words of its three best hits as
one rephrasing: in stores of the hard set among distractors, and in two public sets.  It brings
nothing, so no search does it.

    python scripts/eval_feedback.py --data DIR --work DIR
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from bench_common import environment, parser, save
from bench_peers import store_of
from bench_stores import agent, workplace
from eval_data import load as load_set
from eval_data import thinned
from eval_hard import DEPTH, drafts, figures, fill
from eval_hard_data import HardSet, load
from eval_metrics import first_place
from eval_stores import BUDGET, InProcess
from eval_stores import fill as fill_set

from memex_mcp import settings
from memex_mcp.memory import Memory
from memex_mcp.model.query import Query
from memex_mcp.text.words import query_terms, term_set

SETS = ("locomo-notes", "realtalk-turn")
DISTRACTORS = 500
COUNTS = (0, 4, 8)
"""Words that are added; with none the question stands by itself."""

_BEST = 3
_COMMON = 0.1
_PRIOR = 200

Search = Callable[[str, tuple[str, ...]], Sequence[str]]


@dataclass(frozen=True)
class Texts:
    """What is on record, by name, and in how many texts each term stands."""

    named: Mapping[str, str]
    held: Mapping[str, int]

    @classmethod
    def of(cls, named: Mapping[str, str]) -> "Texts":
        """Count the terms of some texts."""
        return cls(named, Counter(term for text in named.values() for term in term_set(text)))

    def telling(self, names: Sequence[str], question: str, count: int) -> str:
        """The rarest words of some texts that the question does not say; the first text first."""
        worth: dict[str, float] = defaultdict(float)
        said, size = set(query_terms(question)), len(self.named)
        for place, name in enumerate(names, start=1):
            for term in term_set(self.named.get(name, "")) - said:
                if len(term) > 1 and self.held[term] <= _COMMON * size:
                    worth[term] += log((size + _PRIOR) / (self.held[term] + 1)) / place
        return " ".join(sorted(worth, key=lambda term: (-worth[term], term))[:count])

    def places(self, search: Search, question: str, gold: Sequence[Sequence[str]]) -> list[int]:
        """Where the first evidence stands, for each of :data:`COUNTS`."""
        plain = search(question, ())
        found = []
        for count in COUNTS:
            more = self.telling(plain[:_BEST], question, count)
            found.append(first_place(search(question, (more,)) if more else plain, gold))
        return found


def hard(data: HardSet, seed: int, *, enriched: bool) -> list[list[int]]:
    """The hard questions in one layout of their notes."""
    with tempfile.TemporaryDirectory(prefix="memex-feedback-") as made:
        folder = Path(made).resolve()
        (folder / "work").mkdir()
        memory = Memory(settings.load(store_of(folder), {}))
        held = drafts(data, seed, DISTRACTORS, enriched=enriched)
        names = fill(memory, folder, held)
        caller = agent(memory, folder)
        texts = {name or f"distractor {at}": draft.text for at, (name, draft) in enumerate(held)}

        def search(question: str, variants: tuple[str, ...]) -> list[str]:
            query = Query(text=question, variants=variants, limit=DEPTH, max_tokens=BUDGET)
            return [names.get(hit.id, "") for hit in memory.search(query, caller).hits]

        counted = Texts.of(texts)
        found = [counted.places(search, each.text, [[each.target or ""]]) for each in data.hard]
        memory.close()
    return found


def public(root: Path, name: str, place: Path, questions: int) -> list[list[int]]:
    """The questions of one public set."""
    data = thinned(load_set(root, name), questions)
    found: list[list[int]] = []
    for store in data.stores:
        system = InProcess(fill_set(place, data, store))

        def search(question: str, variants: tuple[str, ...]) -> list[str]:
            return system.ask(question, DEPTH, variants)  # noqa: B023  # called at once

        texts = Texts.of({item.id: item.text for item in store.items})
        found += [texts.places(search, each.text, each.gold) for each in store.questions]
        system.close()
    return found


def told(name: str, found: Sequence[Sequence[int]]) -> dict[str, object]:
    """Figures of one set by the number of added words, printed and returned."""
    row: dict[str, object] = {}
    for count, places in zip(COUNTS, zip(*found, strict=True), strict=True):
        row[str(count)] = figures(places)
        print(f"{name}, {count} words added: {row[str(count)]}")
    return row


def main() -> None:
    """Measure and write the raw file."""
    arguments = parser(__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="folder of the question sets")
    arguments.add_argument("--questions", type=int, default=300, metavar="N", help="of each set")
    arguments.add_argument("--layouts", type=int, default=3, help="of the hard set")
    args = arguments.parse_args()
    result = environment(args, "feedback")
    data, sets = load(), {}
    for name, enriched in (("hard set", False), ("hard set with aliases", True)):
        runs = [hard(data, args.seed + run, enriched=enriched) for run in range(args.layouts)]
        sets[name] = told(name, [places for run in runs for places in run])
    with workplace(args.work) as place:
        for name in SETS:
            sets[name] = told(name, public(args.data.resolve(), name, place, args.questions))
    save(args, "recall/feedback.json", result | {"sets": sets})


if __name__ == "__main__":
    main()
