"""Public question sets as they lie on disk; none of them is part of this repository.

A set is a folder with two files of JSON lines: ``records.jsonl`` (store, id, text, title,
time, session) and ``queries.jsonl`` (store, id, text, gold, category).  Each of its stores is
a memory of its own.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from eval_metrics import evenly

MIXED = "mixed-"
MIXED_FROM = ("locomo-turn", "realtalk-turn", "cmrc-zh", "drcd-zht", "cosqa-code", "afqmc-zh")
MIXED_QUESTIONS = 100
MIXED_RECORDS = 10_000
_AT_A_TIME = 20
# What was said in a conversation is stored as a hook would store it; all else is a note.
_SAID = ("-turn", "-session")
_CHATS = ("beam", "memdaily-zh")
_HAN = re.compile("[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Item:
    """One record of a set; ``said`` in a conversation, or else noted."""

    id: str
    text: str
    title: str = ""
    time: str = ""
    session: str = ""
    said: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its gold groups."""

    id: str
    text: str
    gold: tuple[tuple[str, ...], ...]
    category: str = ""


@dataclass(slots=True)
class Store:
    """One memory: what is in it, and what it is asked."""

    name: str
    items: list[Item] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Changes when anything of what is in it does."""
        return _digest(repr(self.items).encode())


@dataclass(frozen=True, slots=True)
class DataSet:
    """One set.

    Attributes:
        key: Of both files; figures of two runs compare only where it is the same.
        language: Of the records: ``en`` or ``zh``.
        asked_in: Of the questions.
    """

    name: str
    stores: list[Store]
    key: str
    language: str
    asked_in: str

    @property
    def family(self) -> str:
        """Sets of one family ask the same questions of the same source."""
        return self.name.partition("-")[0]

    @property
    def questions(self) -> list[Question]:
        """All questions, in the order of the stores."""
        return [question for store in self.stores for question in store.questions]


def names(root: Path) -> list[str]:
    """The sets that lie below a folder, in alphabetical order, and the mixture they allow."""
    found = sorted(path.parent.name for path in root.glob("*/queries.jsonl"))
    return [*found, f"{MIXED}{MIXED_RECORDS}"] if set(MIXED_FROM) <= set(found) else found


def load(root: Path, name: str) -> DataSet:
    """Read a set; ``mixed-N`` is made of the sets that :data:`MIXED_FROM` names."""
    if name.startswith(MIXED):
        return _mixed(root, name, int(name.removeprefix(MIXED)))
    folder = root / name
    said = name.endswith(_SAID) or name in _CHATS
    stores: dict[str, Store] = {}
    for row in _rows(folder / "records.jsonl"):
        store = stores.setdefault(str(row["store"]), Store(str(row["store"])))
        told = {key: str(row.get(key, "")) for key in ("id", "text", "title", "time", "session")}
        store.items.append(Item(**told, said=said))
    for row in _rows(folder / "queries.jsonl"):
        gold = row["gold"]
        assert isinstance(gold, list)
        question = Question(
            str(row["id"]),
            str(row["text"]),
            tuple(tuple(map(str, group)) for group in gold),
            str(row.get("category", "")),
        )
        stores[str(row["store"])].questions.append(question)
    files = (folder / "records.jsonl", folder / "queries.jsonl")
    key = _digest(b"\0".join(path.read_bytes() for path in files))
    return _made(name, list(stores.values()), key)


def thinned(data: DataSet, most: int) -> DataSet:
    """The same records with fewer questions, evenly spaced over the stores; another key."""
    each = max(1, most // len(data.stores))
    stores = [
        replace(store, questions=[store.questions[at] for at in evenly(len(store.questions), each)])
        for store in data.stores
    ]
    return replace(data, stores=stores, key=f"{data.key}/{most}")


def language_of(texts: Sequence[str]) -> str:
    """``zh`` when three letters of ten are Chinese characters, else ``en``."""
    text = "".join(texts)
    han, letters = len(_HAN.findall(text)), len(_LETTER.findall(text))
    return "zh" if han > 0.3 * letters else "en"


def _made(name: str, stores: list[Store], key: str) -> DataSet:
    items = [item.text for store in stores for item in store.items[:50]]
    asked = [question.text for store in stores for question in store.questions[:50]]
    return DataSet(name, stores, key, language_of(items), language_of(asked))


def _mixed(root: Path, name: str, most: int) -> DataSet:
    """Several sets in one store: all evidence of the questions kept, then others in turn."""
    sets = [load(root, each) for each in MIXED_FROM]
    pooled = {each.name: _pooled(each) for each in sets}
    questions: list[Question] = []
    for each in sets:
        held = pooled[each.name].questions
        questions += [held[place] for place in evenly(len(held), MIXED_QUESTIONS)]
    kept = {gold for question in questions for group in question.gold for gold in group}
    waiting = {
        each: [item for item in store.items if item.id not in kept]
        for each, store in pooled.items()
    }
    there = sum(item.id in kept for store in pooled.values() for item in store.items)
    while there < most and any(waiting.values()):
        for each in MIXED_FROM:
            taken = waiting[each][: min(_AT_A_TIME, most - there)]
            del waiting[each][: len(taken)]
            kept.update(item.id for item in taken)
            there += len(taken)
    items = [item for store in pooled.values() for item in store.items if item.id in kept]
    key = _digest(" ".join([name, *(each.key for each in sets)]).encode())
    return DataSet(name, [Store("mixed", items, questions)], key, "mixed", "mixed")


def _pooled(data: DataSet) -> Store:
    """All stores of a set as one, ids made unique; the set is the category."""
    whole = Store(data.name)
    for store in data.stores:
        prefix = f"{data.name}/{store.name}/"
        for item in store.items:
            session = f"{prefix}{item.session}" if item.session else ""
            whole.items.append(replace(item, id=f"{prefix}{item.id}", session=session))
        for question in store.questions:
            gold = tuple(tuple(prefix + each for each in group) for group in question.gold)
            whole.questions.append(
                Question(f"{prefix}{question.id}", question.text, gold, data.name)
            )
    return whole


def _rows(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
