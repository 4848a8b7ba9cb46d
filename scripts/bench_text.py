"""Text that looks like what agents remember about software, from a seed and nothing else.

Words are drawn with Zipf's frequencies from a vocabulary of function words, the words of
the trade and a long tail of rarer, made-up ones, so that a search meets terms that nearly
every record holds, terms that a handful holds and terms of one record only.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, product

from bench_words import (
    ENDS,
    FUNCTION,
    HAN_HEADS,
    HAN_LINKS,
    HAN_TAILS,
    HAN_WORDS,
    MIDDLES,
    STARTS,
    TRADE,
    VERBS,
)

_EXTENSIONS = ("py", "ts", "go", "rs", "sql", "yaml", "md", "toml")
_FOLDERS = ("src", "lib", "internal", "services", "pkg", "tests", "tools", "deploy")
_CODES = ("E", "ERR", "PG", "HTTP", "KV")
_SENTENCE = re.compile(r"[^.。\n]+[.。]?")


@dataclass(frozen=True)
class Note:
    """One generated record.

    Attributes:
        marks: Identifiers, paths and codes that the text holds.
    """

    title: str
    text: str
    language: str
    tags: tuple[str, ...]
    marks: tuple[str, ...]


@dataclass(frozen=True)
class Probe:
    """One question and the record that it was made from; None if nothing should be found."""

    text: str
    kind: str
    target: int | None


class Generator:
    """Everything random comes from one seed."""

    def __init__(self, seed: int, *, tail: int = 14_000) -> None:
        self.random = random.Random(seed)
        made = ["".join(parts) for parts in product(STARTS, MIDDLES, ENDS)]
        self.random.shuffle(made)
        self._nonsense = [f"zq{word}" for word in made[-200:]]
        trade = list(dict.fromkeys([*TRADE, *VERBS]))
        self.random.shuffle(trade)
        self.vocabulary = [*FUNCTION, *trade, *made[: min(tail, len(made) - 200)]]
        self._weights = _zipf(len(self.vocabulary))
        rare = [f"{head}{tail}" for head, tail in product(HAN_HEADS, HAN_TAILS)]
        self.random.shuffle(rare)
        common = [*HAN_WORDS]
        self.random.shuffle(common)
        self.han = [*HAN_LINKS, *common, *rare]
        self._han_weights = _zipf(len(self.han))

    def words(self, count: int) -> list[str]:
        """English words, the commonest about one in ten."""
        return self.random.choices(self.vocabulary, cum_weights=self._weights, k=count)

    def sentence(self) -> str:
        """One English sentence of 6 to 22 words."""
        text = " ".join(self.words(self.random.randint(6, 22)))
        return f"{text[0].upper()}{text[1:]}."

    def han_sentence(self) -> str:
        """One Chinese sentence of 6 to 16 words."""
        picked = self.random.choices(
            self.han, cum_weights=self._han_weights, k=self.random.randint(6, 16)
        )
        half = len(picked) // 2
        return f"{''.join(picked[:half])}，{''.join(picked[half:])}。"

    def mark(self) -> str:
        """An identifier, a path, a version or an error code."""
        draw = self.random
        verb, one, two = draw.choice(VERBS).rstrip("s"), draw.choice(TRADE), draw.choice(TRADE)
        rare = draw.choice(self.vocabulary)
        number = draw.randint(100_000, 9_999_999)
        forms = (
            f"{verb}{one.capitalize()}By{rare.capitalize()}",
            f"{one}_{rare}_{two}",
            f"{draw.choice(_FOLDERS)}/{one}/{rare}_{two}.{draw.choice(_EXTENSIONS)}:{number % 900}",
            f"{draw.choice(_CODES)}{number}",
            f"v{number % 20}.{number % 97}.{number % 887}",
        )
        return draw.choice(forms)

    def note(self) -> Note:
        """One statement of two to seven sentences: 60 % English, 25 % Chinese, 15 % both."""
        draw = self.random
        language = draw.choices(("en", "zh", "mixed"), weights=(60, 25, 15))[0]
        makers = {"en": (self.sentence,), "zh": (self.han_sentence,)}
        both = (self.sentence, self.han_sentence)
        parts = [draw.choice(makers.get(language, both))() for _ in range(draw.randint(2, 7))]
        marks = tuple(self.mark() for _ in range(draw.randint(0, 3)))
        for mark in marks:
            at = draw.randrange(len(parts))
            parts[at] = f"{parts[at]} {draw.choice(('See', 'In', 'With'))} {mark}."
        if language == "zh":
            title = "".join(draw.sample(HAN_WORDS, 3)) + str(draw.randint(1000, 999_999))
        else:
            title = " ".join(draw.sample(TRADE, 3)) + f" {draw.randint(1000, 999_999)}"
        return Note(title, " ".join(parts), language, tuple(draw.sample(TRADE, 2)), marks)

    def fact(self) -> Note:
        """A note of one sentence, one in four of them Chinese, with a mark of its own."""
        language = self.random.choices(("en", "zh"), weights=(75, 25))[0]
        sentence = self.sentence() if language == "en" else self.han_sentence()
        mark = self.mark()
        return Note("", f"{sentence} See {mark}.", language, (), (mark,))

    def code(self) -> str:
        """One line of a program."""
        draw = self.random
        name, other, rare = self.mark(), draw.choice(TRADE), draw.choice(self.vocabulary)
        call = f"{draw.choice(VERBS)}_{other}({rare}, {draw.randint(0, 999)})"
        forms = (
            f"    {other}_{rare} = self.{call}",
            f"def {rare}_{other}(self, {draw.choice(TRADE)}: int) -> str:",
            f"    # {self.sentence()}",
            f'    raise ValueError(f"{name}: {{{other}}}")',
            f"    if {other} is None or {rare}.{draw.choice(TRADE)} > {draw.randint(1, 99)}:",
            f"    return {other}.{call}",
        )
        return draw.choice(forms)

    def notes(self, count: int) -> list[Note]:
        """Notes with a title each that no other has."""
        taken: dict[str, Note] = {}
        while len(taken) < count:
            note = self.note()
            taken.setdefault(note.title.lower(), note)
        return list(taken.values())

    def probes(self, notes: Sequence[Note], count: int) -> list[Probe]:
        """Questions about known notes: 40 % English, 20 % Chinese, 15 % identifiers,
        15 % quoted, 10 % about nothing on record."""
        kinds = self.random.choices(
            ("en", "zh", "identifier", "quoted", "no_match"), weights=(40, 20, 15, 15, 10), k=count
        )
        return [self._probe(kind, notes) for kind in kinds]

    def _probe(self, kind: str, notes: Sequence[Note]) -> Probe:
        draw = self.random
        if kind == "no_match":
            # Half of them share a common word with the store, as a question off the topic does.
            shared = draw.sample(TRADE, draw.randint(0, 1))
            return Probe(" ".join([*draw.sample(self._nonsense, 2), *shared]), kind, None)
        while True:
            at = draw.randrange(len(notes))
            text = _asked(kind, notes[at], draw)
            if text:
                return Probe(text, kind, at)


def _asked(kind: str, note: Note, draw: random.Random) -> str:
    """Words of a note as a question would hold them; empty when the note has none such."""
    if kind == "identifier":
        return draw.choice(note.marks) if note.marks else ""
    if kind == "zh":
        runs = re.findall("[一-鿿]{8,}", note.text)
        if not runs:
            return ""
        run: str = draw.choice(runs)
        start = draw.randrange(len(run) - 7)
        return run[start : start + draw.randint(4, 8)]
    sentences = [s for s in _SENTENCE.findall(note.text) if len(s.split()) > 5 and s.isascii()]
    if not sentences:
        return ""
    words = draw.choice(sentences).strip(" .").split()
    if kind == "quoted":
        start = draw.randrange(len(words) - 3)
        return f'"{" ".join(words[start : start + 4])}"'
    telling = list(dict.fromkeys(word for word in words if word.lower() not in FUNCTION))
    if len(telling) < 3:
        return ""
    return " ".join(draw.sample(telling, min(len(telling), draw.randint(3, 6))))


def _zipf(count: int) -> list[float]:
    return list(accumulate(1 / (rank + 2.7) for rank in range(count)))


@dataclass(frozen=True)
class Body:
    """A long text and the one statement in it that no other body makes."""

    text: str
    fact: Note


def bodies(mode: str, count: int, characters: int, seed: int) -> list[Body]:
    """Long bodies, each different from every other.

    They are put together from a pool of ready sentences or lines, since making each anew would
    take longer than what is measured; one fact of its own stands somewhere in each.

    Args:
        mode: ``x`` (one run of the letter), ``prose``, ``code`` or ``zh``.
        count: How many.
        characters: Length of each.
        seed: The same one gives the same bodies.
    """
    made = Generator(seed)
    facts = [made.fact() for _ in range(count)]
    if mode == "x":
        return [
            Body(f"{seed}-{number:08d} ".ljust(characters, "x"), fact)
            for number, fact in enumerate(facts)
        ]
    makers = {"prose": made.sentence, "zh": made.han_sentence, "code": made.code}
    maker = makers[mode]
    between = {"prose": " ", "zh": "", "code": "\n"}[mode]
    pool = [maker() for _ in range(20_000)]
    mean = sum(map(len, pool)) / len(pool) + len(between)
    needed = int(characters / mean * 1.3) + 8
    return [
        Body(_body(fact, between, made.random.choices(pool, k=needed), characters, made), fact)
        for fact in facts
    ]


def _body(fact: Note, between: str, parts: Sequence[str], characters: int, made: Generator) -> str:
    text = between.join(parts)[: characters - len(fact.text) - 2 * len(between)]
    at = text.find(between or "。", made.random.randrange(len(text) // 10 * 9)) + 1
    return f"{text[:at]}{between}{fact.text}{between}{text[at:]}"
