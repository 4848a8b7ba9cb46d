"""Made sets for what no public question set holds: links, use, age, aliases, repetitions.

Public sets have questions and texts, and nobody ever opened, linked, aliased or repeated one
of their records.  Each set here holds pairs that differ in the one thing that a part of recall
looks at, so that leaving the part out shows; the names and numbers in them come from a seed.
"""

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench_peers import store_of
from bench_stores import agent, hook
from eval_metrics import mean, score
from eval_probes_made import code

from memex_mcp import settings
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Kind, Scope, Surface
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from memex_mcp.retrieval.tuning import DEFAULT, Tuning

COUNT = 24
_BUDGET = 20_000
_PLACES = tuple(f"{name}ford" for name in ("amber", "birch", "cedar", "dune", "ebony", "jetty"))
_PARTS = ("boiler", "valve", "pump", "filter", "gauge", "hopper", "rotor", "piston", "sensor")

Row = dict[str, object]
Pairs = list[tuple[str, str]]
"""Questions, each with the id of the record that answers it."""


class Made:
    """A store that a set is written to.

    Attributes:
        chance: Draws everything that is drawn.
    """

    def __init__(self, memory: Memory, folder: Path, seed: int) -> None:
        self.memory, self.folder = memory, folder
        self.chance = random.Random(seed)
        self.caller = agent(memory, folder)

    def note(self, text: str, *, days: int = 0) -> str:
        """Write a note that was observed so many days ago."""
        return self.draft(Draft(text=text, observed_at=_ago(days)))

    def draft(self, draft: Draft) -> str:
        """Write any note."""
        return self.memory.write(draft, self.caller).id

    def span(self, text: str, session: str = "", *, days: int = 0) -> str:
        """Archive what a session said."""
        draft = Draft(
            text=text, kind=Kind.SPAN, scope=Scope.WORKSPACE, family="chat", observed_at=_ago(days)
        )
        return self.memory.write(draft, self._hook(session)).id

    def names(self) -> tuple[str, str]:
        """A place and a part with a code, together new each time."""
        return (
            f"{self.chance.choice(_PLACES)} {code(self.chance)}",
            self.chance.choice(_PARTS),
        )

    def _hook(self, session: str) -> Caller:
        if not session:
            return hook(self.memory, self.folder)
        told = Evidence(
            surface=Surface.HOOK,
            client="eval",
            workspace=self.folder / "work",
            session_id=session,
            writes_as=Author.DERIVED,
        )
        return self.memory.caller(told)


def _ago(days: int) -> datetime:
    return datetime.now(UTC) - timedelta(days=days)


def _identifiers(made: Made) -> Pairs:
    """A name is written as asked, or only its parts, and the others hold more of the question."""
    pairs = []
    for _ in range(COUNT):
        one, two = made.chance.sample(_PARTS, 2)
        number = made.chance.randrange(100, 999)
        name = f"{one}_{two}_{number}"
        wanted = made.note(
            f"Long ago somebody wrote, in the middle of much else, that {name} drops its rows."
        )
        for word in made.chance.sample(_PLACES, 4):
            made.note(f"Export order of {two} {one} {number} {word}: the nightly export order.")
        pairs.append((f"nightly export order of {name}", wanted))
    return pairs


def _quotes(made: Made) -> Pairs:
    """A phrase stands as quoted, or its words stand in another order beside the rest."""
    pairs = []
    for _ in range(COUNT):
        place, part = made.names()
        phrase = f"{part} before {place}"
        wanted = made.note(f"In the end it was decided after a long debate: {phrase}, always so.")
        for _ in range(4):
            made.note(f"Start order of {place} before {part}: start order {code(made.chance)}.")
        pairs.append((f'start order "{phrase}"', wanted))
    return pairs


def _aliases(made: Made) -> Pairs:
    """One alias says the whole of it, or several say a word each."""
    return _named(made, "aliases")


def _questions(made: Made) -> Pairs:
    """One stored question is the one asked, or several share a word each with it."""
    return _named(made, "questions")


def _named(made: Made, field: str) -> Pairs:
    pairs = []
    for _ in range(COUNT):
        place, part = made.names()
        whole = (f"spare {part} of {place}", "the other one there", "what to buy")
        strewn = (f"spare one of {place}", f"the other {part} there", "what to buy")
        order = [whole, strewn] if made.chance.random() < 0.5 else [strewn, whole]
        ids = {each: made.draft(_said(field, each, code(made.chance))) for each in order}
        wanted = ids[whole]
        pairs.append((f"spare {part} of {place}", wanted))
    return pairs


def _said(field: str, lines: tuple[str, ...], told: str) -> Draft:
    draft = Draft(text=f"Order {told} from the usual shop.")
    return replace(draft, aliases=lines) if field == "aliases" else replace(draft, questions=lines)


def _files(made: Made) -> Pairs:
    """Two notes share a file, and the second no word with the question."""
    pairs = []
    for n in range(COUNT):
        place, part = made.names()
        file = f"`src/part{n}/{part}_{n}.py`"
        made.note(f"Everything in {place} boils over when {file} is loaded twice.")
        pairs.append((f"the {place} zone", made.note(f"Restarting helps, see {file}.")))
        made.note(f"Restarting helps, see `docs/other{n}/page_{n}.md`.")
    return pairs


def _tagged(made: Made) -> Pairs:
    """Two notes share their tags, and the second no word with the question."""
    pairs = []
    for n in range(COUNT):
        place, part = made.names()
        tags = (f"case-{n}", f"{part}-{n}")
        made.draft(Draft(text=f"Everything in {place} boils over at noon.", tags=tags))
        tied = made.draft(Draft(text=f"Call {code(made.chance)}.", tags=tags))
        made.draft(Draft(text=f"Call {code(made.chance)}.", tags=(f"other-{n}",)))
        pairs.append((f"the {place} zone", tied))
    return pairs


def _recent_notes(made: Made) -> Pairs:
    """The same was said long ago and lately, with another outcome."""
    return _aged(made, made.note)


def _recent_spans(made: Made) -> Pairs:
    """The same in what was archived."""
    return _aged(made, made.span)


def _aged(made: Made, write: Callable[..., str]) -> Pairs:
    pairs = []
    for _ in range(COUNT):
        place, part = made.names()
        text = f"The {part} of {place} was set to"
        # Written first and last in turn: the order of writing must not decide.
        if made.chance.random() < 0.5:
            wanted = write(f"{text} {made.chance.randrange(100, 999)}.", days=3)
            write(f"{text} {made.chance.randrange(100, 999)}.", days=400)
        else:
            write(f"{text} {made.chance.randrange(100, 999)}.", days=400)
            wanted = write(f"{text} {made.chance.randrange(100, 999)}.", days=3)
        pairs.append((f"What was the {part} of {place} set to?", wanted))
    return pairs


def _opened(made: Made, times: int) -> Pairs:
    pairs = []
    for _ in range(COUNT):
        place, part = made.names()
        both = [
            made.note(f"The {part} of {place} was set to {made.chance.randrange(100, 999)}.")
            for _ in range(2)
        ]
        wanted = made.chance.choice(both)
        for _ in range(times):
            made.memory.open(wanted, made.caller)
        pairs.append((f"What was the {part} of {place} set to?", wanted))
    return pairs


def _repeats(made: Made) -> Pairs:
    """One thing was noted again and again, another once."""
    pairs = []
    for _ in range(COUNT):
        place, part = made.names()
        for word in ("soon", "again", "today", "later", "now", "twice"):
            made.note(
                f"The {part} of {place} must be checked by the morning shift of the north gate"
                f" before anyone is let in to start the work of the day there {word}."
            )
        wanted = made.note(f"Ask Kim about the {part} of {place}, whatever the plan says.")
        pairs.append((f"who checks the {part} of {place} before the shift", wanted))
    return pairs


def _talkative(made: Made) -> Pairs:
    """One session speaks of nothing else, another one mentions it."""
    pairs = []
    for n in range(COUNT):
        place, part = made.names()
        for turn in range(8):
            made.span(
                f"We checked the {part} of {place} in step {code(made.chance)} of the plan.",
                f"long-{n}",
                days=turn,
            )
        wanted = made.span(f"By the way, the {part} of {place} leaks at the seam.", f"short-{n}")
        pairs.append((f"what about the {part} of {place} in the plan", wanted))
    return pairs


SETS: Mapping[str, Callable[[Made], Pairs]] = {
    "made-identifiers": _identifiers,
    "made-quotes": _quotes,
    "made-aliases": _aliases,
    "made-questions": _questions,
    "made-files": _files,
    "made-tags": _tagged,
    "made-recent-notes": _recent_notes,
    "made-recent-spans": _recent_spans,
    "made-opened-once": lambda made: _opened(made, 1),
    "made-opened-often": lambda made: _opened(made, 8),
    "made-repeats": _repeats,
    "made-sessions": _talkative,
}


def measure(
    variants: Mapping[str, Tuning], seed: int, names: Sequence[str] = tuple(SETS)
) -> dict[str, Row]:
    """Sets as they are and with one thing missing at a time."""
    told: dict[str, Row] = {}
    for name in names:
        with tempfile.TemporaryDirectory(prefix="memex-made-") as place:
            folder = Path(place).resolve()
            (folder / "work").mkdir()
            memory = Memory(settings.load(store_of(folder), {}))
            made = Made(memory, folder, seed)
            pairs = SETS[name](made)
            told[name] = {
                "set": name,
                "made": True,
                "questions": len(pairs),
                "systems": {"memex": {"all": _asked(made, pairs, DEFAULT)}},
                "ablation": {
                    each: {"all": _asked(made, pairs, tuning)} for each, tuning in variants.items()
                },
            }
            memory.close()
    return told


def _asked(made: Made, pairs: Sequence[tuple[str, str]], tuning: Tuning) -> dict[str, float]:
    rows = []
    for question, wanted in pairs:
        query = Query(text=question, limit=10, max_tokens=_BUDGET)
        answer = made.memory.search(query, made.caller, tuning=tuning)
        rows.append(score([hit.id for hit in answer.hits], [[wanted]]))
    return {name: round(value, 4) for name, value in mean(rows).items()}
